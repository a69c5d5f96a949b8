/** The id of a store, read from its file: a service serves one store, and must not serve another by mistake. */

import { openForReading } from '../../database/open.ts'
import { AppError } from '../../lib/error.ts'
import { systemReason } from '../../lib/system-error.ts'

/**
 * The id of the store whose database is at `path`, whatever the version of its schema; nothing is changed. `open` is
 * for a file that is not a database in use. Throws `storage_unavailable` if the file is missing or is not a store.
 */
export function readStoreId(path: string, open = openForReading): string {
  try {
    const database = open(path)
    try {
      // The column is older than its use as an id.
      const row = database.query<{ cookie_id: string }, []>('SELECT cookie_id FROM installation').get()
      if (row) return row.cookie_id
    } finally {
      database.close()
    }
  } catch (cause) {
    throw new AppError('storage_unavailable', `The store ${path} can't be read: ${systemReason(cause)}.`, { cause })
  }
  throw new AppError('storage_unavailable', `${path} is not the database of a store.`)
}
