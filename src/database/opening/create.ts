/**
 * Makes a new database. It gets its name when it is complete and on the disk, so that a start that is killed leaves
 * nothing that the next one could take for a store, and an empty file is always one that has lost its content.
 */

import { Database } from 'bun:sqlite'
import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  openSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname } from 'node:path'
import { AppError } from '../../lib/error.ts'
import { markEnvironment } from '../environment.ts'
import { faultOf } from '../faults/fault.ts'
import { emptyDatabase, migrate } from '../migrate.ts'
import { giveToOwner } from '../owner.ts'
import { hasMoved } from './moved.ts'

/** Files that belong to a database and would be applied to another one of its name. */
const logs = ['-wal', '-journal']

/**
 * Makes a database with the schema of this executable at `path` unless there is a file. Safe against other processes that
 * do the same. Throws `storage_unavailable` if there is an empty file or the log of another database.
 */
export function createMissing(path: string, lockTimeoutMs: number): void {
  const incoming = `${path}-new`
  for (let isDone = false; !isDone; ) {
    const size = statSync(path, { throwIfNoEntry: false })?.size
    if (size === 0) throw emptyDatabase(path)
    if (size !== undefined) return
    if (lstatSync(path, { throwIfNoEntry: false })) throw danglingLink(path)
    const connection = new Database(incoming, { create: true, readwrite: true })
    try {
      isDone = isLocked(connection, incoming, lockTimeoutMs) && fill(connection, path, incoming)
    } finally {
      connection.close()
    }
  }
}

/** Whether the new file is ours alone; if not, somebody has given it its name, or a killed process had left it. */
function isLocked(connection: Database, incoming: string, lockTimeoutMs: number): boolean {
  try {
    connection.run(`PRAGMA busy_timeout = ${lockTimeoutMs}`)
    // What a killed process leaves is thrown away, so that no journal is needed to recover it.
    connection.run('PRAGMA journal_mode = MEMORY')
    connection.run('BEGIN EXCLUSIVE')
    return !hasMoved(connection)
  } catch (error) {
    // SQLite fails in several ways where the file has lost its name.
    if (hasMoved(connection)) return false
    if (faultOf(error) !== 'malformed') throw error
    // Half a page of a killed process. One that is at work has the lock.
    rmSync(incoming, { force: true })
    return false
  }
}

/** Whether it became the database; if not, somebody was quicker or a killed process had left it. */
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
    giveToOwner(incoming)
    migrate(connection, { isNew: true })
    markEnvironment(connection, path)
    renameSync(incoming, path)
    flushDirectory(dirname(path))
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

function flushDirectory(path: string): void {
  const directory = openSync(path, 'r')
  try {
    fsyncSync(directory)
  } finally {
    closeSync(directory)
  }
}

function danglingLink(path: string): AppError {
  const message = `The database ${path} is a symbolic link to ${readlinkSync(path)}, where there is no file. Put the file back or mount its disk; remove the link to begin a new store.`
  return new AppError('storage_unavailable', message)
}

function orphanedLog(path: string, log: string): AppError {
  return new AppError(
    'storage_unavailable',
    `The database ${path} is missing, but its log ${basename(log)} is there. Put the database back, or move the log away to begin a new store.`,
  )
}
