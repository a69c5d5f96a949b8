/** The periodic job that removes deleted animals for good. */

import type { Writer } from '../../database/writer.ts'
import type { Job } from '../../lib/scheduler.ts'
import { type DeletedPetStore, restorableMs } from './changes/deleted-pets.ts'

/** The number of deleted animals that a step removes for good. */
const removedAtATime = 500
/** While there is none to remove, the time between two looks, in milliseconds. They can't be restored meanwhile. */
const idleSweepMs = 10_000

export interface PetJobParts {
  readonly deletedPets: DeletedPetStore
  readonly writer: Writer
  /** `createCutoff`. */
  readonly cutoff: (keptMs: number) => number
}

export function petJobs({ deletedPets, writer, cutoff }: PetJobParts): readonly Job[] {
  let hasRemoved = false
  return [
    {
      name: 'remove deleted animals for good',
      everyMs: 250,
      idleMs: () => (hasRemoved ? undefined : idleSweepMs),
      async run() {
        const until = cutoff(restorableMs)
        hasRemoved = deletedPets.hasUntil(until)
        if (hasRemoved) await writer.write(() => deletedPets.removeUntil(until, removedAtATime))
      },
    },
  ]
}
