/**
 * Stores request counts once a second and at shutdown, so that they survive restarts. A crash loses at
 * most the last second of them.
 */

import { AppError } from '../../../lib/error.ts'
import type { LimitParts } from './parts.ts'

/** The most accounts that one transaction stores; a larger one would block requests for too long. */
const accountsPerTransaction = 1_000

/**
 * Stores the counts that are unsaved when it is called; resolves when they are on disk. The clock is stored with them, and
 * once in each run without any: the next run would otherwise compare its clock with the time of an earlier run, and could
 * overlook that the clock was set back.
 */
export async function saveCounts(parts: LimitParts): Promise<void> {
  const { limiter, clock, storedLimits: stored } = parts
  limiter.time.read()
  let rest = limiter.days.unsavedSize
  if (rest === 0 && limiter.time.offsetMs === stored.offsetMs && stored.countsPendingMs === undefined) {
    if (!stored.isClockStored) await saveClock(parts)
    return
  }
  stored.countsPendingMs ??= clock.monotonic()
  try {
    do {
      await saveSome(parts)
      rest -= accountsPerTransaction
    } while (rest > 0)
  } catch (error) {
    stored.discard()
    throw error
  }
  stored.countsPendingMs = undefined
}

/** Stores the clock alone. A failure loses no count, and the next call of `saveCounts` tries again. */
async function saveClock(parts: LimitParts): Promise<void> {
  try {
    await saveSome(parts)
  } catch (error) {
    parts.storedLimits.discard()
    if (!(error instanceof AppError) || error.code !== 'storage_unavailable') throw error
  }
}

async function saveSome({ limiter, limits, keys, writer, storedLimits: stored }: LimitParts): Promise<void> {
  const saved = await writer.write(() => {
    limiter.time.read()
    const unsaved = limiter.unsaved(accountsPerTransaction)
    for (const { count, used } of unsaved.days) limits.saveDay(count.accountId, count.day, used)
    for (const second of unsaved.seconds) limits.saveSecond(second)
    const { offsetMs, wallMs } = limiter.time
    limits.saveClock({ offsetMs, savedAt: wallMs })
    if (offsetMs !== stored.offsetMs) keys.shiftBans(stored.offsetMs - offsetMs)
    stored.writeOffset(offsetMs)
    return unsaved
  })
  stored.confirm(limiter.bans)
  stored.isClockStored = true
  limiter.markSaved(saved)
}
