/**
 * The audit log: entries are added and read. Only old entries about animals are removed, because there are too many.
 */

import { and, desc, eq, gt, gte, lt, type SQL, sql } from 'drizzle-orm'
import type { Actor, Principal } from '../../api/principal.ts'
import { type Declare, declareNothing } from '../../database/announcements.ts'
import { insertedId, lazily, type Tables } from '../../database/open.ts'
import { createSearch } from '../../database/search.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import { type Matches, pageRange } from '../../lib/steps/collect.ts'
import { audit } from './table.ts'

export type AuditRow = typeof audit.$inferSelect

/** The actor and the time of an action. */
export interface AuditContext {
  readonly actor: Actor
  /** Unix milliseconds. */
  readonly nowMs: number
}

/** The audit context of a request at the current time. */
export function auditContextOf({ actor }: Pick<Principal, 'actor'>, clock: Pick<Clock, 'now'>): AuditContext {
  return { actor, nowMs: clock.now() }
}

export interface AuditEntry {
  /** The kind of action, such as `key.created`. */
  readonly action: string
  readonly accountId: number
  readonly keyId?: number
  /** The values that the action set. */
  readonly details?: Readonly<Record<string, unknown>>
}

/** The members that are undefined do not filter. */
export interface AuditFilter {
  readonly actor?: string | undefined
  /** The part of an actor before the colon: `key` for all API keys. */
  readonly actorKind?: string | undefined
  readonly action?: string | undefined
  /** The part of an action before the dot, in the singular: `session` for `session.ended` and `sessions.ended`. */
  readonly actionGroup?: string | undefined
  readonly accountId?: number | undefined
  readonly keyId?: number | undefined
  /** Unix milliseconds, inclusive. */
  readonly from?: number | undefined
  /** Unix milliseconds, exclusive. */
  readonly to?: number | undefined
}

/** The number of entries that are examined at a time, in about a millisecond. */
const windowSize = 4_096

/** The number of entries about animals that are kept, the newest ones: those of several years in a shop. */
const keptOfAnimals = 20_000

/** After so many entries of any kind, old ones about animals are removed. */
const entriesBetweenRemovals = 500

/** `monotonic` is the clock in milliseconds by which a search is limited. */
export function createAuditStore(
  tables: Tables,
  declare: Declare = declareNothing,
  { monotonic }: Pick<Clock, 'monotonic'> = systemClock,
  kept = keptOfAnimals,
) {
  // The index of actions has all that the inner query reads.
  const removeOld = lazily(() =>
    tables
      .delete(audit)
      .where(
        sql`id IN (SELECT id FROM audit WHERE action >= 'pet.' AND action < 'pet/' ORDER BY id DESC LIMIT -1 OFFSET ${kept})`,
      )
      .prepare(),
  )
  const search = createSearch(tables, audit, windowSize, monotonic)
  const pages = new Map<string, ReturnType<typeof preparePage>>()

  /** One statement for each combination of filters. */
  function preparePage(filter: AuditFilter) {
    const value = sql.placeholder
    const group = value('actionGroup')
    const conditions: Readonly<Record<keyof AuditFilter, SQL | undefined>> = {
      actor: sql`${audit.actor} = ${value('actor')}`,
      actorKind: sql`instr(${audit.actor}, ${value('actorKind')} || ':') = 1`,
      action: eq(audit.action, value('action')),
      actionGroup: sql`substr(${audit.action}, 1, instr(${audit.action}, '.') - 1) IN (${group}, ${group} || 's')`,
      accountId: eq(audit.accountId, value('accountId')),
      keyId: eq(audit.keyId, value('keyId')),
      from: gte(audit.at, value('from')),
      to: lt(audit.at, value('to')),
    }
    const given = namesIn(filter).map((name) => conditions[name])
    return tables
      .select()
      .from(audit)
      .where(and(gt(audit.id, value('low')), lt(audit.id, value('high')), ...given))
      .orderBy(desc(audit.id))
      .limit(value('most'))
      .prepare()
  }

  return {
    /** Adds an entry; to be called in the transaction of the action. */
    add({ actor, nowMs }: AuditContext, { action, accountId, keyId, details = {} }: AuditEntry): void {
      declare('audit')
      const added = tables
        .insert(audit)
        .values({ at: nowMs, actor, action, accountId, keyId: keyId ?? null, details: { ...details } })
        .run()
      if (insertedId(added) % entriesBetweenRemovals === 0) removeOld.run()
    },
    /**
     * At most `limit` entries with ids below `before` that match the filter, the newest first. If they are rare among
     * many entries, a page can be short and has `searchedTo`.
     */
    page(filter: AuditFilter, before: number | undefined, limit: number): Matches<AuditRow> {
      const combination = namesIn(filter).join(' ')
      const statement = pages.get(combination) ?? preparePage(filter)
      pages.set(combination, statement)
      return search((window) => statement.all({ ...filter, ...window }), pageRange('desc', before), limit)
    },
  }
}
/** The names of the members that filter, in a fixed order. */
function namesIn(filter: AuditFilter): readonly (keyof AuditFilter)[] {
  return filterNames.filter((name) => filter[name] !== undefined)
}

const filterNames = ['actor', 'actorKind', 'action', 'actionGroup', 'accountId', 'keyId', 'from', 'to'] as const

export type AuditStore = ReturnType<typeof createAuditStore>
