/** Periodic work on the clock: one timer a job, never two runs of a job at once. */

import type { Cancel, Clock } from './clock.ts'
import type { Log } from './log.ts'

export interface Job {
  readonly name: string
  readonly everyMs: number
  run(): void | Promise<void>
}

/** Runs each job every `everyMs` until cancelled; the first failing run is logged and the next one still comes. */
export function schedule(jobs: readonly Job[], clock: Clock, log: Log): Cancel {
  const cancels = jobs.map((job) => repeat(job, clock, log))
  return () => {
    for (const cancel of cancels) cancel()
  }
}

function repeat(job: Job, clock: Clock, log: Log): Cancel {
  let cancelled = false
  let cancelTimer: Cancel = () => {}
  const arm = () => {
    if (!cancelled) cancelTimer = clock.after(job.everyMs, tick)
  }
  let isFailing = false
  const failed = (error: unknown) => {
    // A full disk fails every run: one line when it begins and one when it ends are enough.
    if (!isFailing) log.error('a periodic job fails; it is tried again', { job: job.name, error })
    isFailing = true
  }
  const succeeded = () => {
    if (isFailing) log.info('a periodic job works again', { job: job.name })
    isFailing = false
  }
  const tick = () => {
    try {
      const running = job.run()
      if (running instanceof Promise) running.then(succeeded, failed).finally(arm)
      else {
        succeeded()
        arm()
      }
    } catch (error) {
      failed(error)
      arm()
    }
  }
  arm()
  return () => {
    cancelled = true
    cancelTimer()
  }
}
