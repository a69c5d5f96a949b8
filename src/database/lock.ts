/**
 * One server a database: limits are counted in memory, so two servers on the same file would each give
 * out the whole of them. The lock is SQLite's own on a file beside the database and goes with the process.
 */

import { Database } from 'bun:sqlite'
import { AppError } from '../lib/error.ts'

/** Takes the lock or throws `conflict` if a running server has it. Gives back what releases it. */
export function lockForServing(databasePath: string): () => void {
  const lock = new Database(`${databasePath}-serving`, { create: true, readwrite: true })
  try {
    lock.run('BEGIN EXCLUSIVE')
  } catch (cause) {
    lock.close()
    throw new AppError('conflict', `Another petstore is serving ${databasePath}: stop it, or use another --data.`, {
      cause,
    })
  }
  return () => lock.close()
}
