/** Periodic checks of the storage: they detect faults that no request has caused, and the end of faults. */

import type { Log } from '../../lib/log.ts'
import { type Job, togetherMs } from '../../lib/scheduler.ts'
import type { OpenDatabase } from '../open.ts'
import { isOnReadOnlyDisk } from '../opening/access.ts'
import { share } from '../opening/connect.ts'
import type { FaultMonitor } from './monitor.ts'
import type { StorageWatch } from './watch.ts'

export interface StorageParts {
  readonly databasePath: string
  readonly database: OpenDatabase
  readonly faults: FaultMonitor
  readonly watch: StorageWatch
  readonly log: Log
  /** Resolves if the database can be written. */
  readonly readiness: () => Promise<void>
}

export function storageJobs({ databasePath, database, faults, watch, log, readiness }: StorageParts): readonly Job[] {
  let isExclusive = database.mode === 'exclusive'
  let isReadOnly = database.isReadOnly

  /** Called when a full disk has space again: commands can then use the database again. */
  function endExclusive(): void {
    share(database.connection)
    database.files.renew()
    isExclusive = false
  }

  /** SQLite has opened its files for reading only and can't change that. */
  function adviseRestart(): void {
    if (isOnReadOnlyDisk(databasePath)) return
    isReadOnly = false
    log.warn('the disk of the database is no longer read-only: restart petstore, which then accepts writes again')
  }

  return [
    { name: 'check the database files', everyMs: togetherMs, run: watch.check },
    {
      name: 'check whether a storage fault has ended',
      everyMs: 1_000,
      async run() {
        faults.endQuiet()
        if (isReadOnly) adviseRestart()
        if (faults.current() === undefined && !isExclusive) return
        try {
          await readiness()
          if (isExclusive) endExclusive()
        } catch {
          // The monitor has recorded the reason.
        }
      },
    },
  ]
}
