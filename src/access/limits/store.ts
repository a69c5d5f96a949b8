/** Prepared statements over the counts of limits, which survive restarts. */

import { and, asc, between, eq, gte, lt, sql } from 'drizzle-orm'
import { lazily, type Tables } from '../../database/open.ts'
import { rowsOf } from '../../database/rows.ts'
import { limitClock, usage, usageDays, windowSeconds } from './table.ts'

export interface CountedSecond {
  readonly accountId: number
  /** Seconds of steady time. */
  readonly second: number
  readonly requests: number
}

export interface StoredClock {
  /** Steady minus wall time, milliseconds. */
  readonly offsetMs: number
  /** Wall time, Unix milliseconds. */
  readonly savedAt: number
}

export function createLimitStore(tables: Tables) {
  const days = rowsOf(tables, usage)
  const seconds = rowsOf(tables, windowSeconds)
  const clocks = rowsOf(tables, limitClock)
  const sinceDay = lazily(() =>
    tables
      .select({ day: usage.day, requests: usage.requests })
      .from(usage)
      .where(and(eq(usage.accountId, sql.placeholder('accountId')), gte(usage.day, sql.placeholder('day'))))
      .orderBy(asc(usage.day))
      .prepare(),
  )
  const allDays = lazily(() =>
    tables
      .select()
      .from(usageDays)
      .where(between(usageDays.day, sql.placeholder('first'), sql.placeholder('last')))
      .orderBy(asc(usageDays.day))
      .prepare(),
  )
  const addRejected = lazily(() =>
    tables
      .insert(usageDays)
      .values({ day: sql.placeholder('day'), rejected: sql.placeholder('rejected') })
      .onConflictDoUpdate({
        target: usageDays.day,
        set: { rejected: sql`${usageDays.rejected} + excluded.rejected` },
      })
      .prepare(),
  )

  return {
    /** Requests of an account on a day (whole UTC days since the epoch). */
    find: (accountId: number, day: number): number => days.find({ accountId, day })?.requests ?? 0,
    /** The days with requests from `day` on, in order. */
    since: (accountId: number, day: number) => sinceDay.all({ accountId, day }),
    /** The requests of all accounts on the days from `first` to `last`, in order, without days that are not stored. */
    allDays: (first: number, last: number) => allDays.all({ first, last }),
    /** Adds requests that the limits have rejected on a day. */
    addRejected(day: number, rejected: number): void {
      addRejected.run({ day, rejected })
    },
    saveDay(accountId: number, day: number, requests: number): void {
      days.put({ accountId, day, requests }, 'accountId', 'day')
    },
    seconds: (): CountedSecond[] => seconds.list({}, { orderBy: 'second' }),
    saveSecond(counted: CountedSecond): void {
      seconds.put(counted, 'accountId', 'second')
    },
    clock: (): StoredClock | undefined => clocks.find({}),
    saveClock(stored: StoredClock): void {
      clocks.put({ id: 1, ...stored }, 'id')
    },
    hasSecondsBefore: (second: number): boolean =>
      tables.select().from(windowSeconds).where(lt(windowSeconds.second, second)).limit(1).get() !== undefined,
    deleteSecondsBefore(second: number): void {
      tables.delete(windowSeconds).where(lt(windowSeconds.second, second)).run()
    },
  }
}
export type LimitStore = ReturnType<typeof createLimitStore>
