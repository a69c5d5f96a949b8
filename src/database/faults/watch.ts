/**
 * Detects that the files of an open database are no longer the ones at their paths, and that a newer petstore has changed
 * the schema. A connection continues to write to a removed file, and those writes would be lost.
 */

import { constants, type Database } from 'bun:sqlite'
import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { hasMoved } from '../opening/moved.ts'
import { codeOf, type Fault } from './fault.ts'
import type { FaultMonitor } from './monitor.ts'

export interface StorageWatch {
  /** The fault that makes a write impossible now. Costs a system call. */
  blocked(): Fault | undefined
  /** Checks everything and reports to the monitor. */
  check(): void
  /** Called after SQLite itself has replaced the log. */
  renew(): void
}

/** `path` is the configured path of the database. */
export function watchStorage(connection: Database, path: string, monitor: FaultMonitor): StorageWatch {
  const version = connection.prepare<{ user_version: number }, []>('PRAGMA user_version')
  const schemaVersion = () => version.get()?.user_version ?? 0
  const openedVersion = schemaVersion()
  // The file itself, where `path` is a symbolic link. Empty for a database in memory.
  const file = connection
    .query<{ file: string }, []>("SELECT file FROM pragma_database_list WHERE name = 'main'")
    .get()?.file
  const isFile = file !== undefined && file !== ''
  // SQLite keeps the log and its index while a connection is open. A different file belongs to a different database.
  const paths = isFile ? [path, file, `${file}-wal`, `${file}-shm`] : []
  const present = () =>
    paths.map((one) => ({ one, identity: identityOf(one) })).filter(({ identity }) => identity !== undefined)
  let opened = present()

  return {
    blocked() {
      if (isFile && hasMoved(connection)) monitor.checked('file_gone', true)
      if (monitor.has('file_gone')) return 'file_gone'
      return monitor.has('newer_schema') ? 'newer_schema' : undefined
    },
    check() {
      const isGone = opened.some(({ one, identity }) => identityOf(one) !== identity)
      monitor.checked('file_gone', isGone)
      monitor.checked('newer_schema', schemaVersion() > openedVersion)
    },
    renew() {
      opened = present()
    },
  }
}

/**
 * Returns a function that checks whether the disk fails to read the database or its log. SQLite reports an EIO of a read as
 * `SQLITE_CORRUPT`, the same code as for damage.
 */
export function createUnreadableCheck(connection: Database): () => boolean {
  // Read in advance, because the query could fail while the disk fails.
  const path = `${fileOf(connection)}-wal`
  return () => {
    // SQLite writes an `int`; Bun needs at least eight bytes.
    const errno = new Int32Array(2)
    try {
      connection.fileControl(constants.SQLITE_FCNTL_LAST_ERRNO, errno)
      if (errno[0] !== 0) return true
      // Closing a file releases the locks of this process on it. SQLite has none on the log.
      const log = openSync(path, 'r')
      try {
        const buffer = Buffer.allocUnsafe(1_048_576)
        // With a position, as SQLite reads it.
        for (let at = 0, read = -1; read !== 0; at += read) read = readSync(log, buffer, 0, buffer.length, at)
      } finally {
        closeSync(log)
      }
      return false
    } catch (error) {
      return codeOf(error) === 'EIO'
    }
  }
}

/** The database file itself, where its path is a symbolic link; empty for a database in memory. */
function fileOf(connection: Database): string {
  const query = connection.query<{ file: string }, []>("SELECT file FROM pragma_database_list WHERE name = 'main'")
  return query.get()?.file ?? ''
}

/** Device and inode of the file at a path, following links; undefined if there is none. */
function identityOf(path: string): string | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    return found && `${found.dev} ${found.ino}`
  } catch {
    return undefined
  }
}
