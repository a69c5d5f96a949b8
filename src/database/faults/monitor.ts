/**
 * Records the current faults of the storage. A fault is logged once when it begins and once when it ends, however many
 * requests and jobs fail in between.
 */

import type { Clock } from '../../lib/clock.ts'
import { messageOf } from '../../lib/error.ts'
import type { Log } from '../../lib/log.ts'
import type { Job } from '../../lib/scheduler.ts'
import { codeOf } from '../../lib/system-error.ts'
import { type Fault, faultOf, faultTexts, StorageUnavailable } from './fault.ts'

export type FaultMonitor = ReturnType<typeof createFaultMonitor>

interface Present {
  readonly sinceMs: number
  /** The time of the last failure, on the monotonic clock. */
  lastMs: number
  ends: Ending
}

/**
 * The event that ends a fault: a successful write, a minute without a failed read, the check that found it, or a
 * restart.
 */
type Ending = 'write' | 'quiet' | 'check' | 'restart'

/**
 * A failing disk can still read some sectors. The fault ends when no read has failed for this time, in milliseconds.
 */
export const quietMs = 60_000

interface MonitorParts {
  readonly log: Log
  readonly clock: Pick<Clock, 'monotonic'>
  /** Whether the disk has caused an error that SQLite reports as damage. */
  readonly isUnreadable: () => boolean
}

export function createFaultMonitor({ log, clock, isUnreadable }: MonitorParts) {
  const present = new Map<Fault, Present>()

  function diagnose(error: unknown): Fault | undefined {
    const fault = faultOf(error)
    return fault === 'malformed' && !present.has(fault) && isUnreadable() ? 'disk_error' : fault
  }

  function begin(fault: Fault, ends: Ending, cause?: unknown): void {
    const nowMs = clock.monotonic()
    const known = present.get(fault)
    if (known) {
      known.lastMs = nowMs
      if (ends === 'quiet' && known.ends === 'write') known.ends = 'quiet'
      return
    }
    // A successful read of another page does not repair the damage.
    present.set(fault, { sinceMs: nowMs, lastMs: nowMs, ends: fault === 'malformed' ? 'restart' : ends })
    const { message, advice } = faultTexts[fault]
    const details = cause === undefined ? {} : { code: codeOf(cause), reason: messageOf(cause) }
    const meanwhile = ends === 'quiet' ? '' : ' Writes are rejected meanwhile.'
    log.error(`the storage has a fault: ${message} ${advice}${meanwhile}`, { fault, ...details })
  }

  function end(fault: Fault): void {
    const known = present.get(fault)
    if (!known) return
    present.delete(fault)
    const seconds = Math.round((clock.monotonic() - known.sinceMs) / 1000)
    log.info('a fault of the storage has ended', { fault, seconds })
  }

  function endWhere(isOver: (state: Present) => boolean): void {
    if (present.size === 0) return
    for (const [fault, state] of present) if (isOver(state)) end(fault)
  }

  const monitor = {
    /** The current fault, the oldest if there are several; undefined if there is none. */
    current: (): Fault | undefined => present.keys().next().value,
    /** The oldest current fault, and how many milliseconds it has lasted. */
    lasting(): { readonly fault: Fault; readonly lastedMs: number } | undefined {
      const [first] = present
      return first && { fault: first[0], lastedMs: clock.monotonic() - first[1].sinceMs }
    },
    has: (fault: Fault): boolean => present.has(fault),
    /** Records that a write failed with `error`; returns the fault. */
    writeFailed(error: unknown): Fault {
      const fault = diagnose(error) ?? 'disk_error'
      begin(fault, 'write', error)
      return fault
    },
    /** Called when a write as large as those of a few requests is on disk. */
    writeSucceeded: (): void => endWhere(({ ends }) => ends === 'write'),
    /** The error to respond with when a read failed with `error`; undefined if the storage has not caused it. */
    readFailed(error: unknown): StorageUnavailable | undefined {
      const fault = diagnose(error)
      if (fault === undefined) return undefined
      begin(fault, 'quiet', error)
      return new StorageUnavailable(fault, 'not_read', error)
    },
    /** Records the result of a check of the files. */
    checked(fault: Fault, isPresent: boolean): void {
      if (isPresent) begin(fault, 'check')
      else end(fault)
    },
    /** Ends the faults of reads that have not failed for `quietMs`. */
    endQuiet(): void {
      const nowMs = clock.monotonic()
      endWhere(({ ends, lastMs }) => ends === 'quiet' && nowMs - lastMs >= quietMs)
    },
    /** Wraps a job so that a fault of the storage is recorded here instead of failing the job. */
    guard(job: Job): Job {
      const note = (error: unknown) => {
        // The writer has already recorded its own failures.
        if (!(error instanceof StorageUnavailable) && !monitor.readFailed(error)) throw error
      }
      return {
        ...job,
        run(...args: Parameters<Job['run']>) {
          try {
            const running = job.run(...args)
            return running instanceof Promise ? running.catch(note) : running
          } catch (error) {
            return note(error)
          }
        },
      }
    },
  }
  return monitor
}
