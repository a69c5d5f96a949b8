/** The periodic job that removes what interrupted imports have added. */

import type { Announcements } from '../database/announcements.ts'
import type { Job } from '../lib/scheduler.ts'
import type { AddParts } from './run/add.ts'
import { removeUnfinished } from './run/remove.ts'
import type { RunningImports } from './run/running.ts'

interface ImportJobParts extends AddParts {
  readonly runningImports: RunningImports
  readonly announcements: Pick<Announcements, 'subscribe'>
}

export function importJobs(parts: ImportJobParts): readonly Job[] {
  const { imports, runningImports, announcements } = parts
  /** Whether there may be one. An import that runs here is looked at until it has finished. */
  let mayHaveOne = true
  return [
    {
      name: 'remove interrupted imports',
      everyMs: 1_000,
      idleMs: () => (mayHaveOne ? undefined : Number.POSITIVE_INFINITY),
      wokenBy(wake) {
        announcements.subscribe(['imports'], () => {
          mayHaveOne = true
          wake()
        })
      },
      async run() {
        mayHaveOne = imports.unfinished().length > 0
        // An import or undo that runs begins with the same.
        if (!mayHaveOne || !runningImports.isFree()) return
        try {
          await runningImports.inTurn(() => removeUnfinished(parts, runningImports.assertRunning))
        } catch (error) {
          if (!runningImports.isStopping()) throw error
        }
      },
    },
  ]
}
