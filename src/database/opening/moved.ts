/** Detects that the file of a connection was moved, removed or replaced. */

import { constants, type Database } from 'bun:sqlite'

/** Whether the open file of a connection is no longer the one at its path. Costs a system call. */
export function hasMoved(connection: Database): boolean {
  // SQLite writes an `int`; Bun needs at least eight bytes.
  const result = new Int32Array(2)
  connection.fileControl(constants.SQLITE_FCNTL_HAS_MOVED, result)
  return result[0] !== 0
}
