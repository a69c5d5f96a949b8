/** Consistent reads by several statements. */

import type { Database } from 'bun:sqlite'

export type Snapshot = <T>(read: () => T) => T

/**
 * Returns a function that runs synchronous reads in one read transaction, so that all of them see the same commit even
 * while another process writes. Inside a transaction it runs them in that. https://sqlite.org/isolation.html
 */
export function createSnapshot(connection: Database): Snapshot {
  const begin = connection.prepare('BEGIN')
  const commit = connection.prepare('COMMIT')
  return (read) => {
    if (connection.inTransaction) return read()
    begin.run()
    try {
      return read()
    } finally {
      // SQLite ends the transaction itself after some faults of the disk.
      if (connection.inTransaction) commit.run()
    }
  }
}
