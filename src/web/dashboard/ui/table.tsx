/** Parts of the tables whose rows come page by page. */

import { Button } from '@mantine/core'
import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import type { MouseEvent, ReactNode } from 'react'
import './table.css'

/** `wide`: left out on phones, like its cells of class `wide`. `hidden`: for screen readers alone. */
interface Column {
  readonly wide?: string
  readonly hidden?: string
}

/** The heads of the columns; a text alone is a column that is always there. */
export function TableHead({ columns }: { readonly columns: readonly (string | Column)[] }) {
  return (
    <thead>
      <tr>
        {columns.map((column) => {
          const { wide, hidden } = typeof column === 'string' ? {} : column
          const title = typeof column === 'string' ? column : (wide ?? hidden)
          return (
            <th key={title} scope="col" className={wide === undefined ? undefined : 'wide'}>
              {hidden === undefined ? title : <span className="visually-hidden">{hidden}</span>}
            </th>
          )
        })}
      </tr>
    </thead>
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
    <tr
      className="table-opens"
      onClick={(event) => {
        if (!isOnControl(event)) event.currentTarget.querySelector('a')?.click()
      }}
    >
      {children}
    </tr>
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
    <div className="table-more">
      <Button
        {...(of === undefined ? {} : { size: 'xs', 'aria-label': `${label} of ${of}` })}
        variant="default"
        loading={query.isFetchingNextPage}
        onClick={() => void query.fetchNextPage()}
      >
        {label}
      </Button>
    </div>
  )
}
