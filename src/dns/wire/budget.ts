/** Limits the cost of one check, in queries and time. */

import type { Cancel, Clock } from '../../lib/clock.ts'

export interface Limits {
  /** The time limit of the whole check. */
  readonly totalMs: number
  /** The maximum number of queries, including retries and TCP. */
  readonly queries: number
  /** The maximum number of name server addresses that are queried for one zone. */
  readonly nameservers: number
  /** The timeouts of a reply over UDP, for the first and the second attempt. */
  readonly udpTimeoutsMs: readonly number[]
  /** The timeout of a query over TCP, including the connection. */
  readonly tcpTimeoutMs: number
}

export const defaultLimits: Limits = {
  totalMs: 15_000,
  queries: 100,
  nameservers: 8,
  udpTimeoutsMs: [1_000, 1_500],
  tcpTimeoutMs: 2_000,
}

export interface Budget {
  /** Aborted when the time is over or the check is cancelled. */
  readonly signal: AbortSignal
  /** Takes one query; false if none is left or the time is over. */
  take(): boolean
  readonly spent: number
  /** Whether a query was not sent because the limits were reached. */
  readonly isExhausted: boolean
  /** Releases the timer. */
  close(): void
}

export function createBudget(limits: Limits, clock: Clock, outer: AbortSignal | undefined): Budget {
  const controller = new AbortController()
  const abort = () => controller.abort()
  const cancel: Cancel = clock.after(limits.totalMs, abort)
  if (outer?.aborted) abort()
  outer?.addEventListener('abort', abort)
  let spent = 0
  let isExhausted = false

  return {
    signal: controller.signal,
    take() {
      if (spent >= limits.queries || controller.signal.aborted) {
        isExhausted = true
        return false
      }
      spent += 1
      return true
    },
    get spent() {
      return spent
    },
    get isExhausted() {
      return isExhausted || controller.signal.aborted
    },
    close() {
      cancel()
      outer?.removeEventListener('abort', abort)
    },
  }
}
