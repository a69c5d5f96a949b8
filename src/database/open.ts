/**
 * Opens the SQLite file in WAL mode with `synchronous=FULL`: a commit is on disk before it is reported. A server then takes over
 * the flushing (`log/log.ts`).
 * https://sqlite.org/pragma.html#pragma_synchronous
 */

import { Database } from 'bun:sqlite'
import { type BunSQLiteDatabase, drizzle } from 'drizzle-orm/bun-sqlite'
import { AppError } from '../lib/error.ts'
import { systemReason } from '../lib/system-error.ts'
import { markEnvironment } from './environment.ts'
import { hasFreeDescriptors } from './faults/descriptors.ts'
import { codeOf, faultOf, faultTexts, mayBeMissing } from './faults/fault.ts'
import { lockForMigrating } from './lock.ts'
import { migrate, needsMigration } from './migrate.ts'
import { isOnReadOnlyDisk } from './opening/access.ts'
import { type Connection, connect, type Mode } from './opening/connect.ts'
import { createMissing } from './opening/create.ts'
import { type DatabaseFiles, rememberFiles } from './opening/files.ts'

export type Tables = BunSQLiteDatabase

export interface OpenDatabase {
  /** Typed queries; prepare them once. */
  readonly tables: Tables
  /** The same connection, for transactions and pragmas. */
  readonly connection: Database
  /** The mode in which it was opened. */
  readonly mode: Mode
  /** Whether it was opened on a read-only disk. It is then read-only until it is opened again. */
  readonly isReadOnly: boolean
  readonly files: DatabaseFiles
  /**
   * If another process has begun a new log, ensures that this connection changes no file any more; statements fail then. To be
   * called before the process exits without `close`, because Bun closes open connections. Returns whether it was necessary.
   */
  detachIfReplaced(): boolean
  /**
   * Moves the write-ahead log into the file, as far as that is possible without waiting for other processes, and closes
   * the connection. Statements must not be used afterwards. Throws `storage_unavailable` if another process has begun a new
   * log meanwhile: the connection is closed then, and the files are left as they are.
   */
  close(): void
}

/** A log that begins anew is shortened to this size: it has grown while another process was reading. The usual one has less. */
export const keptLogBytes = 67_108_864

/** How long opening waits for another process that creates, migrates or recovers the file, in milliseconds. */
const openingTimeoutMs = 10_000

export interface OpenOptions {
  /** Whether this process has the lock of a server (`lock.ts`), which a migration needs. */
  readonly isServing?: boolean
}

/**
 * Opens the database at `path` (`:memory:` for one that exists until it is closed), creates it if it is missing, and migrates
 * it. Afterwards a statement waits `timeoutMs` for the lock of another process: 0 in a server, whose reads must not wait,
 * and seconds in a command. On a disk that is full or read-only it can only be read. Throws `conflict` if a migration is
 * needed while a server runs, and `storage_unavailable` if the file can't be used.
 */
export function openDatabase(path: string, timeoutMs: number, { isServing = false }: OpenOptions = {}): OpenDatabase {
  let opened: Connection | undefined
  try {
    opened = path === ':memory:' ? connectMemory() : connectFile(path, isServing)
    const { connection, mode } = opened
    connection.run('PRAGMA synchronous = FULL')
    connection.run('PRAGMA temp_store = MEMORY')
    connection.run('PRAGMA cache_size = -32000')
    // 4 MiB of log: a commit copies so many pages into the file in about 10 ms, which holds the event loop of a server.
    connection.run('PRAGMA wal_autocheckpoint = 1000')
    connection.run(`PRAGMA journal_size_limit = ${keptLogBytes}`)
    // A property of the connection, not of the file.
    connection.run('PRAGMA foreign_keys = ON')
    if (mode === 'shared') markEnvironment(connection, path)
    connection.run(`PRAGMA busy_timeout = ${timeoutMs}`)
    const files = rememberFiles(connection, path)
    return {
      ...opened,
      tables: drizzle(connection),
      files,
      detachIfReplaced: () => detachIfReplaced(connection, files),
      close: () => close(connection, path, files),
    }
  } catch (cause) {
    opened?.connection.close()
    if (cause instanceof AppError) throw cause
    throw new AppError('storage_unavailable', `The database ${path} can't be opened: ${reason(cause)}`, { cause })
  }
}

