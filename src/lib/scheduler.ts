/**
 * Runs periodic jobs on the clock. A job never runs twice at once; stopping waits for the runs in progress. A server
 * that has nothing to do wakes up about once a second: jobs that have no work wait longer, or until a change wakes
 * them, and the other jobs run together.
 */

import type { Cancel, Clock } from './clock.ts'
import type { Log } from './log.ts'

export interface Job {
  readonly name: string
  /**
   * Milliseconds from the end of one run to the start of the next; a wait of `togetherMs` or more can be shorter by up
   * to `togetherMs`.
   */
  readonly everyMs: number
  /**
   * The milliseconds until the next run of a job that has nothing to do, instead of `everyMs`: `Infinity` if it waits
   * until it is woken. Undefined while it has work. Called after each run.
   */
  readonly idleMs?: () => number | undefined
  /**
   * Called once with a function that ends the wait of a job that has nothing to do: its next run comes after `everyMs`.
   */
  readonly wokenBy?: (wake: () => void) => void
  /**
   * Runs once. `signal` is aborted when the service stops: a long run then ends early, by returning or by throwing the
   * signal's reason.
   */
  run(signal: AbortSignal): void | Promise<void>
}

export interface JobState {
  readonly name: string
  /** Whether its last run failed. */
  readonly isFailing: boolean
  /** How many runs have failed. */
  readonly failures: number
}

export interface Schedule {
  states(): readonly JobState[]
  /**
   * Starts no further run, aborts the signal and waits for the runs in progress, but no longer than
   * `stopTimeoutMs`. May be called again; never rejects.
   */
  stop(): Promise<void>
}

/** The longest time that `stop` waits, in milliseconds. It is longer than a write waits for another process's lock. */
export const stopTimeoutMs = 6_000

/**
 * Waits of at least this many milliseconds end at a multiple of it on the monotonic clock, so that jobs run together:
 * waking up costs an idle process more than the jobs. A job that must notice a change within a second runs at each
 * multiple.
 */
export const togetherMs = 900

/** Runs each job every `everyMs` until stopped. A failing run is logged once, and the job runs again. */
export function schedule(jobs: readonly Job[], clock: Clock, log: Log): Schedule {
  const controller = new AbortController()
  const repeated = jobs.map((job) => repeat(job, controller.signal, clock, log))
  let stopped: Promise<void> | undefined

  async function stop(): Promise<void> {
    controller.abort()
    const running = repeated.flatMap(({ cancel }) => cancel() ?? [])
    if (running.length === 0) return
    const timeout = Promise.withResolvers<void>()
    const cancelTimeout = clock.after(stopTimeoutMs, timeout.resolve)
    await Promise.race([Promise.all(running), timeout.promise])
    cancelTimeout()
    for (const { name, isRunning } of repeated) {
      if (isRunning()) log.warn('a periodic job did not stop in time; the service stops without it', { job: name })
    }
  }

  return {
    states: () => repeated.map(({ state }) => state()),
    stop() {
      stopped ??= stop()
      return stopped
    },
  }
}

function repeat(job: Job, signal: AbortSignal, clock: Clock, log: Log) {
  let cancelTimer: Cancel = () => {}
  /** Whether the job waits because it has nothing to do. */
  let isIdle = false
  /** The run in progress; never rejects. */
  let running: Promise<void> | undefined
  let isFailing = false
  let failures = 0

  function arm(waitMs: number): void {
    if (!signal.aborted && waitMs < Number.POSITIVE_INFINITY) cancelTimer = clock.after(delayOf(waitMs, clock), tick)
  }

  function armNext(): void {
    const idleMs = job.idleMs?.()
    isIdle = idleMs !== undefined
    arm(idleMs ?? job.everyMs)
  }

  function wake(): void {
    if (!isIdle) return
    isIdle = false
    cancelTimer()
    arm(job.everyMs)
  }

  function failed(error: unknown): void {
    if (signal.aborted && error instanceof Error && error.name === 'AbortError') return
    // A full disk fails every run: one line when it begins and one when it ends are enough.
    if (!isFailing) log.error('a periodic job fails; it is tried again', { job: job.name, error })
    isFailing = true
    failures++
  }

  function succeeded(): void {
    if (isFailing) log.info('a periodic job works again', { job: job.name })
    isFailing = false
  }

  function tick(): void {
    isIdle = false
    try {
      const result = job.run(signal)
      if (result instanceof Promise) {
        running = result.then(succeeded, failed).finally(() => {
          running = undefined
          armNext()
        })
        return
      }
      succeeded()
    } catch (error) {
      failed(error)
    }
    armNext()
  }

  arm(job.everyMs)
  job.wokenBy?.(wake)
  return {
    name: job.name,
    isRunning: () => running !== undefined,
    state: (): JobState => ({ name: job.name, isFailing, failures }),
    /** Cancels the next run; returns the one in progress, if there is one. */
    cancel(): Promise<void> | undefined {
      cancelTimer()
      return running
    },
  }
}

/** The delay until a wait ends, in whole milliseconds: a timer that fires before a multiple would run the job twice. */
function delayOf(waitMs: number, { monotonic }: Pick<Clock, 'monotonic'>): number {
  if (waitMs < togetherMs) return waitMs
  const nowMs = monotonic()
  return Math.ceil(Math.floor((nowMs + waitMs) / togetherMs) * togetherMs - nowMs)
}
