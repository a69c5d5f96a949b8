/**
 * Detects that the files of an open database are no longer the ones at their paths. A connection continues to use a file that
 * was removed, while other processes open the one at the path.
 */

import type { Database } from 'bun:sqlite'
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { FileFault } from '../faults/fault.ts'

export interface DatabaseFiles {
  /** The database file itself, where its path is a symbolic link; empty for a database in memory. */
  readonly file: string
  /** The fault of the files that are not the opened ones; undefined if all are. Costs four or five system calls. */
  fault(): FileFault | undefined
  /** Called after SQLite itself has replaced the log. */
  renew(): void
}

/** Remembers the files that `connection` has open, and the lock of the server if there is one; `path` is the configured path. */
export function rememberFiles(connection: Database, path: string): DatabaseFiles {
  const query = connection.query<{ file: string }, []>("SELECT file FROM pragma_database_list WHERE name = 'main'")
  const file = query.get()?.file ?? ''
  if (file === '') return { file, fault: () => undefined, renew() {} }

  const databases = [...new Set([file, resolve(path)])]
  const [log, index, lock] = [`${file}-wal`, `${file}-shm`, `${path}-serving`]
  const remember = () => new Map([...databases, log, index, lock].map((one) => [one, identityOf(one)]))
  let opened = remember()
  let isLogReplaced = false

  function isGone(one: string): boolean {
    const identity = opened.get(one)
    return identity !== undefined && identityOf(one) !== identity
  }

  /** Whether another process may have written changes that are not in this log. */
  function hasOtherLog(): boolean {
    const present = isGone(log) ? find(log) : undefined
    // A process that has not written leaves an empty log.
    if (present) return present.size > 0
    return isGone(index) && find(index) !== undefined
  }

  return {
    file,
    fault() {
      if (databases.some(isGone)) return 'file_gone'
      // Also when the old log is put back: the changes of the other process may be in the database by then.
      if (isLogReplaced) return 'log_replaced'
      if (isGone(log) || isGone(index)) {
        isLogReplaced = hasOtherLog()
        return isLogReplaced ? 'log_replaced' : 'log_gone'
      }
      return isGone(lock) ? 'lock_gone' : undefined
    },
    renew() {
      opened = remember()
    },
  }
}

/** Device and inode of the file at a path, following links; undefined if there is none. */
function identityOf(path: string): string | undefined {
  const found = find(path)
  return found && `${found.dev} ${found.ino}`
}

function find(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
