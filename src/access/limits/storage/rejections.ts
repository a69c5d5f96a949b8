/**
 * The requests that limits have rejected, by UTC day. The limiter only counts them; they are taken over from it once a second,
 * and when a count is read. A crash loses at most the last second.
 */

import type { Writer } from '../../../database/writer.ts'
import type { Job } from '../../../lib/scheduler.ts'
import type { Limiter } from '../limiter.ts'
import type { LimitStore } from '../store.ts'

export interface RejectionParts {
  readonly limiter: Pick<Limiter, 'rejectedOn'>
  readonly limits: Pick<LimitStore, 'allDays' | 'saveRejected'>
  readonly writer: Writer
}

export function createRejectionDays({ limiter, limits, writer }: RejectionParts) {
  /** The rejected requests of the days that are not stored completely. */
  const days = new Map<number, number>()

  function stored(day: number): number {
    return limits.allDays(day, day)[0]?.rejected ?? 0
  }

  function takeOver(): void {
    for (const [day, rejected] of limiter.rejectedOn) {
      days.set(day, (days.get(day) ?? stored(day)) + rejected)
      limiter.rejectedOn.delete(day)
    }
  }

  return {
    /** The rejected requests of a day (whole UTC days since the epoch) of which not all are stored; else undefined. */
    unsavedOn(day: number): number | undefined {
      takeOver()
      return days.get(day)
    },
    /** Stores the counts; resolves when they are on disk. */
    async save(): Promise<void> {
      takeOver()
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
