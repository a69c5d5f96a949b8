/** Loads what an earlier run has stored: the time it counted in, the windows that are not empty, and the bans. */

import { windowSeconds } from '../windows.ts'
import type { LimitParts } from './parts.ts'

/** To be called before the first request. */
export function loadLimits(parts: LimitParts): void {
  const { limiter, limits, storedLimits: stored, clock } = parts
  const seconds = limits.seconds()
  const saved = limits.clock() ?? { offsetMs: 0, savedAt: (seconds.at(-1)?.second ?? 0) * 1000 }
  stored.offsetMs = saved.offsetMs
  // If the clock has been set back since, it is not known how much time has passed: none, then. Whole seconds,
  // rounded down, let the seconds of steady time begin with those of the wall clock again and repeat a part of one.
  const setBackMs = Math.max(0, saved.savedAt - clock.now())
  limiter.time.startAt(Math.floor((saved.offsetMs + setBackMs) / 1000) * 1000)
  for (const { accountId, second, requests } of seconds) {
    if (second > limiter.time.second - windowSeconds) limiter.restore(accountId, second, requests)
  }
  loadBans(parts)
}

/** Reads all bans anew; to be called when they have changed in the database. */
export function loadBans({
  limiter,
  keys,
  storedLimits: stored,
}: Pick<LimitParts, 'limiter' | 'keys' | 'storedLimits'>): void {
  stored.confirm(limiter.bans)
  limiter.time.read()
  limiter.bans.load(keys.bans().map((ban) => stored.toBan(ban, limiter.time.nowMs)))
}
