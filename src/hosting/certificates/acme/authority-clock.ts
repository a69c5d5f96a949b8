/** Compares this machine's clock with the `Date` of the certificate authority's replies. */

import type { Clock } from '../../../lib/clock.ts'

/** From this difference on the clock of this machine counts as wrong, in milliseconds. */
export const toleratedMs = 3_600_000

export interface AuthorityClock {
  /** Takes the `Date` of a reply that has just arrived, in Unix milliseconds. */
  observe(dateMs: number): void
  /** Unix milliseconds: this machine's time, or the authority's while this machine's is wrong. */
  now(): number
  /** By how much this machine's clock is ahead of the authority's, in milliseconds; undefined if it is not wrong. */
  wrongByMs(): number | undefined
  /** Whether the difference is larger than tolerated and was not measured lately: the clock may have been corrected. */
  needsMeasuring(): boolean
}

const measuredMs = 10 * 60_000

export function createAuthorityClock(clock: Pick<Clock, 'now' | 'monotonic'>): AuthorityClock {
  let measured: { readonly dateMs: number; readonly atMs: number } | undefined

  function wrongByMs(): number | undefined {
    if (!measured) return undefined
    const authorityMs = measured.dateMs + (clock.monotonic() - measured.atMs)
    const differenceMs = clock.now() - authorityMs
    return Math.abs(differenceMs) > toleratedMs ? differenceMs : undefined
  }

  return {
    observe(dateMs) {
      measured = { dateMs, atMs: clock.monotonic() }
    },
    now: () => clock.now() - (wrongByMs() ?? 0),
    wrongByMs,
    // A machine that was suspended has lost time as well.
    needsMeasuring: () =>
      measured !== undefined && clock.monotonic() - measured.atMs > measuredMs && wrongByMs() !== undefined,
  }
}
