/** Spreads checks over time, so that those that begin or end together do not hold up requests together. */

import type { Clock } from '../../../lib/clock.ts'

/**
 * The time between the beginnings of two checks, and between two results, in milliseconds: 50 checks take 20 seconds, and a
 * request waits for at most 25.
 */
export const pauseMs = 400
/** The time after which a check has its turn before those that somebody waits for, in milliseconds. */
export const lateMs = 10_000

interface Waiting {
  readonly sinceMs: number
  readonly isAwaited: () => boolean
  readonly begin: () => void
}

export type SpacedTurns = ReturnType<typeof createSpacedTurns>

/** Both turns of the checks of a server. */
export interface CheckTurns {
  /** A check queries servers. */
  readonly queries: SpacedTurns
  /** A result is stored. */
  readonly results: SpacedTurns
}

export function createCheckTurns(clock: Pick<Clock, 'monotonic' | 'after'>): CheckTurns {
  return { queries: createSpacedTurns(clock), results: createSpacedTurns(clock) }
}

export function createSpacedTurns(clock: Pick<Clock, 'monotonic' | 'after'>) {
  const waiting: Waiting[] = []
  let nextMs = Number.NEGATIVE_INFINITY
  /** Cancels the timer of the next turn, if there is one. */
  let cancel: (() => void) | undefined

  function arm(): void {
    if (cancel || waiting.length === 0) return
    cancel = clock.after(nextMs - clock.monotonic(), beginNext)
  }

  /** A timer would keep a process that ends. */
  function disarm(): void {
    cancel?.()
    cancel = undefined
  }

  function beginNext(): void {
    cancel = undefined
    const nowMs = clock.monotonic()
    const [oldest] = waiting
    if (!oldest) return
    const isLate = nowMs - oldest.sinceMs >= lateMs
    const next = isLate ? oldest : (waiting.find(({ isAwaited }) => isAwaited()) ?? oldest)
    remove(next)
    nextMs = nowMs + pauseMs
    next.begin()
    arm()
  }

  function remove(one: Waiting): void {
    const i = waiting.indexOf(one)
    if (i !== -1) waiting.splice(i, 1)
  }

  return {
    /**
     * Resolves when a check has its turn, one after each pause: those first of which `isAwaited` tells that somebody waits for
     * them, unless another has waited for `lateMs`; else in the order of the calls. Resolves at once when `signal` is aborted.
     */
    async next(isAwaited: () => boolean, signal: AbortSignal): Promise<void> {
      const nowMs = clock.monotonic()
      if (waiting.length === 0 && nowMs >= nextMs) {
        nextMs = nowMs + pauseMs
        return
      }
      const { promise, resolve } = Promise.withResolvers<void>()
      const one = { sinceMs: nowMs, isAwaited, begin: () => resolve() }
      const abort = () => {
        remove(one)
        if (waiting.length === 0) disarm()
        resolve()
      }
      waiting.push(one)
      arm()
      signal.addEventListener('abort', abort)
      if (signal.aborted) abort()
      await promise
      signal.removeEventListener('abort', abort)
    },
  }
}
