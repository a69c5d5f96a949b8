/** What happened to a domain. */

import { Button } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Moment } from '../ui/moment.tsx'
import { Section } from '../ui/page.tsx'
import { domainEventsQuery } from './queries.ts'

export function History({ projectId, hostname }: { readonly projectId: number; readonly hostname: string }) {
  const query = useInfiniteQuery(domainEventsQuery(projectId, hostname))
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
