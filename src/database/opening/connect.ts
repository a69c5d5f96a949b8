/**
 * Connects to a database file in the best mode that its disk allows: on a full or read-only disk it can still be read.
 * https://sqlite.org/wal.html#noshm and https://sqlite.org/wal.html#readonly
 */

import { constants, Database } from 'bun:sqlite'
import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { AppError } from '../../lib/error.ts'
import { assertEnvironment } from '../environment.ts'
import { faultOf } from '../faults/fault.ts'
import { giveToOwner } from '../owner.ts'
import { hasMoved } from './moved.ts'

export type Mode =
  /** Shared with other processes. */
  | 'shared'
  /** A full disk has no space for the index of the log. The index is in memory, and other processes are locked out. */
  | 'exclusive'
  /** The file without a log, on a read-only disk. */
  | 'immutable'

export interface Connection {
  readonly connection: Database
  readonly mode: Mode
  /** Whether it was opened on a read-only disk. */
  readonly isReadOnly: boolean
}

/**
 * Connects to the file that is at `path` when its lock was acquired. A restore may replace the file while this process
 * waits for the lock, and a connection to the old file would write to the log of the new one.
 */
export function connect(path: string, lockTimeoutMs: number, isReadOnly: boolean): Connection {
  for (let attempt = 1; attempt <= 10; attempt++) {
    const found = tryModes(path, lockTimeoutMs, isReadOnly)
    if (found) return found
  }
  throw new AppError(
    'storage_unavailable',
    `The database ${path} was replaced ten times while petstore tried to open it: try again later.`,
  )
}

/** Returns undefined if the file was replaced in the meantime. */
function tryModes(path: string, lockTimeoutMs: number, isReadOnly: boolean): Connection | undefined {
  try {
    return attach(path, lockTimeoutMs, { mode: 'shared', isReadOnly })
  } catch (cause) {
    if (isReadOnly) {
      if (!existsSync(path)) throw missing(path)
      if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) throw unreadableLog(path, cause)
      return attach(path, lockTimeoutMs, { mode: 'immutable', isReadOnly })
    }
    if (faultOf(cause) === 'full') return attach(path, lockTimeoutMs, { mode: 'exclusive', isReadOnly })
    throw cause
  }
}

function attach(
  path: string,
  lockTimeoutMs: number,
  { mode, isReadOnly }: Omit<Connection, 'connection'>,
): Connection | undefined {
  const connection = mode === 'immutable' ? openImmutable(path) : new Database(path, { readwrite: true, strict: true })
  try {
    // Before the log is created, because SQLite gives it the owner of the database.
    if (!isReadOnly) for (const ending of ['', '-wal', '-shm']) giveToOwner(path + ending)
    connection.run(`PRAGMA busy_timeout = ${lockTimeoutMs}`)
    if (mode === 'exclusive') connection.run('PRAGMA locking_mode = EXCLUSIVE')
    assertEnvironment(connection, path)
    // In WAL mode the lock is kept from here on, so that a restore can't replace this file any more.
    if (mode !== 'immutable') connection.run('PRAGMA journal_mode = WAL')
    if (!hasMoved(connection)) return { connection, mode, isReadOnly }
  } catch (cause) {
    if (!hasMoved(connection)) {
      connection.close()
      throw cause
    }
  }
  connection.close()
  return undefined
}

function openImmutable(path: string): Database {
  const { SQLITE_OPEN_READONLY, SQLITE_OPEN_URI } = constants
  return new Database(`${pathToFileURL(resolve(path)).href}?immutable=1`, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
}

/**
 * Makes an exclusive database accessible to other processes once its disk has space. If that fails, throws SQLite's error
 * and changes nothing.
 */
export function share(connection: Database): void {
  // SQLite can't end exclusive locking in WAL mode if WAL mode began with it.
  connection.run('PRAGMA journal_mode = DELETE')
  connection.run('PRAGMA locking_mode = NORMAL')
  connection.run('PRAGMA journal_mode = WAL')
  connection.query('SELECT 1 FROM sqlite_schema').get()
}

function unreadableLog(path: string, cause: unknown): AppError {
  return new AppError(
    'storage_unavailable',
    `The database ${path} can't be read: its disk is read-only, and its log has to be recovered first. Make the disk writable.`,
    { cause },
  )
}

function missing(path: string): AppError {
  const message = `There is no database ${path}, and none can be created because the disk is read-only. Choose another with --data.`
  return new AppError('storage_unavailable', message)
}
