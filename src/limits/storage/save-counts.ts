/**
 * Stores request counts once a second and at shutdown, so that they survive restarts. A crash loses at
 * most the last second of them.
 */

import type { Writer } from '../../database/writer.ts'
import type { Limiter } from '../limiter.ts'
import type { LimitStore } from '../store.ts'

export interface CountedLimits {
  readonly limiter: Limiter
  readonly limits: LimitStore
  readonly writer: Writer
}

/** Stores what has been counted since the last call; resolves when it is on disk. */
export async function saveCounts({ limiter, limits, writer }: CountedLimits): Promise<void> {
  const counts = limiter.days.takeUnsaved()
  if (counts.length === 0) return
  try {
    await writer.write(() => {
      for (const { accountId, day, used } of counts) {
        limits.saveDay(accountId, day, used)
        limiter.forEachUnsavedSecond(accountId, (second, requests) =>
          limits.saveSecond({ accountId, second, requests }),
        )
      }
    })
  } catch (error) {
    limiter.days.restore(counts)
    throw error
  }
}
