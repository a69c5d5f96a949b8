/** Opening the database in a file that no other process opens: a backup, or a copy that is being made. */

import { constants, Database } from 'bun:sqlite'
import { pathToFileURL } from 'node:url'

/** With `immutable=1`, SQLite takes no locks and creates no other files. https://sqlite.org/uri.html#uriimmutable */
export function openImmutable(path: string): Database {
  const { SQLITE_OPEN_READONLY, SQLITE_OPEN_URI } = constants
  return new Database(`${pathToFileURL(path).href}?immutable=1`, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
}

/** Changes an unfinished copy without flushing it. If this fails, the copy must be thrown away. Returns what `change` returns. */
export function changeCopy<T>(path: string, change: (copy: Database) => T): T {
  const copy = new Database(path, { create: false, readwrite: true, strict: true })
  try {
    copy.run('PRAGMA synchronous = OFF')
    return change(copy)
  } finally {
    copy.close(true)
  }
}

export function hasTable(database: Database, name: string): boolean {
  return database.query("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(name) !== null
}
