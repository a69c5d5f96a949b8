/** Prepared statements over the stored responses of requests with an `Idempotency-Key`. */

import { and, eq, gt, lte, min, sql } from 'drizzle-orm'
import { lazily, type Tables } from '../database/open.ts'
import { systemClock } from '../lib/clock.ts'
import { storedResponses } from './table.ts'

export type StoredResponse = typeof storedResponses.$inferSelect

/** How long a response is stored, in milliseconds. */
export const keptMs = 86_400_000

/** The number of responses that are deleted between two readings of the clock. */
const chunkSize = 50

export function createIdempotencyStore(tables: Tables, { monotonic } = systemClock) {
  const { accountId, key, createdAt } = storedResponses
  const byKey = lazily(() =>
    tables
      .select()
      .from(storedResponses)
      .where(
        and(
          eq(accountId, sql.placeholder('accountId')),
          eq(key, sql.placeholder('key')),
          gt(createdAt, sql.placeholder('since')),
        ),
      )
      .prepare(),
  )
  const oldest = lazily(() =>
    tables
      .select({ createdAt: min(createdAt) })
      .from(storedResponses)
      .prepare(),
  )
  const remove = lazily(() =>
    tables
      .delete(storedResponses)
      .where(
        sql`rowid IN (SELECT rowid FROM ${storedResponses} WHERE ${lte(createdAt, sql.placeholder('until'))} LIMIT ${sql.placeholder('most')})`,
      )
      .prepare(),
  )

  return {
    /** The response that was stored for an account's key after `since` (Unix milliseconds). */
    find: (account: number, name: string, since: number): StoredResponse | undefined =>
      byKey.get({ accountId: account, key: name, since }),
    /** Stores a response. It replaces one that is too old to be found. */
    add(response: StoredResponse): void {
      const { accountId: _account, key: _key, ...rest } = response
      tables
        .insert(storedResponses)
        .values(response)
        .onConflictDoUpdate({ target: [accountId, key], set: rest })
        .run()
    },
    /** Whether there are responses that were stored at `until` (Unix milliseconds) or before. */
    hasUntil(until: number): boolean {
      const first = oldest.get()?.createdAt
      return typeof first === 'number' && first <= until
    },
    /**
     * Deletes responses that were stored at `until` (Unix milliseconds) or before, for about `budgetMs`. To be called in a
     * transaction.
     */
    deleteUntil(until: number, budgetMs: number): void {
      const deadlineMs = monotonic() + budgetMs
      do remove.run({ until, most: chunkSize })
      while (this.hasUntil(until) && monotonic() < deadlineMs)
    },
  }
}
export type IdempotencyStore = ReturnType<typeof createIdempotencyStore>
