/** Tells whether a connection still has the file that is at its path. */

import { constants, type Database } from 'bun:sqlite'

/** Whether the file that a connection has open is no longer the one at its path. Costs a system call. */
export function hasMoved(connection: Database): boolean {
  // SQLite writes an `int`; Bun wants eight bytes at least.
  const result = new Int32Array(2)
  connection.fileControl(constants.SQLITE_FCNTL_HAS_MOVED, result)
  return result[0] !== 0
}
