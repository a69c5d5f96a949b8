/**
 * Opens the SQLite file in WAL mode with `synchronous=FULL`: a commit is on disk before it is reported. A server then
 * takes over the flushing (`log.ts`). https://sqlite.org/pragma.html#pragma_synchronous
 */

import { constants, Database } from 'bun:sqlite'
import { accessSync, existsSync, statSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { type Placeholder, sql } from 'drizzle-orm'
import { type BunSQLiteDatabase, drizzle } from 'drizzle-orm/bun-sqlite'
import { AppError } from '../lib/error.ts'
import { giveToOwner } from '../lib/file-owner.ts'
import { codeOf, systemReason } from '../lib/system-error.ts'
import { createMissing } from './create.ts'
import { assertEnvironment, markEnvironment } from './environment.ts'
import { faultOf, faultTexts, mayBeMissing } from './faults/fault.ts'
import { type DatabaseFiles, hasMoved, rememberFiles } from './files.ts'
import { migrate, needsMigration, versionOf } from './migrate.ts'
import { isOnReadOnlyDisk } from './permissions.ts'

export type Tables = BunSQLiteDatabase

type Mode =
  /** Shared with other processes. */
  | 'shared'
  /** A full disk has no space for the index of the log. The index is in memory, and other processes are locked out. */
  | 'exclusive'
  /** The file without a log, on a read-only disk. */
  | 'immutable'

interface Connection {
  readonly connection: Database
  readonly mode: Mode
  /** Whether it was opened on a read-only disk. */
  readonly isReadOnly: boolean
}

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
   * If another process has begun a new log, ensures that this connection no longer changes any file; its statements
   * fail then. To be called before the process exits without `close`, because Bun closes open connections. Returns
   * whether it was necessary.
   */
  detachIfReplaced(): boolean
  /**
   * Moves the write-ahead log into the file, as far as that is possible without waiting for other processes, and closes
   * the connection. Statements must not be used afterwards. Throws `storage_unavailable` if another process has begun a
   * new log meanwhile: the connection is closed then, and the files are left as they are.
   */
  close(): void
}

/**
 * A log that begins anew is shortened to this size: it has grown while another process was reading. The usual one has
 * less.
 */
export const keptLogBytes = 67_108_864

/** How long opening waits for another process that creates, migrates or recovers the file, in milliseconds. */
const openingTimeoutMs = 10_000

export interface OpenOptions {
  /** Called before the migration of a database that exists. What it throws prevents the migration. */
  readonly beforeMigration?: (() => void) | undefined
  /** Others than those of this petstore, for tests of an upgrade. */
  readonly migrations?: readonly string[]
}

/**
 * Opens the database at `path` (`:memory:` for one that exists until it is closed), creates it if it is missing, and
 * migrates it. Afterwards a statement waits `timeoutMs` for the lock of another process: 0 in a server, whose reads
 * must not wait, and seconds in a command. On a disk that is full or read-only it can only be read. Throws
 * `storage_unavailable` if the file can't be used. A process that may migrate must have the lock of the store
 * (`lock.ts`): an older server would continue with a schema that it doesn't know.
 */
