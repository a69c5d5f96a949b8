/** Spreads the work with the results of checks over time, so that those of many checks do not hold up requests together. */

import type { Clock } from '../../lib/clock.ts'

interface Waiting {
  readonly isAwaited: () => boolean
  readonly begin: () => void
}

/**
 * Returns a function that resolves when a result may be used, one every `pauseMs`: those first of which `isAwaited` tells that
 * somebody waits for them, else in the order of the calls. It resolves at once when `signal` is aborted.
 */
export function createTurns(clock: Pick<Clock, 'monotonic' | 'after'>, pauseMs: number) {
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
    const next = waiting.find(({ isAwaited }) => isAwaited()) ?? waiting[0]
    if (!next) return
    remove(next)
    nextMs = clock.monotonic() + pauseMs
    next.begin()
    arm()
  }

  function remove(one: Waiting): void {
    const i = waiting.indexOf(one)
    if (i !== -1) waiting.splice(i, 1)
  }

  return async (isAwaited: () => boolean, signal: AbortSignal | undefined): Promise<void> => {
    const nowMs = clock.monotonic()
    if (waiting.length === 0 && nowMs >= nextMs) {
      nextMs = nowMs + pauseMs
      return
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    const one = { isAwaited, begin: () => resolve() }
    const abort = () => {
      remove(one)
      if (waiting.length === 0) disarm()
      resolve()
    }
    waiting.push(one)
    arm()
    signal?.addEventListener('abort', abort)
    if (signal?.aborted) abort()
    await promise
    signal?.removeEventListener('abort', abort)
  }
}
