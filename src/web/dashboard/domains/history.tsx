/** The events of a domain. */

import { Button } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Moment } from '../ui/moment.tsx'
import { Section } from '../ui/page.tsx'
import { domainEventsQuery } from './queries.ts'

interface HistoryProps {
  readonly projectId: number
  readonly hostname: string
  /** Whether nothing is to be fetched. */
  readonly isPaused: boolean
}

export function History({ projectId, hostname, isPaused }: HistoryProps) {
  const query = useInfiniteQuery({ ...domainEventsQuery(projectId, hostname), enabled: !isPaused })
  const events = query.data?.pages.flatMap(({ items }) => items) ?? []
  if (events.length === 0) return null
  return (
    <Section title="History">
      <ol className="domain-history">
        {events.map(({ id, at, message }) => (
          <li key={id}>
            <span>{message}</span>
            <span className="quiet">
              <Moment time={at} />
            </span>
          </li>
        ))}
      </ol>
      {query.hasNextPage && (
        <Button
          size="xs"
          variant="default"
          loading={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          Show older events
        </Button>
      )}
    </Section>
  )
}
