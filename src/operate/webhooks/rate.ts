/** Limits how many events are attempted for the first time in a minute, for each account. In memory: a restart begins anew. */

import type { Clock } from '../../lib/clock.ts'

const firstAttemptsAMinute = 600
const minuteMs = 60_000

export interface Rate {
  /** Milliseconds until an attempt may be made; 0 if it may be made now. */
  waitMs(accountId: number): number
  /** Counts an attempt, unless there is a time to wait; returns that time. */
  take(accountId: number): number
}

export function createRate({ monotonic }: Pick<Clock, 'monotonic'>): Rate {
  const minutes = new Map<number, { readonly endsMs: number; count: number }>()

  function waitMs(accountId: number): number {
    const minute = minutes.get(accountId)
    return minute === undefined || minute.count < firstAttemptsAMinute ? 0 : Math.max(0, minute.endsMs - monotonic())
  }

  return {
    waitMs,
    take(accountId) {
      const wait = waitMs(accountId)
      if (wait > 0) return wait
      const nowMs = monotonic()
      const minute = minutes.get(accountId)
      if (minute && minute.endsMs > nowMs) minute.count++
      else minutes.set(accountId, { endsMs: nowMs + minuteMs, count: 1 })
      return 0
    },
  }
}
