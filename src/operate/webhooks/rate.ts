/** Limits how many events are attempted for the first time in a minute, for each account. In memory: a restart begins anew. */

import type { Clock } from '../../lib/clock.ts'

const firstAttemptsAMinute = 600
const minuteMs = 60_000

export interface Rate {
  /** Counts an attempt. Returns 0, or the milliseconds to wait if it may not be made now. */
  take(accountId: number): number
}

export function createRate({ monotonic }: Pick<Clock, 'monotonic'>): Rate {
  const minutes = new Map<number, { readonly endsMs: number; count: number }>()
  return {
    take(accountId) {
      const nowMs = monotonic()
      let minute = minutes.get(accountId)
      if (minute === undefined || minute.endsMs <= nowMs) {
        minute = { endsMs: nowMs + minuteMs, count: 0 }
        minutes.set(accountId, minute)
      }
      if (minute.count >= firstAttemptsAMinute) return minute.endsMs - nowMs
      minute.count++
      return 0
    },
  }
}
