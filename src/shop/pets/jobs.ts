/** Periodic jobs on animals: they add new animals to the totals and the search index, and remove deleted ones for good. */

import type { Announcements } from '../../database/announcements.ts'
import type { Writer } from '../../database/writer.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Job } from '../../lib/scheduler.ts'
import { type DeletedPetStore, restorableMs } from './changes/deleted-pets.ts'
import type { PetStore } from './store.ts'

/** The maximum duration of a step, which blocks the writer and the event loop, in milliseconds. */
const countBudgetMs = 2
const indexBudgetMs = 2

/** So many animals between two looks are indexed without waiting for the end of a series. */
const loneAnimals = 1

/** About the number of animals that a step indexes in `indexBudgetMs`. If more came since the previous look, it is a rush. */
const rushSize = 250

/** The time between two steps of the index during a rush, and while fewer animals are added, in milliseconds. */
const apartInRushMs = 250
const apartWhileAddingMs = 100

/** While animals are added, they are indexed from this number on: a search reads the names of fewer in a millisecond. */
const manyUnindexed = 8_192

/** While fewer animals than this wait, they are counted this time apart, in milliseconds: the transaction delays writes. */
const fewAnimals = 256
const fewAnimalsMs = 250

/** The number of deleted animals that a step removes for good. */
const removedAtATime = 500
/** While there is none to remove, the time between two looks, in milliseconds. They can't be restored meanwhile. */
const idleSweepMs = 10_000

type Countable = Pick<PetStore, 'uncounted' | 'countMore' | 'unindexed' | 'isIndexBehind' | 'indexMore'>

export interface PetJobParts {
  readonly pets: Countable
  readonly deletedPets: DeletedPetStore
  readonly announcements: Pick<Announcements, 'subscribe'>
  readonly writer: Writer
  readonly clock: Pick<Clock, 'monotonic'>
  /** `createCutoff`. */
  readonly cutoff: (keptMs: number) => number
}

/**
 * Each run is one short step, so that requests are served between two steps. While animals are added, the index waits, and its
 * steps are further apart if it can't wait any longer, because they slow the writes that cause them.
 */
export function petJobs({ pets, deletedPets, announcements, writer, clock, cutoff }: PetJobParts): readonly Job[] {
  // While nothing has changed there is no work, and a hundred queries a second would find that out.
  let mayCount = true
  let mayIndex = true
  const wakes: (() => void)[] = []
  announcements.subscribe(['pets', 'imports'], () => {
    mayCount = true
    mayIndex = true
    for (const wake of wakes) wake()
  })
  let hasRemoved = false
  let before = 0
  let indexedMs = Number.NEGATIVE_INFINITY
  let countedMs = Number.NEGATIVE_INFINITY
  return [
    {
      name: 'count new animals',
      everyMs: 20,
      idleMs: () => (mayCount ? undefined : Number.POSITIVE_INFINITY),
      wokenBy: (wake) => void wakes.push(wake),
      async run() {
        if (!mayCount) return
        const waiting = pets.uncounted()
        mayCount = waiting > 0
        const nowMs = clock.monotonic()
        if (!mayCount || (waiting < fewAnimals && nowMs - countedMs < fewAnimalsMs)) return
        countedMs = nowMs
        await writer.writeDerived(() => pets.countMore(countBudgetMs))
      },
    },
    {
      name: 'index new animals',
      everyMs: 10,
      idleMs: () => (mayIndex ? undefined : Number.POSITIVE_INFINITY),
      wokenBy: (wake) => void wakes.push(wake),
      async run() {
        if (!mayIndex) return
        const waiting = pets.unindexed()
        const added = waiting - before
        before = waiting
        mayIndex = pets.isIndexBehind()
        if (!mayIndex || (added > loneAnimals && waiting < manyUnindexed)) return
        const apartMs = added > rushSize ? apartInRushMs : added > 0 ? apartWhileAddingMs : 0
        const nowMs = clock.monotonic()
        if (nowMs - indexedMs < apartMs) return
        indexedMs = nowMs
        await writer.writeDerived(() => pets.indexMore(indexBudgetMs))
        before = pets.unindexed()
      },
    },
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
