/**
 * Knows which faults the storage has at the moment. A fault is logged once when it begins and once when it ends, however
 * many requests and jobs meet it in between.
 */

import type { Clock } from '../../lib/clock.ts'
import { messageOf } from '../../lib/error.ts'
import type { Log } from '../../lib/log.ts'
import type { Job } from '../../lib/scheduler.ts'
import { codeOf, type Fault, faultOf, faultTexts, StorageUnavailable } from './fault.ts'

export type FaultMonitor = ReturnType<typeof createFaultMonitor>

interface Present {
  readonly sinceMs: number
  /** When it was last met, on the monotonic clock. */
  lastMs: number
  ends: Ending
}

/** What ends a fault: a write that succeeds, a while without a failed read, the check that found it, or a restart. */
type Ending = 'write' | 'quiet' | 'check' | 'restart'

/** A disk that fails to read some places reads others: the fault has ended when no read failed for this long. */
export const quietMs = 60_000

export interface MonitorParts {
  readonly log: Log
  readonly clock: Pick<Clock, 'monotonic'>
  /** Whether the disk, and not what it holds, is to blame for an error that SQLite takes for damage. */
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
    // Damage found in one place stays, even if the next read is of another place.
    present.set(fault, { sinceMs: nowMs, lastMs: nowMs, ends: fault === 'malformed' ? 'restart' : ends })
    const { what, advice } = faultTexts[fault]
    const details = cause === undefined ? {} : { code: codeOf(cause), reason: messageOf(cause) }
    const meanwhile = ends === 'quiet' ? '' : ' Writes are rejected meanwhile.'
    log.error(`the storage has a fault: ${what} ${advice}${meanwhile}`, { fault, ...details })
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
    /** The fault to tell of, the first of those that are present; undefined if all is well. */
    current: (): Fault | undefined => present.keys().next().value,
    has: (fault: Fault): boolean => present.has(fault),
    /** Notes that a write failed with `error`, and names the fault. */
    writeFailed(error: unknown): Fault {
      const fault = diagnose(error) ?? 'disk_error'
      begin(fault, 'write', error)
      return fault
    },
    /** To be called when a write as large as a few requests' has reached the disk. */
    writeSucceeded: (): void => endWhere(({ ends }) => ends === 'write'),
    /** The error to respond with when a read failed with `error`; undefined if the storage is not to blame. */
    readFailed(error: unknown): StorageUnavailable | undefined {
      const fault = diagnose(error)
      if (fault === undefined) return undefined
      begin(fault, 'quiet', error)
      return new StorageUnavailable(fault, 'not_read', error)
    },
    /** Notes what a check of the files has found. */
    checked(fault: Fault, isPresent: boolean): void {
      if (isPresent) begin(fault, 'check')
      else end(fault)
    },
    /** Ends the faults of reads that were not met for a while. */
    endQuiet(): void {
      const nowMs = clock.monotonic()
      endWhere(({ ends, lastMs }) => ends === 'quiet' && nowMs - lastMs >= quietMs)
    },
    /** The same job; a fault of the storage that it meets is noted here instead of failing the job. */
    guard(job: Job): Job {
      const note = (error: unknown) => {
        // The writer has noted its own failures.
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
