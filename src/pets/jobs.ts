/** Periodic work on animals: the totals and the search index catch up with what was added. */

import type { Writer } from '../database/writer.ts'
import type { Job } from '../lib/scheduler.ts'
import type { PetStore } from './store.ts'

/** How long a step may hold the writer and with it the event loop, in milliseconds. */
const countBudgetMs = 3
const indexBudgetMs = 4

/** How many animals a step indexes, roughly: more new ones since the step before are a rush. */
const rushSize = 500

/** How many steps of the index are left out in a row while animals are added faster than steps index them. */
const skippedSteps = 9

type Countable = Pick<PetStore, 'uncounted' | 'countMore' | 'unindexed' | 'isIndexBehind' | 'indexMore'>

/**
 * One short step at a time, with the requests of a turn between two. In a rush most steps of the index are left out,
 * since they would slow the writes that cause it.
 */
export function petJobs({ pets, writer }: { readonly pets: Countable; readonly writer: Writer }): readonly Job[] {
  let before = 0
  let skipped = 0
  return [
    {
      name: 'count new animals',
      everyMs: 20,
      async run() {
        if (pets.uncounted() > 0) await writer.write(() => pets.countMore(countBudgetMs))
      },
    },
    {
      name: 'index new animals',
      everyMs: 20,
      async run() {
        const waiting = pets.unindexed()
        const isRush = waiting > before + rushSize
        before = waiting
        if (!pets.isIndexBehind() || (isRush && skipped++ < skippedSteps)) return
        skipped = 0
        await writer.write(() => pets.indexMore(indexBudgetMs))
        before = pets.unindexed()
      },
    },
  ]
}
