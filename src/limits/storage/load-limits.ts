/** Loads at the start what an earlier run has stored: the windows that still count and the bans. */

import type { KeyStore } from '../../keys/store.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Limiter } from '../limiter.ts'
import type { LimitStore } from '../store.ts'
import { windowSeconds } from '../windows.ts'

export interface StoredLimits {
  readonly limiter: Limiter
  readonly limits: LimitStore
  readonly keys: KeyStore
  readonly clock: Pick<Clock, 'now'>
}

export function loadLimits({ limiter, limits, keys, clock }: StoredLimits): void {
  const second = Math.floor(clock.now() / 1000)
  for (const counted of limits.seconds()) {
    // If the clock was set back since, a stored second may be in the future: it then counts as the current one.
    const at = Math.min(counted.second, second)
    if (at > second - windowSeconds) limiter.restore(counted.accountId, at, counted.requests)
  }
  limiter.bans.load(keys.bans())
}
