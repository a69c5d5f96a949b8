/** Statements over API keys. Each key is read together with the plan and limits of its account. */

import { and, asc, count, eq, gt, isNotNull, isNull, lt, lte, or, type SQL, sql } from 'drizzle-orm'
import { allows, parseScopes, type Scope } from '../../api/scopes.ts'
import { type Declare, declareNothing } from '../../database/announcements.ts'
import { lazily, limitParameter, type Tables } from '../../database/open.ts'
import { rowsOf } from '../../database/rows.ts'
import { createSearch, type IdWindow } from '../../database/search.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import { type Matches, pageRange } from '../../lib/steps/collect.ts'
import type { Plan } from '../accounts/rules.ts'
import { accounts } from '../accounts/table.ts'
import type { KeyState } from './rules.ts'
import { keys } from './table.ts'

type KeyRow = typeof keys.$inferSelect

/** A key as stored, with its last use even if that is not stored yet, and the plan and own numbers of its account. */
export interface StoredKey extends KeyRow {
  readonly plan: Plan
  readonly perMinute: number | null
  readonly perDay: number | null
}

export type NewKeyRow = Omit<typeof keys.$inferInsert, 'id' | 'revokedAt' | 'lastUsedAt' | 'successorId'>
/** The columns that may change; all others are set when the key is issued. */
export type KeyChanges = Partial<
  Pick<KeyRow, 'name' | 'scopes' | 'expiresAt' | 'revokedAt' | 'successorId' | 'reportedExpiry'>
>

export interface StoredBan {
  readonly keyId: number
  /** Unix milliseconds, both. */
  readonly startedAt: number
  readonly endsAt: number
}

export interface KeyFilter {
  readonly accountId?: number | undefined
  readonly state?: KeyState | undefined
}

const selection = { key: keys, plan: accounts.plan, perMinute: accounts.perMinute, perDay: accounts.perDay }

/** Selects keys together with the plan and limits of their accounts. */
const selectKeys = (tables: Tables) =>
  tables.select(selection).from(keys).innerJoin(accounts, eq(accounts.id, keys.accountId))

const now = sql.placeholder('nowMs')
const isUnexpired = or(isNull(keys.expiresAt), gt(keys.expiresAt, now))
const isBanned = gt(sql`coalesce(${keys.bannedUntil}, 0)`, now)
const stateConditions: Readonly<Record<KeyState, SQL | undefined>> = {
  revoked: isNotNull(keys.revokedAt),
  expired: and(isNull(keys.revokedAt), lte(keys.expiresAt, now)),
  banned: and(isNull(keys.revokedAt), isUnexpired, isBanned),
  active: and(isNull(keys.revokedAt), isUnexpired, sql`NOT (${isBanned})`),
}

