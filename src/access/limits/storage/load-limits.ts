/** Loads the state that an earlier run stored: its steady time, the windows that are not empty, and the bans. */

import type { CountedSecond } from '../store.ts'
import { windowSeconds } from '../windows.ts'
import type { LimitParts } from './parts.ts'
import type { ReserveContent } from './reserve-format.ts'

/** Loads everything; to be called before the first request. */
export function loadLimits(parts: LimitParts): void {
  const { limiter, limits, storedLimits: stored, clock, reserve } = parts
  const kept = reserve?.content
  const saved = limits.seconds()
  const savedClock = limits.clock() ?? { offsetMs: 0, savedAt: (saved.at(-1)?.second ?? 0) * 1000 }
  const { offsetMs, savedAt } = kept?.clock ?? savedClock
  // If the clock has been set back since, the time that has passed is unknown and assumed to be none. The offset is rounded
  // down to whole seconds, so that the seconds of steady time begin with those of the wall clock; a part of one repeats.
  const setBackMs = Math.max(0, savedAt - clock.now())
  limiter.time.startAt(Math.floor((offsetMs + setBackMs) / 1000) * 1000)
  stored.offsetMs = savedClock.offsetMs
  // Before an account takes the count of its current day.
  if (kept) loadDays(parts, kept)
  for (const { accountId, second, requests } of kept ? merged(saved, kept.seconds) : saved) {
    if (second <= limiter.time.second - windowSeconds || !limits.hasAccount(accountId)) continue
    limiter.restore(accountId, second, requests)
  }
  loadBans(parts)
  if (kept) addBans(parts, kept)
}

/** Reads all bans anew; to be called when they have changed in the database. */
export function loadBans({ limiter, keys, storedLimits: stored }: LimitParts): void {
  stored.confirm(limiter.bans)
  limiter.time.read()
  limiter.bans.load(keys.bans().map((ban) => stored.toBan(ban, limiter.time.nowMs)))
}

/** Marks the days in the reserve as unsaved, and so keeps them there until the database has stored them. */
function loadDays({ limiter, limits, clock, storedLimits: stored }: LimitParts, { days }: ReserveContent): void {
  stored.countsPendingMs = clock.monotonic()
  for (const { accountId, day, used } of days.toSorted((a, b) => a.day - b.day)) {
    if (limits.hasAccount(accountId)) limiter.days.raise(accountId, day, used)
  }
}

/** Marks the bans in the reserve as unsaved likewise. */
function addBans({ limiter, keys, clock, storedLimits: stored }: LimitParts, { bans }: ReserveContent): void {
  stored.bansPendingMs = clock.monotonic()
  for (const ban of bans) {
    const key = keys.find(ban.keyId)
    if (key && key.bannedAt !== stored.toStored(ban).startedAt) limiter.bans.add(ban)
  }
}

/** Merges both lists by second ascending. Of two numbers for the same account and second the larger one is used. */
function merged(saved: readonly CountedSecond[], kept: readonly CountedSecond[]): CountedSecond[] {
  const seconds = new Map<string, CountedSecond>()
  for (const counted of [...saved, ...kept]) {
    const name = `${counted.accountId} ${counted.second}`
    const known = seconds.get(name)
    if (!known || known.requests < counted.requests) seconds.set(name, counted)
  }
  return [...seconds.values()].sort((a, b) => a.second - b.second)
}
