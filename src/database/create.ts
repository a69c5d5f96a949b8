/**
 * Creates a new database. It is renamed to its final name when it is complete and on disk. A start that is killed then
 * leaves no file that looks like a store, and an empty file has always lost its content.
 */

import { Database } from 'bun:sqlite'
import { existsSync, lstatSync, readlinkSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { AppError } from '../lib/error.ts'
import { giveToOwner } from '../lib/file-owner.ts'
import { flush } from '../lib/flush.ts'
import { markEnvironment } from './environment.ts'
import { faultOf } from './faults/fault.ts'
import { hasMoved } from './files.ts'
import { emptyDatabase, migrate } from './migrate.ts'

/** Log files, which SQLite would apply to any database of the same name. */
const logs = ['-wal', '-journal']

/**
 * Creates a database with the schema of this executable at `path`, unless the file exists. Several processes may do it
 * at the same time. Throws `storage_unavailable` if there is an empty file or the log of another database.
 */
export function createMissing(path: string, lockTimeoutMs: number): void {
  for (let isDone = false; !isDone; ) {
    const size = statSync(path, { throwIfNoEntry: false })?.size
    if (size === 0) throw emptyDatabase(path)
    if (size !== undefined) return
    if (lstatSync(path, { throwIfNoEntry: false })) throw danglingLink(path)
    const { connection, incoming } = lockCreation(path, lockTimeoutMs)
    try {
      isDone = fill(connection, path, incoming)
    } finally {
      connection.close()
    }
  }
}

/**
 * Locks the new file that becomes the database at `path` when it is complete: no other process can create that database
 * until the connection is closed. Throws the error of SQLite if another process keeps the lock for `lockTimeoutMs`.
 */
export function lockCreation(path: string, lockTimeoutMs: number): { connection: Database; incoming: string } {
  const incoming = `${path}-new`
  for (;;) {
    const connection = new Database(incoming, { create: true, readwrite: true })
    try {
      if (isLocked(connection, incoming, lockTimeoutMs)) {
        giveToOwner(incoming)
        return { connection, incoming }
      }
    } catch (error) {
      connection.close()
      throw error
    }
    connection.close()
  }
}

/**
 * Whether this process has locked the new file. If not, another process has renamed it, or a killed process has left
 * it.
 */
function isLocked(connection: Database, incoming: string, lockTimeoutMs: number): boolean {
  try {
    connection.run(`PRAGMA busy_timeout = ${lockTimeoutMs}`)
    // An incomplete file of a killed process is deleted, so that no journal is needed to recover it.
    connection.run('PRAGMA journal_mode = MEMORY')
    connection.run('BEGIN EXCLUSIVE')
    return !hasMoved(connection)
  } catch (error) {
    // SQLite fails with several errors if the file was renamed or removed.
    if (hasMoved(connection)) return false
    if (faultOf(error) !== 'malformed') throw error
    // An incomplete file of a killed process: a running one would have the lock.
    rmSync(incoming, { force: true })
    return false
  }
}

/** Whether the new file became the database. If not, another process was faster, or the file is of a killed process. */
function fill(connection: Database, path: string, incoming: string): boolean {
  try {
    const isLeftOver = statSync(incoming).size > 0
    if (isLeftOver || existsSync(path)) {
      rmSync(incoming)
      return false
    }
    assertNoLog(path)
    // The lock is kept over the commits, until the connection is closed.
    connection.run('PRAGMA locking_mode = EXCLUSIVE')
    connection.run('COMMIT')
    migrate(connection, { isNew: true })
    markEnvironment(connection, path)
    renameSync(incoming, path)
    flush(dirname(path))
    return true
  } catch (error) {
    rmSync(incoming, { force: true })
    throw error
  }
}

function assertNoLog(path: string): void {
  for (const ending of logs) {
    if ((statSync(path + ending, { throwIfNoEntry: false })?.size ?? 0) === 0) rmSync(path + ending, { force: true })
    else throw orphanedLog(path, path + ending)
  }
  rmSync(`${path}-shm`, { force: true })
}

function danglingLink(path: string): AppError {
  const message = `The database ${path} is a symbolic link to ${readlinkSync(path)}, where there is no file. Put the file back or mount its disk; remove the link to begin a new store.`
  return new AppError('storage_unavailable', message)
}

function orphanedLog(path: string, log: string): AppError {
  return new AppError(
    'storage_unavailable',
    `The database ${path} is missing, but its log ${basename(log)} is there. Put the database back or restore a backup; to begin a new store, move the log away.`,
  )
}
