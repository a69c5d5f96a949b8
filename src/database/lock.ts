/**
 * One server a database: limits are counted in memory, so two servers on the same file would each give
 * out the whole of them. The lock is SQLite's own on a file beside the database and goes with the process.
 */

import { constants, Database } from 'bun:sqlite'
import { AppError } from '../lib/error.ts'
import { systemReason } from '../lib/system-error.ts'
import { giveToOwner } from './owner.ts'

/** Takes the lock or throws `conflict` if a running server has it. Returns what releases it. */
export function lockForServing(databasePath: string): () => void {
  return lockFile(`${databasePath}-serving`, {
    patienceMs: 0,
    refusal: `Another petstore is serving ${databasePath}: stop it, or use another --data.`,
  })
}

/** How long a command waits for another one that migrates, in milliseconds. */
const migratingTimeoutMs = 2_000

/** Takes the same lock, so that no server runs while a command migrates. Throws `conflict` if one runs. */
export function lockForMigrating(databasePath: string): () => void {
  return lockFile(`${databasePath}-serving`, {
    patienceMs: migratingTimeoutMs,
    refusal: `The database ${databasePath} has to be migrated to the version of this petstore, and an older one is serving it: stop that one, start this one, then try again.`,
  })
}

export interface LockOptions {
  readonly patienceMs: number
  readonly refusal: string
}

/**
 * The same with any file, which is made for it: waits `patienceMs`, then throws `conflict` with `refusal`. Throws
 * `storage_unavailable` if the file can't be had.
 */
export function lockFile(path: string, { patienceMs, refusal }: LockOptions): () => void {
  let lock: Database | undefined
  try {
    lock = new Database(path, { create: true, readwrite: true })
    giveToOwner(path)
    lock.run(`PRAGMA busy_timeout = ${patienceMs}`)
    // Nothing is written, and a full disk would have no room for a journal.
    lock.run('PRAGMA journal_mode = MEMORY')
    lock.run('BEGIN EXCLUSIVE')
    assertExclusive(lock)
  } catch (cause) {
    lock?.close()
    const isTaken = cause instanceof Error && 'code' in cause && cause.code === 'SQLITE_BUSY'
    if (isTaken) throw new AppError('conflict', refusal, { cause })
    throw new AppError('storage_unavailable', `${path} can't be locked: ${systemReason(cause)}.`, { cause })
  }
  const taken = lock
  return () => taken.close()
}

/** On a file that may only be read, SQLite begins a reading transaction instead, which locks nobody out. */
function assertExclusive(lock: Database): void {
  const state = new Int32Array(2)
  lock.fileControl(constants.SQLITE_FCNTL_LOCKSTATE, state)
  if (state[0] !== exclusive) throw new Error('it is not writable')
}

/** https://sqlite.org/c3ref/c_lock_exclusive.html */
const exclusive = 4
