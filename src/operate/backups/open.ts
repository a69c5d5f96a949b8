/** Changing the database of a copy that is being made, and looking at its tables. */

import { Database } from 'bun:sqlite'

/**
 * Changes an unfinished copy without flushing it. If this fails, the copy must be thrown away. Returns what `change`
 * returns.
 */
export function changeCopy<T>(path: string, change: (copy: Database) => T): T {
  const copy = new Database(path, { create: false, readwrite: true, strict: true })
  try {
    copy.run('PRAGMA synchronous = OFF')
    return change(copy)
  } finally {
    copy.close(true)
  }
}

/** Whether there is a table, or a view, with this name. */
export function hasTable(database: Database, name: string): boolean {
  return database.query("SELECT 1 FROM sqlite_master WHERE type IN ('table', 'view') AND name = ?").get(name) !== null
}
