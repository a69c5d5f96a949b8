/** The states that a page can have besides its content: nothing yet, loading, an error. */

import { Button, EmptyState, Flex, Skeleton } from '@mantine/core'
import { IconAlertTriangle, IconPlugConnectedX } from '@tabler/icons-react'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { ApiError, explain, NoConnectionError } from '../api/error.ts'
import { SignedOutError } from '../session/session.ts'

interface EmptyProps {
  readonly icon?: ReactNode
  readonly title: string
  /** The first step to take. */
  readonly text?: ReactNode
  readonly actions?: ReactNode
}

/** There is nothing here yet, or nothing that fits the filters. */
export function Empty({ icon, title, text, actions }: EmptyProps) {
  return (
    <EmptyState variant="light" size="xs" py="xl" icon={icon} title={title} description={text}>
      {actions !== undefined && <EmptyState.Actions>{actions}</EmptyState.Actions>}
    </EmptyState>
  )
}

/** Where the records of a kind are listed. */
interface ListLink {
  readonly href: string
  /** As in "Show all projects". */
  readonly label: string
}

interface FailureProps {
  readonly error: unknown
  readonly onRetry: () => void
  /** Of a record: the way on if there is none at this address. */
  readonly list?: ListLink | undefined
}

/** Something could not be loaded: what happened, what to do, and a button to try again, or to the list of what there is. */
export function Failure({ error, onRetry, list }: FailureProps) {
  if (error instanceof SignedOutError) return null
  const { title, text } = explain(error)
  const Icon = error instanceof NoConnectionError ? IconPlugConnectedX : IconAlertTriangle
  return (
    <EmptyState
      role="alert"
      variant="light"
      color="red"
      size="xs"
      py="xl"
      icon={<Icon />}
      title={title}
      description={text}
    >
      <EmptyState.Actions>
        {list !== undefined && isGone(error) ? (
          <Button component={Link} href={list.href}>
            {list.label}
          </Button>
        ) : (
          <Button variant="default" onClick={onRetry}>
            Try again
          </Button>
        )}
      </EmptyState.Actions>
    </EmptyState>
  )
}

/** Grey lines in the place of rows that are being fetched, of the same height as the rows. */
export function LoadingRows({
  rows = 5,
  height = 44,
  label = 'Loading…',
}: {
  rows?: number
  height?: number
  label?: string
}) {
  return (
    <div className="loading" role="status" aria-label={label}>
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all the same
        <Flex key={index} h={height} align="center">
          <Skeleton height={12} width={`${[38, 52, 30, 46, 42][index % 5]}%`} radius="sm" />
        </Flex>
      ))}
    </div>
  )
}

/** Whether there is no such record. */
const isGone = (error: unknown): boolean => error instanceof ApiError && error.status === 404

interface LoadedProps<T> extends Pick<FailureProps, 'list'> {
  readonly query: Pick<UseQueryResult<T>, 'data' | 'error' | 'refetch'>
  readonly loading?: ReactNode
  readonly children: (data: T) => ReactNode
}

/**
 * The content of a query, or its state. Older content stays visible when a later fetch fails, but not that of a record that
 * somebody has removed.
 */
export function Loaded<T>({ query, list, loading = <LoadingRows />, children }: LoadedProps<T>) {
  if (query.data !== undefined && !isGone(query.error)) return children(query.data)
  if (query.error !== null) return <Failure error={query.error} onRetry={() => void query.refetch()} list={list} />
  return loading
}
