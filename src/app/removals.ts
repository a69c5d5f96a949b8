/**
 * What is removed for good once it is too old. Nobody can use it from then on; it is removed in short steps, often
 * enough to keep up with any load, so that nothing else waits for it.
 */

import { type EventLog, keptMs as eventsKeptMs } from '../access/events/log.ts'
import { type IdempotencyStore, keptMs as responsesKeptMs } from '../api/idempotency/store.ts'
import type { Writer } from '../database/writer.ts'
import type { Job } from '../lib/scheduler.ts'
import { changesKeptMs } from '../shop/imports/rules.ts'
import type { ImportsStore } from '../shop/imports/store.ts'
import { type DeletedPetStore, restorableMs } from '../shop/pets/changes/deleted-pets.ts'
import type { PhotoStore } from '../shop/photos/store.ts'
import type { ProfileStore } from '../shop/profiles/store.ts'

/** While there is none to remove, the time between two looks, in milliseconds. */
const idleMs = 10_000

interface RemovalParts {
  readonly events: Pick<EventLog, 'hasOld' | 'removeOld'>
  readonly deletedPets: DeletedPetStore
  readonly profiles: Pick<ProfileStore, 'removeAll'>
  readonly photos: Pick<PhotoStore, 'removeAll'>
  readonly imports: Pick<ImportsStore, 'hasChangesUntil' | 'removeChangesUntil'>
  readonly storedResponses: IdempotencyStore
  readonly writer: Writer
  /** `createCutoff`. */
  readonly cutoff: (keptMs: number) => number
}

interface Removal {
  readonly name: string
  readonly everyMs: number
  readonly keptMs: number
  /** Whether there are rows of `until` (Unix milliseconds) or before. */
  readonly hasOld: (until: number) => boolean
  /** Removes some of them, in about a millisecond. */
  readonly removeSome: (until: number) => void
}

export function removalJobs({
  events,
  deletedPets,
  profiles,
  photos,
  imports,
  storedResponses,
  writer,
  cutoff,
}: RemovalParts): readonly Job[] {
  function job({ name, everyMs, keptMs, hasOld, removeSome }: Removal): Job {
    let hasRemoved = false
    return {
      name,
      everyMs,
      idleMs: () => (hasRemoved ? undefined : idleMs),
      async run() {
        const until = cutoff(keptMs)
        hasRemoved = hasOld(until)
        if (hasRemoved) await writer.writeRepeatable(() => removeSome(until))
      },
    }
  }

  return [
    job({
      name: 'remove old events',
      everyMs: 25,
      keptMs: eventsKeptMs,
      hasOld: (until) => events.hasOld(until),
      removeSome: (until) => events.removeOld(until, 1_000),
    }),
    job({
      name: 'remove deleted animals for good',
      everyMs: 250,
      keptMs: restorableMs,
      hasOld: (until) => deletedPets.hasUntil(until),
      removeSome(until) {
        const petIds = deletedPets.removeUntil(until, 500)
        profiles.removeAll(petIds)
        photos.removeAll(petIds)
      },
    }),
    job({
      name: 'remove what undos of old imports would put back',
      everyMs: 250,
      keptMs: changesKeptMs,
      hasOld: (until) => imports.hasChangesUntil(until),
      removeSome: (until) => imports.removeChangesUntil(until, 200),
    }),
    job({
      name: 'delete old stored responses',
      everyMs: 25,
      keptMs: responsesKeptMs,
      hasOld: (until) => storedResponses.hasUntil(until),
      removeSome: (until) => storedResponses.deleteUntil(until, 1),
    }),
  ]
}
