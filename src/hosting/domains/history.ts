/** The history of domains: events are added, and the oldest of a domain are dropped. */

import { and, desc, eq, lte, sql } from 'drizzle-orm'
import { lazily, type Tables } from '../../database/open.ts'
import { rowsOf } from '../../database/rows.ts'
import { domainEvents } from './table.ts'

export type DomainEventRow = typeof domainEvents.$inferSelect

export const domainEventTypes = [
  'added',
  'changed',
  'removed',
  'verified',
  'failed',
  'drifted',
  'degraded',
  'recovered',
  'checks_ended',
  'name_lost',
  'name_taken',
  'certificate',
] as const
export type DomainEventType = (typeof domainEventTypes)[number]

export interface DomainHistoryEntry {
  readonly projectId: number
  readonly hostname: string
  /** Unix milliseconds. */
  readonly at: number
  readonly type: DomainEventType
  /** One sentence for the owner of the domain. */
  readonly message: string
}

/** The most events that are kept of one domain. */
export const keptEvents = 500

/** In a select from `domains`: when the records were first found wrong since the domain was added, or verified last. */
export const failedSince = sql<number | null>`(
  SELECT min(at) FROM domain_events AS failing
  WHERE failing.project_id = domains.project_id AND failing.hostname = domains.hostname
    AND failing.type IN ('failed', 'name_lost', 'name_taken', 'checks_ended')
    AND failing.id > coalesce((
      SELECT max(id) FROM domain_events AS good
      WHERE good.project_id = domains.project_id AND good.hostname = domains.hostname
        AND good.type IN ('added', 'verified')
    ), 0)
)`

export function createDomainHistory(tables: Tables) {
  const own = and(
    eq(domainEvents.projectId, sql.placeholder('projectId')),
    eq(domainEvents.hostname, sql.placeholder('hostname')),
  )
  const rows = rowsOf(tables, domainEvents)
  const firstTooMany = lazily(() =>
    tables
      .select({ id: domainEvents.id })
      .from(domainEvents)
      .where(own)
      .orderBy(desc(domainEvents.id))
      .limit(1)
      .offset(keptEvents)
      .prepare(),
  )
  const removeUntil = lazily(() =>
    tables
      .delete(domainEvents)
      .where(and(own, lte(domainEvents.id, sql.placeholder('id'))))
      .prepare(),
  )

  return {
    /** To be called in the transaction of the change. */
    add({ projectId, hostname, at, type, message }: DomainHistoryEntry): void {
      rows.insert({ projectId, hostname, at, type, message })
      const oldest = firstTooMany.get({ projectId, hostname })
      if (oldest) removeUntil.run({ projectId, hostname, id: oldest.id })
    },
    /** At most `limit` events of a domain with ids below `before`, the newest first. */
    page(projectId: number, hostname: string, before: number, limit: number): DomainEventRow[] {
      return rows.list({ projectId, hostname }, { orderBy: 'id', descending: true, below: before, limit })
    },
  }
}
export type DomainHistory = ReturnType<typeof createDomainHistory>
