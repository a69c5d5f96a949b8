/** Prepared statements over first answers. */

import { and, eq, gt, lte, sql } from 'drizzle-orm'
import type { Tables } from '../database/open.ts'
import { idempotentAnswers } from './table.ts'

export type StoredAnswer = typeof idempotentAnswers.$inferSelect

export function createIdempotencyStore(tables: Tables) {
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
  const sweep = tables
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
    /** Forgets at most `most` answers that came until `until` (Unix milliseconds). */
    forget(until: number, most: number): void {
      sweep.run({ until, most })
    },
  }
}
export type IdempotencyStore = ReturnType<typeof createIdempotencyStore>
