/**
 * Keeps counts and bans in the reserve while the database cannot store them: when its disk is full, when another process
 * keeps it locked, when the disk fails. They stay in memory until the database has stored them.
 */

import { AppError } from '../../../lib/error.ts'
import { type Job, togetherMs } from '../../../lib/scheduler.ts'
import { systemReason } from '../../../lib/system-error.ts'
import type { LimitParts } from './parts.ts'
import { Reserve } from './reserve.ts'
import { saveBans } from './save-bans.ts'
import { saveCounts } from './save-counts.ts'

/** A save that takes longer than this is late, in milliseconds. It is late when the jobs run the next time. */
const lateMs = togetherMs - 100

/** The reserve of a database; undefined, with a line in the log, if its file cannot be opened. */
export function openReserve(databasePath: string, log: LimitParts['log']): Reserve | undefined {
  if (databasePath === ':memory:') return undefined
  const path = `${databasePath}-limits`
  try {
    return new Reserve(path)
  } catch (error) {
    log.warn('request counts cannot be kept while the database is not writable: the file for them cannot be opened', {
      path,
      error,
    })
    return undefined
  }
}

export function reserveJobs(parts: LimitParts): readonly Job[] {
  const { reserve, log } = parts
  if (!reserve) return []
  const report = failureReporter(log, reserve.path)
  return [
    {
      name: 'keep unsaved request counts',
      everyMs: 1_000,
      run: () => report(() => (isLate(parts) ? keepUnsaved(parts, reserve) : clearKept(parts))),
    },
    { name: 'reserve space for request counts', everyMs: 60_000, run: () => report(() => reserve.allocate()) },
  ]
}

/** Reserves disk space for the counts. A failure is logged; `reserveJobs` tries again. */
export function allocateReserve({ reserve, log }: LimitParts): void {
  if (reserve) failureReporter(log, reserve.path)(() => reserve.allocate())
}

/**
 * Stores unsaved counts and bans when the service stops, in the database or else in the reserve. Throws
 * `storage_unavailable` if both fail.
 */
export async function saveLast(parts: LimitParts): Promise<void> {
  const { reserve, log } = parts
  const report = failureReporter(log, reserve?.path ?? '')
  // The database may need more time than the operator gives the service to stop.
  if (reserve && isLate(parts)) report(() => keepUnsaved(parts, reserve))
  const saves = await Promise.allSettled([saveCounts(parts), saveBans(parts)])
  const failed = saves.find((save) => save.status === 'rejected')
  if (!failed) {
    report(() => clearKept(parts))
    return
  }
  if (!reserve) throw lost(parts, failed.reason)
  try {
    keepUnsaved(parts, reserve)
    reserve.flush()
  } catch (error) {
    throw lost(parts, error)
  }
  log.warn('the database could not store the last request counts: they are kept in a file until the next start', {
    path: reserve.path,
    error: failed.reason,
  })
}

function lost({ reserve }: LimitParts, cause: unknown): AppError {
  const reason = `${reserve ? `${reserve.path} can't be written: ` : ''}${systemReason(cause)}`
  return new AppError(
    'storage_unavailable',
    `The last request counts are lost, limits may admit too many requests after the next start: ${reason}.`,
    { cause },
  )
}

function isLate({ clock, storedLimits }: LimitParts): boolean {
  const { countsPendingMs = Number.POSITIVE_INFINITY, bansPendingMs = Number.POSITIVE_INFINITY } = storedLimits
  return clock.monotonic() - Math.min(countsPendingMs, bansPendingMs) >= lateMs
}

/** Writes the unsaved counts and bans to the reserve. */
export function keepUnsaved({ limiter, log }: LimitParts, reserve: Reserve): void {
  limiter.time.read()
  const { days, seconds } = limiter.unsaved()
  const { offsetMs, wallMs } = limiter.time
  const isComplete = reserve.write({
    clock: { offsetMs, savedAt: wallMs },
    days: days.map(({ count: { accountId, day }, used }) => ({ accountId, day, used })),
    seconds,
    bans: limiter.bans.unsaved(),
  })
  if (!isComplete)
    log.warn('not all windows of the last minute fit into the file of request counts', { path: reserve.path })
}

/** Clears the reserve if the database has stored everything. */
function clearKept({ reserve, storedLimits }: LimitParts): void {
  if (storedLimits.countsPendingMs === undefined && storedLimits.bansPendingMs === undefined) reserve?.clear()
}

/** Returns a function that runs `work` and logs the first of several failures in a row. */
function failureReporter(log: LimitParts['log'], path: string): (work: () => void) => void {
  let isFailing = false
  return (work) => {
    try {
      work()
      isFailing = false
    } catch (error) {
      if (!isFailing) {
        log.warn('request counts cannot be kept in their file: a crash while the database is not writable loses them', {
          path,
          error,
        })
      }
      isFailing = true
    }
  }
}
