/**
 * The clocks of an ephemeral store: one that stands still until a test moves it, and one that runs and can be moved
 * forward too.
 */

import { type Clock, createManualClock, systemClock } from './clock.ts'

export const clockModes = ['manual', 'running'] as const
export type ClockMode = (typeof clockModes)[number]

export interface MovableClock extends Clock {
  /** Moves time forward in one step, as for a machine that was suspended: due tasks run once, at the new time. */
  skip(ms: number): void
}

/** `startMs` is in Unix milliseconds. */
export function createMovableClock(mode: ClockMode, startMs: number): MovableClock {
  return mode === 'manual' ? createManualClock(startMs) : createRunningClock(startMs)
}

/** Its timers keep no process alive. */
function createRunningClock(startMs: number): MovableClock {
  const originMs = systemClock.monotonic()
  let skippedMs = 0
  const timers = new Set<{ dueMs: number; task: () => void; handle: NodeJS.Timeout | undefined }>()
  const monotonic = () => systemClock.monotonic() - originMs + skippedMs

  function arm(timer: Parameters<typeof timers.add>[0]): void {
    clearTimeout(timer.handle)
    const end = () => {
      timers.delete(timer)
      timer.task()
    }
    timer.handle = setTimeout(end, Math.max(0, timer.dueMs - monotonic())).unref()
  }

  return {
    now: () => Math.floor(startMs + monotonic()),
    monotonic,
    after(delayMs, task) {
      const timer = { dueMs: monotonic() + delayMs, task, handle: undefined }
      timers.add(timer)
      arm(timer)
      return () => {
        clearTimeout(timer.handle)
        timers.delete(timer)
      }
    },
    skip(ms) {
      skippedMs += ms
      for (const timer of timers) arm(timer)
    },
  }
}
