/** Periodic work on stored responses. */

import type { Writer } from '../database/writer.ts'
import type { Clock } from '../lib/clock.ts'
import type { Job } from '../lib/scheduler.ts'
import { type IdempotencyStore, keptMs } from './store.ts'

/** How long one step may hold the writer and with it the event loop, in milliseconds. */
const budgetMs = 1

export interface SweepParts {
  readonly answers: IdempotencyStore
  readonly writer: Writer
  readonly clock: Pick<Clock, 'now'>
}

/** Deletes stored responses that are too old, in short steps often enough to keep up with any load. */
export function idempotencyJobs({ answers, writer, clock }: SweepParts): readonly Job[] {
  return [
    {
      name: 'delete old stored responses',
      everyMs: 25,
      async run() {
        const until = clock.now() - keptMs
        if (answers.hasUntil(until)) await writer.write(() => answers.deleteUntil(until, budgetMs))
      },
    },
  ]
}
