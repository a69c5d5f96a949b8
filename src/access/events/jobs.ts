/** The periodic job that removes old events. */

import type { Writer } from '../../database/writer.ts'
import type { Job } from '../../lib/scheduler.ts'
import type { EventLog } from './log.ts'

/** How long an event is kept, in milliseconds: 30 days. */
export const keptMs = 30 * 86_400_000

/** The number of events that a step removes, in about a millisecond. */
const removedAtATime = 1_000
/** While there is none to remove, the time between two looks, in milliseconds. */
const idleMs = 10_000

export interface EventJobParts {
  readonly events: Pick<EventLog, 'hasOld' | 'removeOld'>
  readonly writer: Writer
  /** `createCutoff`. */
  readonly cutoff: (keptMs: number) => number
}

/** Removes the oldest events in short steps, often enough to keep up with any load. */
export function eventJobs({ events, writer, cutoff }: EventJobParts): readonly Job[] {
  let hasRemoved = false
  return [
    {
      name: 'remove old events',
      everyMs: 25,
      idleMs: () => (hasRemoved ? undefined : idleMs),
      async run() {
        const until = cutoff(keptMs)
        hasRemoved = events.hasOld(until)
        if (hasRemoved) await writer.write(() => events.removeOld(until, removedAtATime))
      },
    },
  ]
}
