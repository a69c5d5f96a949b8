/**
 * Detects that the process has no free file descriptor. Bun's listener then tries to accept the waiting connections
 * without a pause and logs nothing, so this job logs the shortage and closes connections.
 */

import { hasFreeDescriptors } from '../database/faults/descriptors.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { type Job, togetherMs } from '../lib/scheduler.ts'

export interface DescriptorOptions {
  readonly log: Log
  readonly clock: Pick<Clock, 'monotonic'>
  /** Closes connections that wait for their next request; returns their number. */
  readonly closeIdle: () => number
  /** Closes all connections once the requests in flight are finished. */
  readonly closeAll: () => Promise<void>
}

/** How often descriptors are looked for while some are free, in milliseconds. */
const idleMs = togetherMs

/** The time for which descriptors must be free before the shortage is over, in milliseconds. */
const calmMs = 5_000

export function descriptorJob({ log, clock, closeIdle, closeAll }: DescriptorOptions): Job {
  let lastMetMs: number | undefined
  return {
    name: 'check for free file descriptors',
    everyMs: 250,
    idleMs: () => (lastMetMs === undefined ? idleMs : undefined),
    async run() {
      const nowMs = clock.monotonic()
      if (hasFreeDescriptors(1)) {
        if (lastMetMs === undefined || nowMs - lastMetMs < calmMs) return
        log.info('file descriptors are free again')
        lastMetMs = undefined
        return
      }
      if (lastMetMs === undefined) log.error(`no file descriptor is left: ${advice}`)
      lastMetMs = nowMs
      if (closeIdle() === 0) await closeAll()
    },
  }
}

const advice =
  'connections are closed so that new ones can be accepted. Raise the limit (ulimit -Hn, or LimitNOFILE in systemd), or look for clients that open too many connections.'
