/**
 * Opens the one SQLite file. WAL with `synchronous=FULL`: a commit has reached the disk before anyone
 * hears of it. https://sqlite.org/pragma.html#pragma_synchronous
 */

import { constants, Database } from 'bun:sqlite'
import { type BunSQLiteDatabase, drizzle } from 'drizzle-orm/bun-sqlite'
import { AppError } from '../lib/error.ts'
import { assertEnvironment, markEnvironment } from './environment.ts'
import { migrate } from './migrate.ts'
import { giveToOwner } from './owner.ts'

export type Tables = BunSQLiteDatabase

export interface OpenDatabase {
  /** Typed queries; prepare them once. */
  readonly tables: Tables
  /** The same connection, for transactions and pragmas. */
  readonly connection: Database
  /**
   * Moves the write-ahead log into the file, as far as other processes allow without waiting for them, and closes
   * it. Every statement ends with it.
   */
  close(): void
}

/** How long opening waits for another process that is migrating or recovering the file, in milliseconds. */
const openingPatienceMs = 10_000

/**
 * Opens and migrates the database at `path` (`:memory:` for one that is gone when closed). Afterwards a
 * statement waits `patienceMs` for another process's lock: nothing in a server, which must not stall its
 * reads, and seconds in a command. Throws `storage_unavailable` if the file can't be used.
 */
export function openDatabase(path: string, patienceMs: number): OpenDatabase {
  let connection: Database | undefined
  try {
    connection = connect(path)
    connection.run('PRAGMA synchronous = FULL')
    connection.run('PRAGMA temp_store = MEMORY')
    connection.run('PRAGMA cache_size = -32000')
    // 16 MiB of log: under load a page is written to it many times before it has to go into the file once.
    connection.run('PRAGMA wal_autocheckpoint = 4000')
    migrate(connection)
    // A property of the connection, not of the file: off unless switched on at every opening.
    connection.run('PRAGMA foreign_keys = ON')
    markEnvironment(connection, path)
    connection.run(`PRAGMA busy_timeout = ${patienceMs}`)
  } catch (cause) {
    connection?.close()
    if (cause instanceof AppError) throw cause
    throw new AppError('storage_unavailable', `The database ${path} can't be opened: ${reason(cause)}.`, { cause })
  }
  return { tables: drizzle(connection), connection, close: () => close(connection) }
}

/**
 * Connects to the file that is at `path` once its lock is ours: while we waited for that, a restore may have
 * put another one there, and a connection to the old one would write to the log of the new.
 */
function connect(path: string): Database {
  for (let attempt = 1; attempt <= 10; attempt++) {
    const connection = new Database(path, { create: true, readwrite: true, strict: true })
    try {
      // Before the log is created: SQLite gives that to the owner of the database.
      if (path !== ':memory:') for (const ending of ['', '-wal', '-shm']) giveToOwner(path + ending)
      connection.run(`PRAGMA busy_timeout = ${openingPatienceMs}`)
      assertEnvironment(connection, path)
      connection.run('PRAGMA journal_mode = WAL')
      // In WAL mode the lock is kept from here on: no restore replaces this file any more.
      if (!hasMoved(connection)) return connection
    } catch (cause) {
      if (!hasMoved(connection)) {
        connection.close()
        throw cause
      }
    }
    connection.close()
  }
  throw new AppError('storage_unavailable', `The database ${path} is being replaced again and again: try later.`)
}

/** Whether the file that a connection has open is no longer the one at its path. */
export function hasMoved(connection: Database): boolean {
  // SQLite writes an `int`; Bun wants eight bytes at least.
  const answer = new Int32Array(2)
  connection.fileControl(constants.SQLITE_FCNTL_HAS_MOVED, answer)
  return answer[0] !== 0
}

/** The id of the row that a prepared insert has added: drizzle types what bun:sqlite's `run` returns as void. */
export function insertedId(result: unknown): number {
  return (result as { readonly lastInsertRowid: number }).lastInsertRowid
}

/**
 * PASSIVE, because the other kinds of checkpoint hold the write lock while they wait for readers. The last
 * connection removes the log when it closes, which it does only when all its statements are finalized.
 */
function close(connection: Database): void {
  try {
    connection.run('PRAGMA busy_timeout = 0')
    connection.run('PRAGMA wal_checkpoint(PASSIVE)')
  } catch {
    // Another process is at it, or the disk refuses. Nothing is lost: the log stays beside the file.
  }
  connection.close(true)
}

function reason(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  if (code === 'SQLITE_NOTADB') return 'it is not a pet store database'
  if (code === 'SQLITE_CANTOPEN') return 'the folder is missing or not writable'
  if (code === 'SQLITE_BUSY') return 'another process keeps it locked'
  return cause instanceof Error ? cause.message : String(cause)
}
