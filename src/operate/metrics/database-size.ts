/** The sizes of the database file and its write-ahead log. */

import type { Database } from 'bun:sqlite'
import { statSync } from 'node:fs'

export interface DatabaseSize {
  readonly databaseBytes: number | undefined
  readonly logBytes: number | undefined
}

/**
 * Returns a function that reads the sizes: undefined for an inaccessible file, 0 for the log of a database in memory.
 */
export function createDatabaseSize(connection: Database) {
  // The target if the path is a symbolic link; empty for a database in memory.
  const file = connection
    .query<{ file: string }, []>("SELECT file FROM pragma_database_list WHERE name = 'main'")
    .get()?.file
  if (file) return (): DatabaseSize => ({ databaseBytes: bytesOf(file), logBytes: bytesOf(`${file}-wal`) })
  const read = connection.prepare<{ bytes: number }, []>(
    'SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size',
  )
  return (): DatabaseSize => ({ databaseBytes: read.get()?.bytes ?? 0, logBytes: 0 })
}

function bytesOf(path: string): number | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })?.size
  } catch {
    return undefined
  }
}
