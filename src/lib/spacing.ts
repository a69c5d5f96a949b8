/** Runs work soon after each request for it, but not too often: one run serves all requests since the last one. */

import type { Cancel, Clock } from './clock.ts'

/** `run` must not throw. */
export function createSpacing(clock: Pick<Clock, 'monotonic' | 'after'>, run: () => void) {
  let lastMs = Number.NEGATIVE_INFINITY
  let cancel: Cancel | undefined

  function runNow(): void {
    cancel = undefined
    lastMs = clock.monotonic()
    run()
  }

  return {
    /** Calls `run` at once, or as soon as `stepMs` have passed since its last call. */
    runSoon(stepMs: number): void {
      if (cancel) return
      const waitMs = lastMs + stepMs - clock.monotonic()
      if (waitMs <= 0) runNow()
      else cancel = clock.after(waitMs, runNow)
    },
    /** Cancels the call that waits. */
    stop: () => cancel?.(),
  }
}
