/** The periodic job that removes what interrupted imports have added, and finishes interrupted undos. */

import type { Announcements } from '../../database/announcements.ts'
import type { Job } from '../../lib/scheduler.ts'
import { type FinishParts, finishUndos, inCleanTurn } from './undo.ts'

interface ImportJobParts extends FinishParts {
  readonly announcements: Pick<Announcements, 'subscribe'>
}

export function importJobs(parts: ImportJobParts): readonly Job[] {
  const { imports, runningImports, announcements } = parts
  /** Whether there may be one. An import or undo that runs is looked at until it has finished. */
  let mayHaveOne = true
  return [
    {
      name: 'finish interrupted imports and undos',
      everyMs: 1_000,
      idleMs: () => (mayHaveOne ? undefined : Number.POSITIVE_INFINITY),
      wokenBy(wake) {
        announcements.subscribe(['imports'], () => {
          mayHaveOne = true
          wake()
        })
      },
      async run() {
        mayHaveOne = imports.unfinished().length > 0 || imports.undoing().length > 0
        // An import or undo that runs begins with the same.
        if (!mayHaveOne || !runningImports.isFree()) return
        await inCleanTurn(parts, () => finishUndos(parts)).catch((error: unknown) => {
          if (!runningImports.isStopping()) throw error
        })
      },
    },
  ]
}
