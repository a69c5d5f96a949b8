/**
 * All writes of a server use this. It collects the writes of one turn of the event loop into one durable transaction
 * and resolves them when they are on disk (group commit). They share one flush, and a write that throws does not affect
 * the others: each has a savepoint, unless all of them can run again. While a transaction is flushed, the next writes
 * are collected.
 */

import type { Database } from 'bun:sqlite'
import type { Clock } from '../lib/clock.ts'
import { Histogram } from '../lib/histogram.ts'
import type { TransactionAnnouncements } from './announcements.ts'
import { type Fault, faultOf, mayBeSaved, type Outcome as StateAfter, StorageUnavailable } from './faults/fault.ts'
import { noLog, type WriteAheadLog } from './log.ts'

export interface Writer {
  /**
   * Runs `work`, which must be synchronous, in a transaction and resolves to its result once that is on disk. If `work`
   * throws, its changes are rolled back and the promise rejects with the error. Rejects with `StorageUnavailable` if
   * the storage has a fault, if another process keeps the write lock for `writeTimeoutMs`, and always after a failed
   * flush.
   */
  write<T>(work: () => T): Promise<T>
  /**
   * Like `write`, for `work` that can run again after its changes were rolled back: it changes nothing but the database
   * and declares topics. A transaction of such writes has no savepoints, which copy pages and cost two statements each
   * (decision 25). If one throws, it is rolled back, and all run again with savepoints.
   */
  writeRepeatable<T>(work: () => T): Promise<T>
  /**
   * Once `timeoutMs` have passed, every write that waits for another process's lock is rejected at once; for shutdown.
   */
  limitWaits(timeoutMs: number): void
}

export interface CountingWriter extends Writer {
  readonly batches: BatchCounts
}

/** Counts of the transactions in which writes were collected. */
export interface BatchCounts {
  /** The number of writes in each committed transaction. */
  readonly sizes: Histogram
  /** Milliseconds from the beginning of a transaction until its commit was on disk. */
  readonly durationsMs: Histogram
  /** Transactions that a fault of the storage has rolled back, or whose commit failed with an unknown outcome. */
  failed: number
}

const sizeBounds = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024]
const boundsMs = [0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 5_000]

/** How long a write waits for another process's lock before it is rejected, in milliseconds. */
export const writeTimeoutMs = 5_000

const retryPauseMs = 5

/** How often the event loop reads requests between two transactions, so that more of them share the next commit. */
const pollsBetween = 4

interface Entry {
  readonly work: () => unknown
  readonly resolve: (value: unknown) => void
  readonly reject: (reason: unknown) => void
  readonly deadlineMs: number
  readonly isRepeatable: boolean
}

/** The result of a write, or the reason why it was rolled back. */
type Outcome = { readonly value: unknown } | { readonly error: unknown }

/** The writer's view of the storage faults. */
export interface WriteGuard {
  /** The fault that makes a write impossible now. */
  blocked(): Fault | undefined
  /** Records that a write failed with `error`; returns the fault. */
  writeFailed(error: unknown): Fault
}

