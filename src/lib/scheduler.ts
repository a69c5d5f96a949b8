/** Periodic work on the clock: one timer a job, never two runs of a job at once. */

import type { Cancel, Clock } from './clock.ts'
import type { Log } from './log.ts'

export interface Job {
  readonly name: string
  readonly everyMs: number
  run(): void | Promise<void>
}

/** Runs each job every `everyMs` until cancelled; a failing run is logged and the next one still comes. */
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
  const failed = (error: unknown) => log.error('a periodic job failed', { job: job.name, error })
  const tick = () => {
    try {
      const running = job.run()
      if (running instanceof Promise) running.catch(failed).finally(arm)
      else arm()
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
