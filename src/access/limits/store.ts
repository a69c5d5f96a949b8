/** Prepared statements over the counts of limits, which survive restarts. */

import { and, asc, between, eq, gte, lt, sql } from 'drizzle-orm'
import { lazily, type Tables } from '../../database/open.ts'
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
  const ofDay = lazily(() =>
    tables
      .select({ requests: usage.requests })
      .from(usage)
      .where(and(eq(usage.accountId, sql.placeholder('accountId')), eq(usage.day, sql.placeholder('day'))))
      .prepare(),
  )
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
  const saveDay = lazily(() =>
    tables
      .insert(usage)
      .values({
        accountId: sql.placeholder('accountId'),
        day: sql.placeholder('day'),
        requests: sql.placeholder('requests'),
      })
      .onConflictDoUpdate({ target: [usage.accountId, usage.day], set: { requests: sql`excluded.requests` } })
      .prepare(),
  )
  const saveSecond = lazily(() =>
    tables
      .insert(windowSeconds)
      .values({
        accountId: sql.placeholder('accountId'),
        second: sql.placeholder('second'),
        requests: sql.placeholder('requests'),
      })
      .onConflictDoUpdate({
        target: [windowSeconds.accountId, windowSeconds.second],
        set: { requests: sql`excluded.requests` },
      })
      .prepare(),
  )
  const clock = lazily(() =>
    tables.select({ offsetMs: limitClock.offsetMs, savedAt: limitClock.savedAt }).from(limitClock).prepare(),
  )
  const saveClock = lazily(() =>
    tables
      .insert(limitClock)
      .values({ id: 1, offsetMs: sql.placeholder('offsetMs'), savedAt: sql.placeholder('savedAt') })
      .onConflictDoUpdate({
        target: limitClock.id,
        set: { offsetMs: sql`excluded.offset_ms`, savedAt: sql`excluded.saved_at` },
      })
      .prepare(),
  )

  return {
    /** Requests of an account on a day (whole UTC days since the epoch). */
    find: (accountId: number, day: number): number => ofDay.get({ accountId, day })?.requests ?? 0,
    /** The days with requests from `day` on, in order. */
    since: (accountId: number, day: number) => sinceDay.all({ accountId, day }),
    /** The requests of all accounts on the days from `first` to `last`, as far as they are stored, in order. */
    allDays: (first: number, last: number) => allDays.all({ first, last }),
    /** Adds requests that the limits have rejected on a day. */
    addRejected(day: number, rejected: number): void {
      addRejected.run({ day, rejected })
    },
    saveDay(accountId: number, day: number, requests: number): void {
      saveDay.run({ accountId, day, requests })
    },
    seconds: (): CountedSecond[] => tables.select().from(windowSeconds).orderBy(asc(windowSeconds.second)).all(),
    saveSecond(counted: CountedSecond): void {
      saveSecond.run({ ...counted })
    },
    clock: (): StoredClock | undefined => clock.get(),
    saveClock(stored: StoredClock): void {
      saveClock.run({ ...stored })
    },
    hasSecondsBefore: (second: number): boolean =>
      tables.select().from(windowSeconds).where(lt(windowSeconds.second, second)).limit(1).get() !== undefined,
    deleteSecondsBefore(second: number): void {
      tables.delete(windowSeconds).where(lt(windowSeconds.second, second)).run()
    },
  }
}
export type LimitStore = ReturnType<typeof createLimitStore>
