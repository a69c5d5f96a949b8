/**
 * Stores request counts once a second and at shutdown, so that they survive restarts. A crash loses at
 * most the last second of them.
 */

import type { LimitParts } from './parts.ts'

/** Stores what has been counted since the last successful call; resolves when it is on disk. */
export async function saveCounts(parts: LimitParts): Promise<void> {
  const { limiter, limits, keys, writer, clock, storedLimits: stored } = parts
  limiter.time.read()
  if (limiter.days.unsaved().length === 0 && limiter.time.offsetMs === stored.offsetMs) return
  stored.countsPendingMs ??= clock.monotonic()
  try {
    const saved = await writer.write(() => {
      limiter.time.read()
      const unsaved = limiter.unsaved()
      for (const { count, used } of unsaved.days) limits.saveDay(count.accountId, count.day, used)
      for (const second of unsaved.seconds) limits.saveSecond(second)
      const { offsetMs, wallMs } = limiter.time
      limits.saveClock({ offsetMs, savedAt: wallMs })
      if (offsetMs !== stored.offsetMs) keys.shiftBans(stored.offsetMs - offsetMs)
      stored.writeOffset(offsetMs)
      return unsaved
    })
    stored.confirm(limiter.bans)
    limiter.markSaved(saved)
    stored.countsPendingMs = undefined
  } catch (error) {
    stored.discard()
    throw error
  }
}