function connectMemory(): Connection {
  const connection = new Database(':memory:', { strict: true })
  migrate(connection, { isNew: true })
  return { connection, mode: 'shared', isReadOnly: false }
}

function connectFile(path: string, isServing: boolean): Connection {
  const isReadOnly = isOnReadOnlyDisk(path)
  if (!isReadOnly) createMissing(path, openingTimeoutMs)
  const opened = connect(path, openingTimeoutMs, isReadOnly)
  try {
    migrateFile(opened.connection, path, isServing)
    return opened
  } catch (error) {
    opened.connection.close()
    throw error
  }
}

/** No server of an older petstore may run during a migration: it would continue with a schema that it doesn't know. */
function migrateFile(connection: Database, path: string, isServing: boolean): void {
  if (!needsMigration(connection)) return
  const unlock = isServing ? () => {} : lockForMigrating(path)
  try {
    migrate(connection, { isNew: false })
  } finally {
    unlock()
  }
}

/** A prepared query of drizzle. */
interface Prepared {
  all(values?: Record<string, unknown>): unknown
  get(values?: Record<string, unknown>): unknown
  run(values?: Record<string, unknown>): unknown
  values(values?: Record<string, unknown>): unknown
}

/** The query that `prepare` returns, built and prepared by its first use: a start needs few of them. */
export function lazily<Q extends Prepared>(prepare: () => Q): Pick<Q, keyof Prepared> {
  let prepared: Q | undefined
  const query = () => {
    prepared ??= prepare()
    return prepared
  }
  const lazy: Prepared = {
    all: (values) => query().all(values),
    get: (values) => query().get(values),
    run: (values) => query().run(values),
    values: (values) => query().values(values),
  }
  return lazy as Pick<Q, keyof Prepared>
}

/** The id of the row that a prepared insert has added. bun:sqlite's `run` returns it, but drizzle's type is void. */
export function insertedId(result: unknown): number {
  return (result as { readonly lastInsertRowid: number }).lastInsertRowid
}

/**
 * PASSIVE, because the other kinds of checkpoint hold the write lock while they wait for readers. The last
 * connection removes the log when it closes, which it does only when all its statements are finalized.
 */
function close(connection: Database, path: string, files: DatabaseFiles): void {
  if (detachIfReplaced(connection, files)) {
    connection.close(true)
    const message = `The log of the database ${path} was replaced while petstore used it, and was not moved into the file. ${mayBeMissing}`
    throw new AppError('storage_unavailable', message)
  }
  try {
    connection.run('PRAGMA busy_timeout = 0')
    connection.run('PRAGMA wal_checkpoint(PASSIVE)')
  } catch {
    // Another process uses the database, or the disk is not writable. Nothing is lost: the log remains beside the file.
  }
  connection.close(true)
}

/** https://sqlite.org/c3ref/c_fcntl_begin_atomic_write.html#sqlitefcntlnullio, which Bun has no name for. */
const nullIo = 43

/**
 * Prevents the checkpoint that SQLite makes when it closes a connection, if it would overwrite the changes of another process
 * with older pages and remove that one's log. Returns whether it did.
 */
function detachIfReplaced(connection: Database, files: DatabaseFiles): boolean {
  const isReplaced = files.fault() === 'log_replaced'
  if (isReplaced) connection.fileControl(nullIo, new Int32Array(2))
  return isReplaced
}

/** Descriptors of the file, its log, the log's index, a journal and the directory. */
const descriptorsOfDatabase = 5

/** The reason in one or more sentences. */
function reason(cause: unknown): string {
  if (codeOf(cause) === 'SQLITE_NOTADB') return 'it is not a pet store database.'
  const found = faultOf(cause)
  const fault = found === 'cannot_open' && !hasFreeDescriptors(descriptorsOfDatabase) ? 'no_descriptors' : found
  if (fault === undefined) return `${systemReason(cause)}.`
  return `${faultTexts[fault].message} ${faultTexts[fault].advice}`
}
