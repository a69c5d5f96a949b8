/**
 * Detects commits of other processes, so that a running server applies the changes of commands.
 * https://sqlite.org/pragma.html#pragma_data_version
 */

import type { Database } from 'bun:sqlite'
import type { Clock } from '../lib/clock.ts'
import { type Job, togetherMs } from '../lib/scheduler.ts'
import type { Announcements } from './announcements.ts'
import type { FaultMonitor } from './faults/monitor.ts'

/** A request sees the commits of other processes after at most this time, in milliseconds. */
export const requestSeesMs = 250

export interface ChangeParts {
  readonly announcements: Pick<Announcements, 'transaction'>
  readonly faults: Pick<FaultMonitor, 'readFailed'>
  readonly clock: Pick<Clock, 'monotonic'>
}

/** Announces every topic after another connection has committed. */
export function watchChanges(connection: Database, { announcements, faults, clock }: ChangeParts) {
  const query = connection.prepare<{ data_version: number }, []>('PRAGMA data_version')
  const read = () => query.get()?.data_version
  let seen = read()
  let nextMs = clock.monotonic() + requestSeesMs

  function look(nowMs: number): void {
    nextMs = nowMs + requestSeesMs
    const version = read()
    if (version === seen) return
    seen = version
    announcements.transaction.announceAll()
  }

  const job: Job = {
    name: 'detect changes of other processes',
    everyMs: togetherMs,
    run: () => look(clock.monotonic()),
  }

  return {
    /** For what no request asks for: it notices changes within a second. */
    job,
    /**
     * To be called when a request begins, with the time on the monotonic clock in milliseconds. Looks for changes if the last
     * look is `requestSeesMs` ago. Never throws.
     */
    beforeRequest(nowMs: number): void {
      if (nowMs < nextMs) return
      try {
        look(nowMs)
      } catch (error) {
        // The request meets the same fault and responds with it.
        faults.readFailed(error)
      }
    },
  }
}
