/** Periodic jobs on animals: they add new animals to the totals and the search index, and remove deleted ones for good. */

import type { Announcements } from '../database/announcements.ts'
import type { Writer } from '../database/writer.ts'
import type { Clock } from '../lib/clock.ts'
import type { Job } from '../lib/scheduler.ts'
import { type DeletedPetStore, restorableMs } from './changes/deleted-pets.ts'
import type { PetStore } from './store.ts'

/** The maximum duration of a step, which blocks the writer and the event loop, in milliseconds. */
const countBudgetMs = 2
const indexBudgetMs = 2

/** About the number of animals that a step indexes in `indexBudgetMs`. If more came since the previous step, it is a rush. */
const rushSize = 250

/** The maximum duration of a step of the index while at most `rushSize` animals wait, in milliseconds. */
const shortBudgetMs = 0.4

/** The number of successive steps of the index that are skipped during a rush. */
const skippedSteps = 19

/** While fewer animals than this wait, they are counted this time apart, in milliseconds: the transaction delays writes. */
const fewAnimals = 64
const fewAnimalsMs = 250

/** The number of deleted animals that a step removes for good. */
const removedAtATime = 500

type Countable = Pick<PetStore, 'uncounted' | 'countMore' | 'unindexed' | 'isIndexBehind' | 'indexMore'>

export interface PetJobParts {
  readonly pets: Countable
  readonly deletedPets: DeletedPetStore
  readonly announcements: Pick<Announcements, 'subscribe'>
  readonly writer: Writer
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
}

/**
 * Each run is one short step, so that requests are served between two steps. During a rush most steps of the index are
 * skipped, because they would slow the writes that cause it.
 */
export function petJobs({ pets, deletedPets, announcements, writer, clock }: PetJobParts): readonly Job[] {
  // While nothing has changed there is no work, and a hundred queries a second would find that out.
  let mayCount = true
  let mayIndex = true
  announcements.subscribe(['pets', 'imports'], () => {
    mayCount = true
    mayIndex = true
  })
  let before = 0
  let skipped = 0
  let countedMs = Number.NEGATIVE_INFINITY
  return [
    {
      name: 'count new animals',
      everyMs: 20,
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
      async run() {
        if (!mayIndex) return
        const waiting = pets.unindexed()
        const isRush = waiting > before + rushSize
        before = waiting
        mayIndex = pets.isIndexBehind()
        if (!mayIndex || (isRush && skipped++ < skippedSteps)) return
        skipped = 0
        await writer.writeDerived(() => pets.indexMore(waiting > rushSize ? indexBudgetMs : shortBudgetMs))
        before = pets.unindexed()
      },
    },
    {
      name: 'remove deleted animals for good',
      everyMs: 250,
      async run() {
        const until = clock.now() - restorableMs
        if (deletedPets.hasUntil(until)) await writer.write(() => deletedPets.removeUntil(until, removedAtATime))
      },
    },
  ]
}
