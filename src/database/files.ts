/**
 * Detects that the files of an open database are no longer the ones at their paths. A connection continues to use a
 * file that was removed, while other processes open the one at the path.
 */

import { constants, type Database } from 'bun:sqlite'
import { type Stats, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { systemClock } from '../lib/clock.ts'
import type { FileFault } from './faults/fault.ts'

export interface DatabaseFiles {
  /** The database file itself, where its path is a symbolic link; empty for a database in memory. */
  readonly file: string
  /** The fault of the files that are not the opened ones; undefined if all are. Costs a system call, rarely more. */
  fault(): FileFault | undefined
  /** Called after SQLite itself has replaced the log. */
  renew(): void
}

export interface FileSystem {
  /** The time by which the file system dates changes, in Unix milliseconds. */
  readonly now: () => number
  /** The file at a path, following links; undefined if there is none. Throws if it can't be read. */
  readonly stat: (path: string) => Stats | undefined
}

const systemFiles: FileSystem = {
  now: systemClock.now,
  stat: (path) => statSync(path, { throwIfNoEntry: false }),
}

/**
 * After this time, in milliseconds, a further change of a directory has another time than the one before: the coarsest
 * steps in which file systems date changes are those of FAT, two seconds.
 */
const distinctMs = 2_500

/**
 * Remembers the files that `connection` has open, and the lock of the server if there is one; `path` is the configured
 * path.
 */
export function rememberFiles(
  connection: Database,
  path: string,
  { now, stat }: FileSystem = systemFiles,
): DatabaseFiles {
  const query = connection.query<{ file: string }, []>("SELECT file FROM pragma_database_list WHERE name = 'main'")
  const file = query.get()?.file ?? ''
  if (file === '') return { file, fault: () => undefined, renew() {} }

  const databases = [...new Set([file, resolve(path)])]
  const directories = [...new Set(databases.map(dirname))]
  const [log, index, lock] = [`${file}-wal`, `${file}-shm`, `${path}-serving`]
  const remember = () => new Map([...databases, log, index, lock].map((one) => [one, find(one)]))
  let opened = remember()
  let isLogReplaced = false
  /**
   * The directories when all files in them were the opened ones; undefined if a change since then could go unnoticed.
   */
  let checked: (Stats | undefined)[] | undefined

  function find(one: string): Stats | undefined {
    try {
      return stat(one)
    } catch {
      return undefined
    }
  }

  function isGone(one: string): boolean {
    const known = opened.get(one)
    return known !== undefined && !isSameFile(known, find(one))
  }

  /** Whether another process may have written changes that are not in this log. */
  function hasOtherLog(): boolean {
    const present = isGone(log) ? find(log) : undefined
    // A process that has not written leaves an empty log.
    if (present) return present.size > 0
    return isGone(index) && find(index) !== undefined
  }

  function findFault(): FileFault | undefined {
    if (databases.some(isGone)) return 'file_gone'
    // Also when the old log is put back: the changes of the other process may be in the database by then.
    if (isLogReplaced) return 'log_replaced'
    if (isGone(log) || isGone(index)) {
      isLogReplaced = hasOtherLog()
      return isLogReplaced ? 'log_replaced' : 'log_gone'
    }
    return isGone(lock) ? 'lock_gone' : undefined
  }

  return {
    file,
    fault() {
      // A file appears or disappears only in a change of its directory. Examining the file itself would wait for its
      // flush (decision 25).
      const present = directories.map(find)
      if (checked?.every((before, i) => isUnchanged(before, present[i]))) return undefined
      const fault = findFault()
      const isDistinct = present.every((one) => one !== undefined && now() - one.ctimeMs > distinctMs)
      checked = fault === undefined && isDistinct ? present : undefined
      return fault
    },
    renew() {
      opened = remember()
      checked = undefined
    },
  }
}

function isSameFile(a: Stats, b: Stats | undefined): boolean {
  return a.dev === b?.dev && a.ino === b.ino
}

function isUnchanged(before: Stats | undefined, after: Stats | undefined): boolean {
  return before !== undefined && isSameFile(before, after) && before.ctimeMs === after?.ctimeMs
}

/** Whether the open file of a connection is no longer the one at its path. Costs a system call. */
export function hasMoved(connection: Database): boolean {
  // SQLite writes an `int`; Bun needs at least eight bytes.
  const result = new Int32Array(2)
  connection.fileControl(constants.SQLITE_FCNTL_HAS_MOVED, result)
  return result[0] !== 0
}
