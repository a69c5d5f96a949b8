/** Prepared statements over the counts of limits, which survive restarts. */

import { lt, sql } from 'drizzle-orm'
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
  const ofAll = rowsOf(tables, usageDays)
  const seconds = rowsOf(tables, windowSeconds)
  const clocks = rowsOf(tables, limitClock)
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
    since: (accountId: number, day: number) => days.list({ accountId }, { orderBy: 'day', above: day - 1 }),
    /** The requests of all accounts on the days from `first` to `last`, in order, without days that are not stored. */
    allDays: (first: number, last: number) => ofAll.list({}, { orderBy: 'day', above: first - 1, below: last + 1 }),
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