export function openDatabase(path: string, timeoutMs: number, options: OpenOptions = {}): OpenDatabase {
  let opened: Connection | undefined
  try {
    opened = path === ':memory:' ? connectMemory() : connectFile(path, options)
    const { connection, mode } = opened
    connection.run('PRAGMA synchronous = FULL')
    connection.run('PRAGMA temp_store = MEMORY')
    connection.run('PRAGMA cache_size = -32000')
    // 4 MiB of log: a commit copies that many pages into the file in about 10 ms, which blocks the event loop of a
    // server.
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

function connectFile(path: string, { beforeMigration, migrations: all }: OpenOptions): Connection {
  const isReadOnly = isOnReadOnlyDisk(path)
  if (!isReadOnly) createMissing(path, openingTimeoutMs)
  const opened = connect(path, openingTimeoutMs, isReadOnly)
  try {
    if (needsMigration(opened.connection, all)) {
      if (opened.mode !== 'shared') throw unmigratable(path, opened.mode)
      // An empty one has no content.
      if (versionOf(opened.connection) > 0) beforeMigration?.()
      migrate(opened.connection, { isNew: false, all })
    }
    return opened
  } catch (error) {
    opened.connection.close()
    throw error
  }
}

function unmigratable(path: string, mode: Mode): AppError {
  const reason = mode === 'immutable' ? 'read-only: make it writable' : 'full: free some space on it'
  const message = `The database ${path} has to be migrated to the version of this petstore, and its disk is ${reason}, then start again. Nothing was changed.`
  return new AppError('storage_unavailable', message)
}

/**
 * Connects to the file that is at `path` when its lock was acquired, in the best mode that its disk allows: on a full
 * or read-only disk it can still be read (https://sqlite.org/wal.html#noshm, https://sqlite.org/wal.html#readonly). A
 * restore may replace the file while this process waits for the lock, and a connection to the old file would write to
 * the log of the new one.
 */
function connect(path: string, lockTimeoutMs: number, isReadOnly: boolean): Connection {
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
    // In WAL mode the lock is kept from here on, so that a restore can no longer replace this file.
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

/** Opens a database for reading only. One without a log is not in use, and SQLite would create a log for it. */
export function openForReading(path: string): Database {
  accessSync(path)
  if (statSync(path).size === 0 || !existsSync(`${path}-wal`)) return openImmutable(path)
  const database = new Database(path, constants.SQLITE_OPEN_READONLY)
  // A process that opens or closes the database locks it for a moment.
  database.run('PRAGMA busy_timeout = 2000')
  return database
}

/**
 * Opens a file that no other process changes, such as a backup. With `immutable=1`, SQLite takes no locks and creates
 * no other files. https://sqlite.org/uri.html#uriimmutable
 */
export function openImmutable(path: string): Database {
  const { SQLITE_OPEN_READONLY, SQLITE_OPEN_URI } = constants
  return new Database(`${pathToFileURL(path).href}?immutable=1`, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
}

/**
 * Opens a second connection to an open database, for a long read; that of a database in memory is a copy. Throws
 * SQLite's error if the file can't be read, and if the first connection has it for itself.
 */
export function openReader({ connection, mode }: Pick<OpenDatabase, 'connection' | 'mode'>, path: string): Database {
  if (path === ':memory:') return Database.deserialize(connection.serialize())
  if (mode === 'immutable') return openImmutable(path)
  const reader = new Database(path, { readwrite: true, create: false, strict: true })
  try {
    reader.run('PRAGMA query_only = ON')
    // SQLite opens the file with the first statement that reads it.
    reader.query('SELECT 1 FROM sqlite_schema').get()
    return reader
  } catch (error) {
    reader.close()
    throw error
  }
}

/**
 * Makes an exclusive database accessible to other processes once its disk has space. If that fails, throws SQLite's
 * error and changes nothing.
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

/** A prepared query of drizzle. */
export interface Prepared {
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

/**
 * The parameter of a limit. SQLite prepares a statement again each time that the value of a plain `LIMIT ?` is bound,
 * but not for an expression: a page of 20 rows takes a third of the time. SQL text has `LIMIT ?1 + 0`.
 */
export function limitParameter(name: string): Placeholder {
  // drizzle passes an expression on, which its type does not say.
  return sql`${sql.placeholder(name)} + 0` as unknown as Placeholder
}

/** The id of the row that a prepared insert has added. bun:sqlite's `run` returns it, but drizzle's type is void. */
export function insertedId(result: unknown): number {
  return (result as { readonly lastInsertRowid: number }).lastInsertRowid
}

/**
 * PASSIVE, because other kinds of checkpoint keep the write lock while they wait for readers. The last
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
 * Prevents the checkpoint that SQLite makes when it closes a connection, if it would overwrite the changes of another
 * process with older pages and remove its log. Returns whether that was necessary.
 */
function detachIfReplaced(connection: Database, files: DatabaseFiles): boolean {
  const isReplaced = files.fault() === 'log_replaced'
  if (isReplaced) connection.fileControl(nullIo, new Int32Array(2))
  return isReplaced
}

/** The reason in one or more sentences. */
function reason(cause: unknown): string {
  if (codeOf(cause) === 'SQLITE_NOTADB') return 'it is not a pet store database.'
  const fault = faultOf(cause)
  if (fault === undefined) return `${systemReason(cause)}.`
  return `${faultTexts[fault].message} ${faultTexts[fault].advice}`
}
