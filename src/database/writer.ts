/**
 * The one way to write. Gathers the writes of an event-loop turn into one durable transaction, each in
 * its own savepoint, and answers when they are on disk (group commit): one `fdatasync` serves them all,
 * and a write that throws takes nothing of its neighbours with it.
 */

import type { Database } from 'bun:sqlite'
import type { Clock } from '../lib/clock.ts'
import { AppError } from '../lib/error.ts'
import { silentLog } from '../lib/log.ts'
import { createAnnouncements, type TransactionAnnouncements } from './announcements.ts'

export interface Writer {
  /**
   * Runs `work`, which must be synchronous, in a transaction and resolves to its result once that is on
   * disk. Rejects with what `work` throws, nothing of it kept, or with `storage_unavailable` if the disk
   * refuses or another process holds the write lock for `writePatienceMs`.
   */
  write<T>(work: () => T): Promise<T>
  /** Writes what is queued now, without waiting for the turn to end; for shutting down. */
  flush(): void
}

/** How long a write waits for another process's lock before it is refused, in milliseconds. */
export const writePatienceMs = 5_000

const retryPauseMs = 5

interface Entry {
  readonly work: () => unknown
  readonly resolve: (value: unknown) => void
  readonly reject: (reason: unknown) => void
  readonly deadlineMs: number
}

type Outcome = { readonly value: unknown } | { readonly error: unknown }

export function createWriter(
  connection: Database,
  clock: Pick<Clock, 'monotonic' | 'after'>,
  announcements: TransactionAnnouncements = createAnnouncements(silentLog).transaction,
): Writer {
  const begin = connection.prepare('BEGIN IMMEDIATE')
  const commit = connection.prepare('COMMIT')
  const savepoint = connection.prepare('SAVEPOINT write')
  const release = connection.prepare('RELEASE write')
  const rollback = connection.prepare('ROLLBACK TO write')

  let queue: Entry[] = []
  let scheduled = false

  function drain(): void {
    scheduled = false
    if (queue.length === 0) return
    try {
      begin.run()
    } catch (error) {
      if (isBusy(error)) retryLater()
      else settleAll(takeQueue(), unavailable(error))
      return
    }
    const batch = takeQueue()
    const outcomes = batch.map(runInSavepoint)
    try {
      commit.run()
    } catch (error) {
      if (connection.inTransaction) connection.run('ROLLBACK')
      announcements.discardAll()
      settleAll(batch, unavailable(error))
      return
    }
    announcements.announce()
    batch.forEach((entry, i) => {
      const outcome = outcomes[i] as Outcome
      if ('error' in outcome) entry.reject(outcome.error)
      else entry.resolve(outcome.value)
    })
  }

  function runInSavepoint(entry: Entry): Outcome {
    // A full disk can end the whole transaction; what comes after must not run outside of one.
    if (!connection.inTransaction) return { error: unavailable(undefined) }
    savepoint.run()
    try {
      const value = entry.work()
      release.run()
      announcements.keep()
      return { value }
    } catch (error) {
      if (!connection.inTransaction) {
        announcements.discardAll()
        return { error: unavailable(error) }
      }
      announcements.discard()
      rollback.run()
      release.run()
      return { error: isStorageFault(error) ? unavailable(error) : error }
    }
  }

  function retryLater(): void {
    const nowMs = clock.monotonic()
    const expired = queue.filter((entry) => entry.deadlineMs <= nowMs)
    queue = queue.filter((entry) => entry.deadlineMs > nowMs)
    settleAll(expired, unavailable(undefined))
    if (queue.length === 0) return
    scheduled = true
    clock.after(retryPauseMs, drain)
  }

  function takeQueue(): Entry[] {
    const taken = queue
    queue = []
    return taken
  }

  return {
    write<T>(work: () => T): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        queue.push({
          work,
          resolve: resolve as (value: unknown) => void,
          reject,
          deadlineMs: clock.monotonic() + writePatienceMs,
        })
        if (scheduled) return
        scheduled = true
        setImmediate(drain)
      })
    },
    flush: drain,
  }
}

function settleAll(entries: readonly Entry[], error: AppError): void {
  for (const entry of entries) entry.reject(error)
}

function unavailable(cause: unknown): AppError {
  return new AppError(
    'storage_unavailable',
    'The database is busy or its disk is full. Nothing was changed; try again.',
    {
      cause,
      retryAfterSeconds: 1,
    },
  )
}

function sqliteCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

/** Whether an error says that another process has the lock. */
export function isBusy(error: unknown): boolean {
  return sqliteCode(error).startsWith('SQLITE_BUSY')
}

/** Whether an error says that the disk, not the statement, is to blame. */
export function isStorageFault(error: unknown): boolean {
  return /^SQLITE_(FULL|IOERR|READONLY|NOMEM|CORRUPT)/.test(sqliteCode(error))
}
