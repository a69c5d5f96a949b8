/** The periodic job that removes what interrupted imports have added. */

import type { Job } from '../lib/scheduler.ts'
import type { AddParts } from './run/add.ts'
import { type RunningImports, removeUnfinished } from './run/running.ts'

export function importJobs(parts: AddParts & { readonly runningImports: RunningImports }): readonly Job[] {
  const { imports, runningImports } = parts
  return [
    {
      name: 'remove interrupted imports',
      everyMs: 1_000,
      async run(signal) {
        for (const id of imports.unfinished()) {
          if (runningImports.has(id)) continue
          await runningImports.own(id, () => removeUnfinished(parts, id, () => signal.throwIfAborted()))
        }
      },
    },
  ]
}
