/**
 * Ensures that only one server runs on a database. Limits are counted in memory, so two servers on the same file would
 * each allow the full limit. The lock is SQLite's own, on a file beside the database; the system releases it when the
 * process ends.
 */

import { constants, Database } from 'bun:sqlite'
import { AppError } from '../lib/error.ts'
import { giveToOwner } from '../lib/file-owner.ts'
import { codeOf, systemReason } from '../lib/system-error.ts'

/**
 * Locks the database for a server or a command; returns a function that unlocks it. Throws `conflict` if another one
 * has the lock.
 */
export function lockForServing(databasePath: string): () => void {
  return lockFile(`${databasePath}-serving`, {
    timeoutMs: 0,
    message: `Another petstore, a server or a command, is using ${databasePath}: stop it, or wait until it has ended.`,
  })
}

export interface LockOptions {
  /** How long to wait for the lock. */
  readonly timeoutMs: number
  /** The message of the error if another process keeps the lock. */
  readonly message: string
}

/**
 * Locks the file at `path`, which is created if it is missing; returns a function that unlocks it. Throws `conflict`
 * with `message` after `timeoutMs`, and `storage_unavailable` if the file can't be created or written.
 */
export function lockFile(path: string, { timeoutMs, message }: LockOptions): () => void {
  let lock: Database | undefined
  try {
    lock = new Database(path, { create: true, readwrite: true })
    giveToOwner(path)
    lock.run(`PRAGMA busy_timeout = ${timeoutMs}`)
    // Nothing is written, so that no journal is needed, which a full disk would have no space for.
    lock.run('PRAGMA journal_mode = MEMORY')
    lock.run('BEGIN EXCLUSIVE')
    assertExclusive(lock)
  } catch (cause) {
    lock?.close()
    if (codeOf(cause) === 'SQLITE_BUSY') throw new AppError('conflict', message, { cause })
    throw new AppError('storage_unavailable', `${path} can't be locked: ${systemReason(cause)}.`, { cause })
  }
  const locked = lock
  return () => locked.close()
}

/** On a read-only file SQLite begins a read transaction instead, which does not exclude other processes. */
function assertExclusive(lock: Database): void {
  const state = new Int32Array(2)
  lock.fileControl(constants.SQLITE_FCNTL_LOCKSTATE, state)
  if (state[0] !== exclusive) throw new Error('it is not writable')
}

/** https://sqlite.org/c3ref/c_lock_exclusive.html */
const exclusive = 4
