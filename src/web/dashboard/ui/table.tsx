/** The tables of records, whose rows come page by page. */

import { Button, Center, Paper, Table, type TableProps, type TableThProps, VisuallyHidden } from '@mantine/core'
import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import type { MouseEvent, ReactNode } from 'react'

interface Column {
  readonly title: string
  /** The narrowest window that has room for the column; its cells have the same `visibleFrom`. */
  readonly visibleFrom?: 'sm' | 'lg'
  readonly w?: TableThProps['w']
  readonly miw?: string
  /** The title is for screen readers alone. */
  readonly isHidden?: boolean
}

/** A column that phones have no room for. */
export const wide = (title: string): Column => ({ title, visibleFrom: 'sm' })

/** The column of the buttons at the end of each row. */
export const buttons = (title: string): Column => ({ title, isHidden: true })

interface RecordTableProps extends Omit<TableProps, 'children'> {
  /** A text alone is a column that is always there. */
  readonly columns: readonly (string | Column)[]
  /** The rows reach beyond the texts of a section, so that the tint of a row does not touch its text. */
  readonly isInSection?: boolean
  /** The rows. */
  readonly children: ReactNode
}

export function RecordTable({ columns, isInSection = false, children, ...table }: RecordTableProps) {
  return (
    <Table {...(isInSection ? { mx: '-xs', w: 'calc(100% + 2 * var(--mantine-spacing-xs))' } : {})} {...table}>
      <Table.Thead>
        <Table.Tr>
          {columns.map((column) => {
            const { title, isHidden = false, ...head } = typeof column === 'string' ? { title: column } : column
            return (
              <Table.Th key={title} scope="col" {...head}>
                {isHidden ? <VisuallyHidden>{title}</VisuallyHidden> : title}
              </Table.Th>
            )
          })}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>{children}</Table.Tbody>
    </Table>
  )
}

/** A table on its own surface. */
export function TableFrame({ children }: { readonly children: ReactNode }) {
  return (
    <Paper withBorder style={{ overflow: 'hidden' }}>
      {children}
    </Paper>
  )
}

/**
 * Whether a click on a row is meant for one of its controls, for something that opened over the page, or for marking
 * text.
 */
export function isOnControl({ target, currentTarget }: MouseEvent): boolean {
  const isInside = target instanceof Element && currentTarget.contains(target)
  return !isInside || target.closest('a, button, input, label') !== null || getSelection()?.isCollapsed === false
}

/** A row of which every place opens its first link. The keyboard uses the link itself. */
export function OpeningRow({ children }: { readonly children: ReactNode }) {
  return (
    <Table.Tr
      className="opening-row"
      onClick={(event) => {
        if (!isOnControl(event)) event.currentTarget.querySelector('a')?.click()
      }}
    >
      {children}
    </Table.Tr>
  )
}

interface ShowMoreProps {
  readonly query: Pick<UseInfiniteQueryResult, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>
  /** As in "Show more orders". */
  readonly label: string
  /** Of one table among several: for screen readers. */
  readonly of?: string
}

/** The button below a table that has more rows. */
export function ShowMore({ query, label, of }: ShowMoreProps) {
  if (!query.hasNextPage) return null
  return (
    <Center p="sm">
      <Button
        {...(of === undefined ? {} : { size: 'xs', 'aria-label': `${label} of ${of}` })}
        variant="default"
        loading={query.isFetchingNextPage}
        onClick={() => void query.fetchNextPage()}
      >
        {label}
      </Button>
    </Center>
  )
}
