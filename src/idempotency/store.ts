/** Prepared statements over the stored responses of requests with an `Idempotency-Key`. */

import { and, between, eq, gt, lt, max, min, or, sql } from 'drizzle-orm'
import { lazily, type Tables } from '../database/open.ts'
import { systemClock } from '../lib/clock.ts'
import { toleratedFutureMs } from '../lib/duration.ts'
import { storedResponses } from './table.ts'

export type StoredResponse = typeof storedResponses.$inferSelect

/** How long a response is stored, in milliseconds. */
const keptMs = 86_400_000

/** The first and the last time, in Unix milliseconds, of the responses that are not outdated at `nowMs`. */
const currentTimes = (nowMs: number) => ({ first: nowMs - keptMs + 1, last: nowMs + toleratedFutureMs })

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
          between(createdAt, sql.placeholder('first'), sql.placeholder('last')),
        ),
      )
      .prepare(),
  )
  // Two statements: SQLite finds either of them in the index, but not both at once.
  const oldest = lazily(() =>
    tables
      .select({ at: min(createdAt) })
      .from(storedResponses)
      .prepare(),
  )
  const newest = lazily(() =>
    tables
      .select({ at: max(createdAt) })
      .from(storedResponses)
      .prepare(),
  )
  const isOutdated = or(lt(createdAt, sql.placeholder('first')), gt(createdAt, sql.placeholder('last')))
  const remove = lazily(() =>
    tables
      .delete(storedResponses)
      .where(sql`rowid IN (SELECT rowid FROM ${storedResponses} WHERE ${isOutdated} LIMIT ${sql.placeholder('most')})`)
      .prepare(),
  )

  return {
    /** The response that is stored for an account's key and not outdated at `nowMs`. */
    find: (account: number, name: string, nowMs: number): StoredResponse | undefined =>
      byKey.get({ accountId: account, key: name, ...currentTimes(nowMs) }),
    /** Stores a response. It replaces one that is outdated. */
    add(response: StoredResponse): void {
      const { accountId: _account, key: _key, ...rest } = response
      tables
        .insert(storedResponses)
        .values(response)
        .onConflictDoUpdate({ target: [accountId, key], set: rest })
        .run()
    },
    /** Whether there are responses that are outdated at `nowMs` (Unix milliseconds): a day old, or from a fast clock. */
    hasOutdated(nowMs: number): boolean {
      const { first, last } = currentTimes(nowMs)
      return (oldest.get()?.at ?? first) < first || (newest.get()?.at ?? last) > last
    },
    /** Deletes responses that are outdated at `nowMs` (Unix milliseconds), for about `budgetMs`. To be called in a transaction. */
    deleteOutdated(nowMs: number, budgetMs: number): void {
      const deadlineMs = monotonic() + budgetMs
      do remove.run({ ...currentTimes(nowMs), most: chunkSize })
      while (this.hasOutdated(nowMs) && monotonic() < deadlineMs)
    },
  }
}
export type IdempotencyStore = ReturnType<typeof createIdempotencyStore>
