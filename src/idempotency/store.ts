/** Prepared statements over the stored responses of requests with an `Idempotency-Key`. */

import { and, eq, gt, lte, min, sql } from 'drizzle-orm'
import type { Tables } from '../database/open.ts'
import { systemClock } from '../lib/clock.ts'
import { idempotentAnswers } from './table.ts'

export type StoredAnswer = typeof idempotentAnswers.$inferSelect

/** How long a response is stored, in milliseconds. */
export const keptMs = 86_400_000

/** How many are deleted between two looks at the clock. */
const chunkSize = 50

export function createIdempotencyStore(tables: Tables, { monotonic } = systemClock) {
  const { accountId, key, createdAt } = idempotentAnswers
  const byKey = tables
    .select()
    .from(idempotentAnswers)
    .where(
      and(
        eq(accountId, sql.placeholder('accountId')),
        eq(key, sql.placeholder('key')),
        gt(createdAt, sql.placeholder('since')),
      ),
    )
    .prepare()
  const oldest = tables
    .select({ createdAt: min(createdAt) })
    .from(idempotentAnswers)
    .prepare()
  const remove = tables
    .delete(idempotentAnswers)
    .where(
      sql`rowid IN (SELECT rowid FROM ${idempotentAnswers} WHERE ${lte(createdAt, sql.placeholder('until'))} LIMIT ${sql.placeholder('most')})`,
    )
    .prepare()

  return {
    /** The answer that an account's key got after `since` (Unix milliseconds). */
    find: (account: number, name: string, since: number): StoredAnswer | undefined =>
      byKey.get({ accountId: account, key: name, since }),
    /** Keeps an answer, in the place of one that is too old to be found. */
    add(answer: StoredAnswer): void {
      const { accountId: _account, key: _key, ...rest } = answer
      tables
        .insert(idempotentAnswers)
        .values(answer)
        .onConflictDoUpdate({ target: [accountId, key], set: rest })
        .run()
    },
    /** Whether there are responses from `until` (Unix milliseconds) or before. */
    hasUntil(until: number): boolean {
      const first = oldest.get()?.createdAt
      return typeof first === 'number' && first <= until
    },
    /** Deletes responses from `until` (Unix milliseconds) or before for `budgetMs`; to be called in a transaction. */
    deleteUntil(until: number, budgetMs: number): void {
      const deadlineMs = monotonic() + budgetMs
      do remove.run({ until, most: chunkSize })
      while (this.hasUntil(until) && monotonic() < deadlineMs)
    },
  }
}
export type IdempotencyStore = ReturnType<typeof createIdempotencyStore>
