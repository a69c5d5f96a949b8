/** Databases in which imports are staged. Each is a file beside the store without a name, so that a crash leaves nothing. */

import { Database } from 'bun:sqlite'
import { rmSync } from 'node:fs'

/** Returns a function that opens an empty database, which exists until it is closed. */
export function createStageFiles(databasePath: string): () => Database {
  let count = 0
  return () => {
    const path = databasePath === ':memory:' ? databasePath : `${databasePath}-import-${++count}`
    if (path !== ':memory:') rmSync(path, { force: true })
    const database = new Database(path, { create: true, readwrite: true, strict: true })
    // Nothing survives the process, and memory is limited to two megabytes.
    for (const pragma of [
      'journal_mode = MEMORY',
      'synchronous = OFF',
      'locking_mode = EXCLUSIVE',
      'cache_size = -2000',
    ]) {
      database.run(`PRAGMA ${pragma}`)
    }
    // This write opens the file. The connection keeps it. Without a journal on disk SQLite never opens it by its name again.
    database.run('PRAGMA user_version = 1')
    if (path !== ':memory:') rmSync(path)
    return database
  }
}
