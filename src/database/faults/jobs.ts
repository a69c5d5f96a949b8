/** The periodic checks of the storage: they notice what no request meets, and that a fault has ended. */

import type { Job } from '../../lib/scheduler.ts'
import type { FaultMonitor } from './monitor.ts'
import type { StorageWatch } from './watch.ts'

export interface StorageParts {
  readonly faults: FaultMonitor
  readonly watch: StorageWatch
  /** Resolves if the database can be written. */
  readonly readiness: () => Promise<void>
}

export function storageJobs({ faults, watch, readiness }: StorageParts): readonly Job[] {
  return [
    { name: 'check the database files', everyMs: 250, run: watch.check },
    {
      name: 'check whether a storage fault has ended',
      everyMs: 1_000,
      async run() {
        if (faults.current() === undefined) return
        faults.endQuiet()
        // The monitor has noted why it fails.
        await readiness().catch(() => {})
      },
    },
  ]
}
