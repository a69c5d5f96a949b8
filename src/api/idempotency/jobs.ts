/** The periodic job that deletes old stored responses. */

import type { Writer } from '../../database/writer.ts'
import type { Job } from '../../lib/scheduler.ts'
import { type IdempotencyStore, keptMs } from './store.ts'

/** The longest time that one step may block the writer and the event loop, in milliseconds. */
const budgetMs = 1

/** While there is none to delete, the time between two looks, in milliseconds. They are not replayed meanwhile. */
const idleMs = 10_000

export interface SweepParts {
  readonly storedResponses: IdempotencyStore
  readonly writer: Writer
  /** `createCutoff`. */
  readonly cutoff: (keptMs: number) => number
}

/** Deletes stored responses that are too old, in short steps often enough to keep up with any load. */
export function idempotencyJobs({ storedResponses, writer, cutoff }: SweepParts): readonly Job[] {
  let hasDeleted = false
  return [
    {
      name: 'delete old stored responses',
      everyMs: 25,
      idleMs: () => (hasDeleted ? undefined : idleMs),
      async run() {
        const until = cutoff(keptMs)
        hasDeleted = storedResponses.hasUntil(until)
        if (hasDeleted) await writer.write(() => storedResponses.deleteUntil(until, budgetMs))
      },
    },
  ]
}
