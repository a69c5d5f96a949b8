/** Runs the writes of one transaction so that each can be rolled back alone. */

import type { Database } from 'bun:sqlite'
import type { TransactionAnnouncements } from './announcements.ts'
import { faultOf } from './faults/fault.ts'

/** What a write returned, or why it was rolled back. */
export type Outcome = { readonly value: unknown } | { readonly error: unknown }

/**
 * Returns a function that runs `work` in a savepoint of the transaction in progress. It throws if SQLite has ended the
 * transaction, and with it rolled back everything before, if it can't roll `work` back alone, or if the file is damaged.
 * `reasonOf` returns what a write that threw is rejected with.
 */
export function createSavepoints(
  connection: Database,
  announcements: Pick<TransactionAnnouncements, 'keep' | 'discard'>,
  reasonOf: (error: unknown) => unknown,
): (work: () => unknown) => Outcome {
  const savepoint = connection.prepare('SAVEPOINT write')
  const release = connection.prepare('RELEASE write')
  const rollback = connection.prepare('ROLLBACK TO write')

  return (work) => {
    try {
      savepoint.run()
      const value = work()
      release.run()
      announcements.keep()
      return { value }
    } catch (error) {
      const reason = reasonOf(error)
      // A full disk can end the whole transaction. The remaining writes must not run outside of one.
      if (!connection.inTransaction || faultOf(reason) === 'malformed') throw reason
      announcements.discard()
      rollback.run()
      release.run()
      return { error: reason }
    }
  }
}
