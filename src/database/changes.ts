/**
 * Detects commits of other processes, so that a running server applies the changes of commands.
 * https://sqlite.org/pragma.html#pragma_data_version
 */

import type { Database } from 'bun:sqlite'
import type { Job } from '../lib/scheduler.ts'
import type { Announcements } from './announcements.ts'

/** A job that announces every topic after another connection has committed. */
export function watchChanges(connection: Database, { transaction }: Pick<Announcements, 'transaction'>): Job {
  const query = connection.prepare<{ data_version: number }, []>('PRAGMA data_version')
  const read = () => query.get()?.data_version
  let seen = read()
  return {
    name: 'detect changes of other processes',
    everyMs: 250,
    run() {
      const version = read()
      if (version === seen) return
      seen = version
      transaction.announceAll()
    },
  }
}
