/** Prepared statements over API keys. */

import { and, asc, eq, gt, isNull, sql } from 'drizzle-orm'
import { accounts } from '../accounts/table.ts'
import type { Tables } from '../database/open.ts'
import type { Plan } from '../plans/rules.ts'
import { keys } from './table.ts'

export type KeyRow = typeof keys.$inferSelect

/** A key with what admission needs of its account. */
export interface KeyWithAccount {
  readonly key: KeyRow
  readonly plan: Plan
  readonly perMinute: number | null
  readonly perDay: number | null
}

export type NewKeyRow = Omit<typeof keys.$inferInsert, 'id' | 'revokedAt' | 'lastUsedAt'>

export function createKeyStore(tables: Tables) {
  const bySha256 = tables
    .select({ key: keys, plan: accounts.plan, perMinute: accounts.perMinute, perDay: accounts.perDay })
    .from(keys)
    .innerJoin(accounts, eq(accounts.id, keys.accountId))
    .where(eq(keys.sha256, sql.placeholder('sha256')))
    .prepare()
  const byId = tables
    .select()
    .from(keys)
    .where(eq(keys.id, sql.placeholder('id')))
    .prepare()
  const page = tables
    .select()
    .from(keys)
    .where(gt(keys.id, sql.placeholder('after')))
    .orderBy(asc(keys.id))
    .limit(sql.placeholder('limit'))
    .prepare()
  const any = tables.select({ id: keys.id }).from(keys).limit(1).prepare()
  const revoke = tables
    .update(keys)
    .set({ revokedAt: sql`${sql.placeholder('revokedAt')}` })
    .where(and(eq(keys.id, sql.placeholder('id')), isNull(keys.revokedAt)))
    .prepare()

  return {
    findBySha256: (sha256: Buffer): KeyWithAccount | undefined => bySha256.get({ sha256 }),
    find: (id: number): KeyRow | undefined => byId.get({ id }),
    /** At most `limit` keys with ids beyond `after`, by id. */
    page: (after: number, limit: number): KeyRow[] => page.all({ after, limit }),
    isEmpty: (): boolean => any.get() === undefined,
    add(row: NewKeyRow): number {
      const [added] = tables.insert(keys).values(row).returning({ id: keys.id }).all()
      return (added as { id: number }).id
    },
    /** Revokes the key unless it is revoked already. */
    revoke(id: number, revokedAt: number): void {
      revoke.run({ id, revokedAt })
    },
  }
}
export type KeyStore = ReturnType<typeof createKeyStore>
