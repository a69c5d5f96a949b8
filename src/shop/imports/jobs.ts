/**
 * The periodic job that removes what interrupted imports have added, and finishes the undos that an earlier process
 * began.
 */

import type { Announcements } from '../../database/announcements.ts'
import type { Job } from '../../lib/scheduler.ts'
import { type FinishParts, finishUndo, inCleanTurn } from './undo.ts'

interface ImportJobParts extends FinishParts {
  readonly announcements: Pick<Announcements, 'subscribe'>
}

export function importJobs(parts: ImportJobParts): readonly Job[] {
  const { imports, runningImports, announcements } = parts
  /** Those that fail later are finished by whoever asks for them again. */
  let begunBefore = imports.undoing()
  /** Whether there may be an import to remove. One that runs is looked at until it has finished. */
  let mayHaveOne = true

  async function finish(): Promise<void> {
    for (const id of begunBefore) {
      if (imports.undoing().includes(id)) await finishUndo(parts, id)
    }
    begunBefore = []
  }

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
        mayHaveOne = imports.unfinished().length > 0 || begunBefore.length > 0
        // An import or undo that runs begins with the same.
        if (!mayHaveOne || !runningImports.isFree()) return
        await inCleanTurn(parts, finish).catch((error: unknown) => {
          if (!runningImports.isStopping()) throw error
        })
      },
    },
  ]
}