export function createWriter(
  connection: Database,
  clock: Pick<Clock, 'monotonic' | 'after'>,
  announcements: TransactionAnnouncements,
  guard: WriteGuard,
  log: WriteAheadLog = noLog,
): CountingWriter {
  const begin = connection.prepare('BEGIN IMMEDIATE')
  const commit = connection.prepare('COMMIT')
  const savepoint = connection.prepare('SAVEPOINT write')
  const release = connection.prepare('RELEASE write')
  const rollback = connection.prepare('ROLLBACK TO write')
  const batches: BatchCounts = { sizes: new Histogram(sizeBounds), durationsMs: new Histogram(boundsMs), failed: 0 }
  let queue: Entry[] = []
  let waitsEndMs = Number.POSITIVE_INFINITY
  let scheduled = false
  /** Whether a transaction is being flushed or the log is being moved: nothing may be written meanwhile. */
  let isResting = false
  /**
   * Set by a failed flush, whose changes are in the log, but not on disk: a loss of power would also undo all later
   * ones.
   */
  let flushFault: Fault | undefined

  function drain(): void {
    scheduled = false
    if (queue.length === 0 || isResting) return
    const fault = flushFault ?? guard.blocked()
    if (fault !== undefined) {
      rejectAll(queue.splice(0), new StorageUnavailable(fault, 'unchanged'))
      return
    }
    try {
      log.prepare()
      begin.run()
    } catch (error) {
      endTransaction()
      if (faultOf(error) === 'busy') retryLater(error)
      else rejectAll(queue.splice(0), unavailable(error, 'unchanged'))
      return
    }
    const startedMs = clock.monotonic()
    const batch = queue.splice(0)
    // A rollback of a single write is that of its transaction.
    const isTogether = batch.length === 1 || batch.every(({ isRepeatable }) => isRepeatable)
    const outcomes: Outcome[] = []
    let lost: unknown
    try {
      for (const entry of batch) outcomes.push(isTogether ? { value: entry.work() } : runInSavepoint(entry.work))
      announcements.keep()
    } catch (error) {
      if (isTogether) {
        undo()
        repeatApart(batch, error)
        return
      }
      lost = unavailable(error, 'unchanged')
    }
    try {
      if (lost === undefined) commit.run()
    } catch (error) {
      lost = unavailable(error, mayBeSaved(error) ? 'unknown' : 'unchanged')
    }
    if (lost !== undefined) {
      batches.failed++
      undo()
      rejectAll(batch, lost)
      return
    }
    batches.sizes.observe(batch.length)
    // The change can no longer be rolled back: reads may see it now, although it is not on disk yet.
    announcements.announce()
    isResting = true
    log.flush(batch.length, (error) => {
      let failure: StorageUnavailable | undefined
      if (error) {
        batches.failed++
        failure = unavailable(error, 'unknown')
        flushFault = failure.fault
      } else {
        announcements.flushed()
      }
      settle(batch, outcomes, startedMs, failure)
      const moving = error ? undefined : log.moveIfLong()
      if (moving) void moving.then(resume)
      else resume()
    })
  }

  /**
   * Runs `work` in a savepoint. Throws if SQLite has ended the transaction, and with it rolled back everything before,
   * if `work` can't be rolled back alone, or if the file is damaged.
   */
  function runInSavepoint(work: () => unknown): Outcome {
    try {
      savepoint.run()
      const value = work()
      release.run()
      announcements.keep()
      return { value }
    } catch (error) {
      const reason = reasonOf(error)
      // A full disk can end the whole transaction. The remaining writes must not run outside of one.
      if (!connection.inTransaction || faultOf(reason) === 'malformed') throw reason
      announcements.discard()
      rollback.run()
      release.run()
      return { error: reason }
    }
  }

  /**
   * Resolves the writes of a committed transaction. With `lost`, those that have changed something are rejected with
   * it.
   */
  function settle(batch: readonly Entry[], outcomes: readonly Outcome[], startedMs: number, lost?: unknown): void {
    batches.durationsMs.observe(clock.monotonic() - startedMs)
    batch.forEach((entry, i) => {
      const outcome = outcomes[i] as Outcome
      if ('error' in outcome) entry.reject(outcome.error)
      else if (lost === undefined) entry.resolve(outcome.value)
      else entry.reject(lost)
    })
  }

  function resume(): void {
    isResting = false
    if (queue.length > 0) schedule(pollsBetween)
  }

  function schedule(polls = 0): void {
    if (scheduled || isResting) return
    scheduled = true
    afterPolls(polls, drain)
  }

  /** After a write threw `error` and the transaction of all was rolled back: finds out which of them it was. */
  function repeatApart(batch: readonly Entry[], error: unknown): void {
    if (batch.length > 1) {
      queue.unshift(...batch.map((entry) => ({ ...entry, isRepeatable: false })))
      drain()
      return
    }
    if (faultOf(error) !== undefined) batches.failed++
    rejectAll(batch, reasonOf(error))
  }

  function undo(): void {
    announcements.discardAll()
    endTransaction()
  }

  function endTransaction(): void {
    if (!connection.inTransaction) return
    try {
      connection.run('ROLLBACK')
    } catch (error) {
      // SQLite has rolled the changes back nevertheless: https://sqlite.org/lang_transaction.html
      unavailable(error, 'unchanged')
    }
  }

  /** Reports a failure to the guard; returns the error to reject with. */
  function unavailable(cause: unknown, after: StateAfter): StorageUnavailable {
    if (cause instanceof StorageUnavailable) return cause
    return new StorageUnavailable(guard.writeFailed(cause), after, cause)
  }

  /** Why a write is rejected that threw `error` and was rolled back. */
  function reasonOf(error: unknown): unknown {
    return faultOf(error) === undefined ? error : unavailable(error, 'unchanged')
  }

  function retryLater(cause: unknown): void {
    const nowMs = clock.monotonic()
    const isExpired = ({ deadlineMs }: Entry) => Math.min(deadlineMs, waitsEndMs) <= nowMs
    const expired = queue.filter(isExpired)
    queue = queue.filter((entry) => !isExpired(entry))
    if (expired.length > 0) rejectAll(expired, unavailable(cause, 'unchanged'))
    if (queue.length === 0) return
    scheduled = true
    clock.after(retryPauseMs, drain)
  }

  function enqueue<T>(work: () => T, isRepeatable: boolean): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const deadlineMs = clock.monotonic() + writeTimeoutMs
    queue.push({ work, resolve: resolve as (value: unknown) => void, reject, deadlineMs, isRepeatable })
    schedule()
    return promise
  }

  return {
    write: (work) => enqueue(work, false),
    writeRepeatable: (work) => enqueue(work, true),
    limitWaits(timeoutMs) {
      waitsEndMs = clock.monotonic() + timeoutMs
    },
    batches,
  }
}

/**
 * Calls `run` after the event loop has read new input `polls` times. Bun calls `setImmediate`'s function before it
 * reads.
 */
function afterPolls(polls: number, run: () => void): void {
  setImmediate(() => (polls === 0 ? run() : afterPolls(polls - 1, run)))
}

function rejectAll(entries: readonly Entry[], error: unknown): void {
  for (const entry of entries) entry.reject(error)
}
