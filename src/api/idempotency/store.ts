/** Prepared statements over the stored responses of requests with an `Idempotency-Key`. */

import { lte, min, sql } from 'drizzle-orm'
import { lazily, type Tables } from '../../database/open.ts'
import { rowsOf } from '../../database/rows.ts'
import { systemClock } from '../../lib/clock.ts'
import { storedResponses } from './table.ts'

export type StoredResponse = typeof storedResponses.$inferSelect

/** How long a response is stored, in milliseconds. */
export const keptMs = 86_400_000

/** The number of responses that are deleted between two readings of the clock. */
const chunkSize = 50

export function createIdempotencyStore(tables: Tables, { monotonic } = systemClock) {
  const { createdAt } = storedResponses
  const rows = rowsOf(tables, storedResponses)
  const oldest = lazily(() =>
    tables
      .select({ at: min(createdAt) })
      .from(storedResponses)
      .prepare(),
  )
  const isOutdated = lte(createdAt, sql.placeholder('until'))
  const remove = lazily(() =>
    tables
      .delete(storedResponses)
      .where(sql`rowid IN (SELECT rowid FROM ${storedResponses} WHERE ${isOutdated} LIMIT ${sql.placeholder('most')})`)
      .prepare(),
  )

  return {
    /** The response that is stored for an account's key since `until` (Unix milliseconds). */
    find(accountId: number, key: string, until: number): StoredResponse | undefined {
      const stored = rows.find({ accountId, key })
      return stored && stored.createdAt > until ? stored : undefined
    },
    /** Stores a response. It replaces one that is outdated. */
    add(response: StoredResponse): void {
      rows.put(response, 'accountId', 'key')
    },
    /** Whether there are responses that were stored at `until` (Unix milliseconds) or before. */
    hasUntil: (until: number): boolean => (oldest.get()?.at ?? Number.POSITIVE_INFINITY) <= until,
    /** Deletes responses that were stored at `until` or before, for about `budgetMs`. To be called in a transaction. */
    deleteUntil(until: number, budgetMs: number): void {
      const deadlineMs = monotonic() + budgetMs
      do remove.run({ until, most: chunkSize })
      while (this.hasUntil(until) && monotonic() < deadlineMs)
    },
  }
}
export type IdempotencyStore = ReturnType<typeof createIdempotencyStore>