/** `monotonic` is the clock in milliseconds by which a search is limited. */
export function createKeyStore(
  tables: Tables,
  declare: Declare = declareNothing,
  { monotonic }: Pick<Clock, 'monotonic'> = systemClock,
) {
  const stored = () => selectKeys(tables)
  const bySha256 = lazily(() =>
    stored()
      .where(eq(keys.sha256, sql.placeholder('sha256')))
      .prepare(),
  )
  const byId = lazily(() =>
    stored()
      .where(eq(keys.id, sql.placeholder('id')))
      .prepare(),
  )
  const isInUse = and(eq(keys.accountId, sql.placeholder('accountId')), sql`${keys.revokedAt} is null`, isUnexpired)
  const inUse = lazily(() => tables.select({ keys: count() }).from(keys).where(isInUse).prepare())
  const scopesInUse = lazily(() => tables.select({ scopes: keys.scopes }).from(keys).where(isInUse).prepare())
  const banned = lazily(() =>
    tables
      .select({ keyId: keys.id, startedAt: keys.bannedAt, endsAt: keys.bannedUntil })
      .from(keys)
      .where(isNotNull(keys.bannedUntil))
      .prepare(),
  )
  const isExpiring = and(
    // The conditions of the index `unrevoked_keys_by_expiry` must be in the text of the statement.
    sql`${keys.revokedAt} is null and ${keys.expiresAt} is not null`,
    gt(keys.expiresAt, now),
    lte(keys.expiresAt, sql.placeholder('until')),
    isNull(keys.successorId),
  )
  const expiring = lazily(() =>
    stored().where(isExpiring).orderBy(asc(keys.expiresAt)).limit(limitParameter('limit')).prepare(),
  )
  const unreported = lazily(() =>
    stored()
      .where(and(isExpiring, sql`${keys.reportedExpiry} is not ${keys.expiresAt}`))
      .limit(limitParameter('limit'))
      .prepare(),
  )
  const bannedNow = lazily(() =>
    stored()
      .where(and(sql`${keys.bannedUntil} is not null`, gt(keys.bannedUntil, now), isNull(keys.revokedAt)))
      .orderBy(asc(keys.bannedUntil))
      .limit(limitParameter('limit'))
      .prepare(),
  )
  const rows = rowsOf(tables, keys)

  /** The times of last use (Unix milliseconds) by key, if they are not in the table yet. */
  const uses = new Map<number, number>()

  const merge = ({ key, ...ofAccount }: Joined): StoredKey => ({
    ...key,
    lastUsedAt: uses.get(key.id) ?? key.lastUsedAt,
    ...ofAccount,
  })

  return {
    findBySha256(sha256: Buffer): StoredKey | undefined {
      const row = bySha256.get({ sha256 })
      return row && merge(row)
    },
    find(id: number): StoredKey | undefined {
      const row = byId.get({ id })
      return row && merge(row)
    },
    filteredPage: createFilteredPages(tables, merge, monotonic),
    /** The number of keys of an account that are neither revoked nor expired at `nowMs` (Unix milliseconds). */
    countInUse: (accountId: number, nowMs: number): number => inUse.get({ accountId, nowMs })?.keys ?? 0,
    /** Whether an account has a key with `scope` that is neither revoked nor expired at `nowMs` (Unix milliseconds). */
    hasInUse: (accountId: number, scope: Scope, nowMs: number): boolean =>
      scopesInUse.all({ accountId, nowMs }).some(({ scopes }) => allows(parseScopes(scopes), scope)),
    /**
     * At most `limit` keys that expire after `nowMs` and until `until`, the soonest first, without those that were
     * rolled.
     */
    expiring: (nowMs: number, until: number, limit: number): StoredKey[] =>
      expiring.all({ nowMs, until, limit }).map(merge),
    /** Those of `expiring` whose expiry is not their `reportedExpiry`. */
    expiringUnreported: (nowMs: number, until: number, limit: number): StoredKey[] =>
      unreported.all({ nowMs, until, limit }).map(merge),
    /** At most `limit` keys that are banned at `nowMs`. */
    bannedAt: (nowMs: number, limit: number): StoredKey[] => bannedNow.all({ nowMs, limit }).map(merge),
    isEmpty: (): boolean => rows.list({}, { limit: 1 }).length === 0,
    add(row: NewKeyRow): number {
      declare('keys')
      return rows.insert(row).id
    },
    update(id: number, changes: KeyChanges): void {
      declare('keys')
      rows.update({ id }, changes)
    },
    /** The last ban of every key that has had one. */
    bans: (): StoredBan[] => banned.all() as StoredBan[],
    setBan({ keyId, startedAt, endsAt }: StoredBan): void {
      declare('bans')
      rows.update({ id: keyId }, { bannedAt: startedAt, bannedUntil: endsAt })
    },
    /** Moves the times of all bans, after the system's clock has been set. */
    shiftBans(byMs: number): void {
      declare('bans')
      const shifted = { bannedAt: sql`${keys.bannedAt} + ${byMs}`, bannedUntil: sql`${keys.bannedUntil} + ${byMs}` }
      tables.update(keys).set(shifted).where(isNotNull(keys.bannedUntil)).run()
    },
    liftBan(id: number): void {
      declare('bans')
      rows.update({ id }, { bannedAt: null, bannedUntil: null })
    },
    /** Notes a use of a key, which is in every key that is read from then on; `saveLastUse` stores it. */
    noteUse(id: number, usedAt: number): void {
      uses.set(id, usedAt)
    },
    /** The noted uses (Unix milliseconds) that are not stored yet. */
    unsavedUses: (): [keyId: number, usedAt: number][] => [...uses],
    /** To be called when `saved` is on disk; a later use of the same key remains unsaved. */
    markUsesSaved(saved: readonly (readonly [keyId: number, usedAt: number])[]): void {
      for (const [keyId, usedAt] of saved) if (uses.get(keyId) === usedAt) uses.delete(keyId)
    },
    /** Declares nothing: no cached state depends on when a key was used. */
    saveLastUse(id: number, lastUsedAt: number): void {
      rows.update({ id }, { lastUsedAt })
    },
  }
}
export type KeyStore = ReturnType<typeof createKeyStore>

interface Joined extends Pick<StoredKey, 'plan' | 'perMinute' | 'perDay'> {
  readonly key: KeyRow
}

/** The number of keys that are examined at a time, in about a millisecond. */
const windowSize = 2_048

/**
 * Returns a function that reads at most `limit` keys with ids greater than `after` that match the filter at `nowMs`
 * (Unix milliseconds), by id. If they are rare among many keys, a page can be short and has `searchedTo`.
 */
function createFilteredPages(tables: Tables, merge: (row: Joined) => StoredKey, monotonic: () => number) {
  const search = createSearch(tables, keys, windowSize, monotonic)
  const filtered = new Map<string, ReturnType<typeof prepareFiltered>>()

  function prepareFiltered({ accountId, state }: KeyFilter) {
    return selectKeys(tables)
      .where(
        and(
          gt(keys.id, sql.placeholder('low')),
          lt(keys.id, sql.placeholder('high')),
          accountId === undefined ? undefined : eq(keys.accountId, sql.placeholder('accountId')),
          state && stateConditions[state],
        ),
      )
      .orderBy(asc(keys.id))
      .limit(limitParameter('most'))
      .prepare()
  }

  return ({ accountId, state }: KeyFilter, nowMs: number, after: number, limit: number): Matches<StoredKey> => {
    const name = `${accountId !== undefined} ${state}`
    const statement = filtered.get(name) ?? prepareFiltered({ accountId, state })
    filtered.set(name, statement)
    const read = (window: IdWindow) => statement.all({ accountId, nowMs, ...window }).map(merge)
    return search(read, pageRange('asc', after), limit)
  }
}
