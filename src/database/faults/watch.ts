/**
 * Detects that the files of an open database are no longer the ones at their paths, and that a newer petstore has
 * changed the schema. A connection continues to write to a removed file, and those writes would be lost.
 */

import { constants } from 'bun:sqlite'
import { closeSync, openSync, readSync } from 'node:fs'
import { codeOf } from '../../lib/system-error.ts'
import type { OpenDatabase } from '../open.ts'
import type { Fault, FileFault } from './fault.ts'
import type { FaultMonitor } from './monitor.ts'

export interface StorageWatch {
  /** The fault that makes a write impossible now. Checks the files. */
  blocked(): Fault | undefined
  /** Checks everything and reports to the monitor. */
  check(): void
}

const fileFaults: readonly FileFault[] = ['file_gone', 'log_gone', 'log_replaced', 'lock_gone']

/** A write to a damaged file can make the damage worse, and may be lost with it. */
const blockingFaults = ['malformed', 'newer_schema'] as const

export function watchStorage({ connection, files }: OpenDatabase, monitor: FaultMonitor): StorageWatch {
  const version = connection.prepare<{ user_version: number }, []>('PRAGMA user_version')
  const schemaVersion = () => version.get()?.user_version ?? 0
  const openedVersion = schemaVersion()

  function checkFiles(): FileFault | undefined {
    const found = files.fault()
    for (const fault of fileFaults) monitor.checked(fault, fault === found)
    return found
  }

  return {
    blocked: () => checkFiles() ?? blockingFaults.find(monitor.has),
    check() {
      checkFiles()
      monitor.checked('newer_schema', schemaVersion() > openedVersion)
    },
  }
}

/**
 * Returns a function that checks whether the disk fails to read the database or its log. SQLite reports an EIO of a
 * read as `SQLITE_CORRUPT`, the same code as for damage.
 */
export function createUnreadableCheck({ connection, files }: OpenDatabase): () => boolean {
  return () => {
    // SQLite writes an `int`; Bun needs at least eight bytes.
    const errno = new Int32Array(2)
    try {
      connection.fileControl(constants.SQLITE_FCNTL_LAST_ERRNO, errno)
      if (errno[0] !== 0) return true
      // Closing a file releases the locks of this process on it. SQLite has none on the log.
      const log = openSync(`${files.file}-wal`, 'r')
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
