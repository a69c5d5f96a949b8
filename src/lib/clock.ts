/**
 * Time as a dependency: all code that reads the time or waits uses a `Clock`, so that tests move time instead of
 * waiting for it.
 */

export type Cancel = () => void

export interface Clock {
  /** Wall time in milliseconds since the Unix epoch; it jumps when somebody sets the system's clock. */
  now(): number
  /** Milliseconds from an arbitrary origin. They never decrease and do not depend on the system's clock. */
  monotonic(): number
  /** Runs `task` once, `delayMs` from now, unless cancelled. */
  after(delayMs: number, task: () => void): Cancel
}

export const systemClock: Clock = {
  now: Date.now,
  monotonic: () => performance.now(),
  after(delayMs, task) {
    const timer = setTimeout(task, delayMs)
    return () => clearTimeout(timer)
  },
}

/** Nothing is deleted by age until the wall clock has run evenly for this time, in milliseconds. */
const settlingMs = 600_000

/** The wall clock has jumped if it gains or loses this much, in milliseconds, between two readings. */
const jumpMs = 60_000

/**
 * Returns a function that returns the wall time, Unix milliseconds, before which stored things are older than `keptMs`.
 * For ten minutes after the start and after each jump of the wall clock it is 0, and nothing is too old: a machine
 * without a battery boots with a wrong time, and must not delete anything until it knows the right one.
 */
export function createCutoff(clock: Pick<Clock, 'now' | 'monotonic'>): (keptMs: number) => number {
  let settledMs = clock.monotonic() + settlingMs
  let differenceMs = clock.now() - clock.monotonic()
  return (keptMs) => {
    const [nowMs, elapsedMs] = [clock.now(), clock.monotonic()]
    if (Math.abs(nowMs - elapsedMs - differenceMs) > jumpMs) settledMs = elapsedMs + settlingMs
    differenceMs = nowMs - elapsedMs
    return elapsedMs < settledMs ? 0 : nowMs - keptMs
  }
}

export interface ManualClock extends Clock {
  /** Moves time forward and runs the due tasks in order, each at its time. */
  advance(ms: number): void
  /** Moves time forward in one step, as for a machine that was suspended: due tasks run once, at the new time. */
  skip(ms: number): void
  /** Sets the wall clock, forward or back, as an administrator would: no time passes. */
  setWall(ms: number): void
}

/** A clock that starts at `startMs` (Unix milliseconds) and changes only when the test moves it. */
export function createManualClock(startMs: number): ManualClock {
  let wallMs = startMs
  let elapsedMs = 0
  let timers: { dueMs: number; task: () => void }[] = []

  return {
    now: () => wallMs,
    monotonic: () => elapsedMs,
    after(delayMs, task) {
      const timer = { dueMs: elapsedMs + delayMs, task }
      timers.push(timer)
      return () => {
        timers = timers.filter((other) => other !== timer)
      }
    },
    advance(ms) {
      const untilMs = elapsedMs + ms
      for (;;) {
        const due = timers.filter((timer) => timer.dueMs <= untilMs).sort((a, b) => a.dueMs - b.dueMs)[0]
        if (!due) break
        timers = timers.filter((timer) => timer !== due)
        wallMs += due.dueMs - elapsedMs
        elapsedMs = due.dueMs
        due.task()
      }
      wallMs += untilMs - elapsedMs
      elapsedMs = untilMs
    },
    skip(ms) {
      wallMs += ms
      elapsedMs += ms
      const due = timers.filter((timer) => timer.dueMs <= elapsedMs).sort((a, b) => a.dueMs - b.dueMs)
      timers = timers.filter((timer) => timer.dueMs > elapsedMs)
      for (const timer of due) timer.task()
    },
    setWall(ms) {
      wallMs = ms
    },
  }
}
