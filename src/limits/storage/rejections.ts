/**
 * The requests that limits have rejected, by UTC day. The limiter only counts them; once a second, and when a count is read,
 * those since the last time are assigned to the current day. A crash loses at most the last second.
 */

import type { Writer } from '../../database/writer.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Job } from '../../lib/scheduler.ts'
import { dayOf } from '../days.ts'
import type { Limiter } from '../limiter.ts'
import type { LimitStore } from '../store.ts'

export interface RejectionParts {
  readonly limiter: Pick<Limiter, 'rejections'>
  readonly limits: Pick<LimitStore, 'allDays' | 'saveRejected'>
  readonly writer: Writer
  readonly clock: Pick<Clock, 'now'>
}

export function createRejectionDays({ limiter, limits, writer, clock }: RejectionParts) {
  /** The rejected requests of the days that are not stored completely. */
  const days = new Map<number, number>()
  let assigned = 0

  function stored(day: number): number {
    return limits.allDays(day, day)[0]?.rejected ?? 0
  }

  function assign(): void {
    const { key_banned, daily_quota_exceeded, rate_limit_exceeded } = limiter.rejections
    const total = key_banned + daily_quota_exceeded + rate_limit_exceeded
    if (total === assigned) return
    const day = dayOf(clock.now())
    days.set(day, (days.get(day) ?? stored(day)) + total - assigned)
    assigned = total
  }

  return {
    /** The rejected requests of a day (whole UTC days since the epoch) of which not all are stored; else undefined. */
    unsavedOn(day: number): number | undefined {
      assign()
      return days.get(day)
    },
    /** Stores the counts; resolves when they are on disk. */
    async save(): Promise<void> {
      assign()
      if (days.size === 0) return
      const unsaved = [...days]
      await writer.write(() => {
        for (const [day, rejected] of unsaved) limits.saveRejected(day, rejected)
      })
      for (const [day, rejected] of unsaved) if (days.get(day) === rejected) days.delete(day)
    },
  }
}
export type RejectionDays = ReturnType<typeof createRejectionDays>

export function rejectionJob(rejections: RejectionDays): Job {
  return { name: 'store counts of rejected requests', everyMs: 1_000, run: () => rejections.save() }
}
