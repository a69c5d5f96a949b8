/** Limits how many events are attempted for the first time in a minute, for each account. In memory: a restart begins anew. */

import type { Clock } from '../../lib/clock.ts'

const firstAttemptsAMinute = 600
const minuteMs = 60_000

export function createRate({ monotonic }: Pick<Clock, 'monotonic'>) {
  const minutes = new Map<number, { readonly endsMs: number; count: number }>()

  function minuteOf(accountId: number) {
    const nowMs = monotonic()
    const known = minutes.get(accountId)
    if (known && known.endsMs > nowMs) return known
    const begun = { endsMs: nowMs + minuteMs, count: 0 }
    minutes.set(accountId, begun)
    return begun
  }

  return {
    /** Milliseconds until an attempt may be made; 0 if it may be made now. */
    waitMs(accountId: number): number {
      const { count, endsMs } = minuteOf(accountId)
      return count < firstAttemptsAMinute ? 0 : endsMs - monotonic()
    },
    /** Counts an attempt. */
    count(accountId: number): void {
      minuteOf(accountId).count++
    },
  }
}
