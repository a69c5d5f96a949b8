/** Reads that need more than one statement and must agree with each other. */

import type { Database } from 'bun:sqlite'

export type Snapshot = <T>(read: () => T) => T

/**
 * A function that runs synchronous reads in one read transaction, so that all of them see the same commit even while
 * another process writes. Inside a transaction it runs them as they are. https://sqlite.org/isolation.html
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
      // A fault of the disk can end the transaction by itself.
      if (connection.inTransaction) commit.run()
    }
  }
}
