/** Prepared statements over API keys. Each key is read together with the plan and limits of its account. */

import { and, asc, eq, gt, isNotNull, isNull, sql } from 'drizzle-orm'
import { accounts } from '../accounts/table.ts'
import { type Declare, declareNothing } from '../database/announcements.ts'
import type { Tables } from '../database/open.ts'
import type { Plan } from '../plans/rules.ts'
import { keys } from './table.ts'

type KeyRow = typeof keys.$inferSelect

/** A key as stored, and the plan and own numbers of its account. */
export interface StoredKey extends KeyRow {
  readonly plan: Plan
  readonly perMinute: number | null
  readonly perDay: number | null
}

export type NewKeyRow = Omit<typeof keys.$inferInsert, 'id' | 'revokedAt' | 'lastUsedAt' | 'successorId'>
/** The columns that may change; all others are set when the key is issued. */
export type KeyChanges = Partial<Pick<KeyRow, 'name' | 'scopes' | 'expiresAt' | 'revokedAt' | 'successorId'>>

export interface StoredBan {
  readonly keyId: number
  /** Unix milliseconds, both. */
  readonly startedAt: number
  readonly endsAt: number
}

export function createKeyStore(tables: Tables, declare: Declare = declareNothing) {
  const selection = { key: keys, plan: accounts.plan, perMinute: accounts.perMinute, perDay: accounts.perDay }
  const stored = () => tables.select(selection).from(keys).innerJoin(accounts, eq(accounts.id, keys.accountId))
  const bySha256 = stored()
    .where(eq(keys.sha256, sql.placeholder('sha256')))
    .prepare()
  const byId = stored()
    .where(eq(keys.id, sql.placeholder('id')))
    .prepare()
  const page = stored()
    .where(gt(keys.id, sql.placeholder('after')))
    .orderBy(asc(keys.id))
    .limit(sql.placeholder('limit'))
    .prepare()
  const any = tables.select({ id: keys.id }).from(keys).limit(1).prepare()
  const banned = tables
    .select({ keyId: keys.id, startedAt: keys.bannedAt, endsAt: keys.bannedUntil })
    .from(keys)
    .where(isNotNull(keys.bannedUntil))
    .prepare()
  const use = tables
    .update(keys)
    .set({ lastUsedAt: sql`${sql.placeholder('lastUsedAt')}` })
    .where(eq(keys.id, sql.placeholder('id')))
    .prepare()

  return {
    findBySha256: (sha256: Buffer): StoredKey | undefined => merge(bySha256.get({ sha256 })),
    find: (id: number): StoredKey | undefined => merge(byId.get({ id })),
    /** At most `limit` keys with ids greater than `after`, by id. */
    page: (after: number, limit: number): StoredKey[] => page.all({ after, limit }).map((row) => merge(row)),
    isEmpty: (): boolean => any.get() === undefined,
    add(row: NewKeyRow): number {
      declare('keys')
      const [added] = tables.insert(keys).values(row).returning({ id: keys.id }).all()
      return (added as { id: number }).id
    },
    update(id: number, changes: KeyChanges): void {
      declare('keys')
      tables.update(keys).set(changes).where(eq(keys.id, id)).run()
    },
    /** Returns whether there is such a key and it was not revoked before. */
    revoke(id: number, revokedAt: number): boolean {
      declare('keys')
      const unrevoked = and(eq(keys.id, id), isNull(keys.revokedAt))
      return tables.update(keys).set({ revokedAt }).where(unrevoked).returning({ id: keys.id }).all().length > 0
    },
    /** The last ban of every key that has had one. */
    bans: (): StoredBan[] => banned.all() as StoredBan[],
    setBan({ keyId, startedAt, endsAt }: StoredBan): void {
      declare('bans')
      tables.update(keys).set({ bannedAt: startedAt, bannedUntil: endsAt }).where(eq(keys.id, keyId)).run()
    },
    /** Moves the times of all bans, after the system's clock has been set. */
    shiftBans(byMs: number): void {
      declare('bans')
      const shifted = { bannedAt: sql`${keys.bannedAt} + ${byMs}`, bannedUntil: sql`${keys.bannedUntil} + ${byMs}` }
      tables.update(keys).set(shifted).where(isNotNull(keys.bannedUntil)).run()
    },
    liftBan(id: number): void {
      declare('bans')
      tables.update(keys).set({ bannedAt: null, bannedUntil: null }).where(eq(keys.id, id)).run()
    },
    /** Declares nothing: no cached state depends on when a key was used. */
    saveLastUse(id: number, lastUsedAt: number): void {
      use.run({ id, lastUsedAt })
    },
  }
}
export type KeyStore = ReturnType<typeof createKeyStore>

interface Joined extends Pick<StoredKey, 'plan' | 'perMinute' | 'perDay'> {
  readonly key: KeyRow
}

function merge(row: Joined): StoredKey
function merge(row: Joined | undefined): StoredKey | undefined
function merge(row: Joined | undefined): StoredKey | undefined {
  return row && { ...row.key, plan: row.plan, perMinute: row.perMinute, perDay: row.perDay }
}
