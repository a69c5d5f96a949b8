/** Limits the cost of one check, in queries and time, and spreads the queries of many checks over the event loop. */

import type { Cancel, Clock } from '../../lib/clock.ts'

export interface Limits {
  /** For the whole check. */
  readonly totalMs: number
  /** Queries sent, retries and TCP included. */
  readonly queries: number
  /** Addresses of name servers asked for one zone. */
  readonly nameservers: number
  /** How long to wait for a reply over UDP: first attempt, then the second. */
  readonly udpTimeoutsMs: readonly number[]
  /** Connecting and reading included. */
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
  /** Aborted when the time is over or the check is no longer wanted. */
  readonly signal: AbortSignal
  /** Takes one query; false if none is left or the time is over. */
  take(): boolean
  readonly spent: number
  /** Whether something could not be asked because the budget was used up. */
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

export interface Pacer {
  /** Resolves when the caller may send its query: one caller in a turn of the event loop, in their order. */
  turn(): Promise<void>
}

/** To be shared by all checks of a server, so that requests are served between their queries. */
export function createPacer(): Pacer {
  const waiting: (() => void)[] = []
  let isRunning = false

  function next(): void {
    const resolve = waiting.shift()
    if (!resolve) {
      isRunning = false
      return
    }
    resolve()
    setImmediate(next)
  }

  return {
    turn() {
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.push(resolve)
      if (!isRunning) {
        isRunning = true
        setImmediate(next)
      }
      return promise
    },
  }
}
