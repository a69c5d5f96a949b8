/**
 * What is derived from animals: the search index, and their numbers by category and status. It follows in
 * steps of its own, many animals at a time, because one at a time would cost more than the animals
 * themselves. Animals up to the progress are in it, and change it together with themselves; whoever reads
 * it looks through the few beyond.
 */

import type { Database } from 'bun:sqlite'
import type { Writer } from '../database/writer.ts'
import type { Job } from '../lib/scheduler.ts'
import type { PetStatus } from './rules.ts'
import { tokensOf } from './search.ts'
import type { PetRow } from './store.ts'

/** How many animals one step takes up: some ten milliseconds. */
export const stepSize = 2_000

/** Stands for the whole store among the categories of the totals; ids are positive. */
const wholeStore = 0

interface StatusTotal {
  readonly status: PetStatus
  readonly animals: number
}

export type DerivedPets = ReturnType<typeof createDerivedPets>

export function createDerivedPets(connection: Database) {
  const readProgress = connection.prepare<{ lastPetId: number }, []>(
    'SELECT last_pet_id AS lastPetId FROM pet_progress WHERE id = 1',
  )
  const writeProgress = connection.prepare('UPDATE pet_progress SET last_pet_id = ?1 WHERE id = 1')
  const beyond = connection.prepare<PetRow, [number, number]>(
    'SELECT id, name, category_id AS categoryId, status FROM pets WHERE id > ?1 ORDER BY id LIMIT ?2',
  )
  const index = connection.prepare('INSERT INTO pet_search (rowid, parts) VALUES (?1, ?2)')
  const unindex = connection.prepare('DELETE FROM pet_search WHERE rowid = ?1')
  const count = connection.prepare(
    `INSERT INTO pet_totals (category_id, status, animals) VALUES (?1, ?2, ?3)
     ON CONFLICT (category_id, status) DO UPDATE SET animals = animals + excluded.animals`,
  )
  const forgetNone = connection.prepare('DELETE FROM pet_totals WHERE category_id = ?1 AND status = ?2 AND animals = 0')
  const totals = connection.prepare<StatusTotal, [number]>(
    'SELECT status, animals FROM pet_totals WHERE category_id = ?1',
  )
  const totalsBeyond = connection.prepare<StatusTotal, [number]>(
    // `+status` keeps SQLite from walking a whole index where a range of ids will do.
    'SELECT status, count(*) AS animals FROM pets WHERE id > ?1 GROUP BY +status',
  )
  const countBeyond = connection.prepare<{ animals: number }, [number, number]>(
    'SELECT count(*) AS animals FROM pets WHERE category_id = ?1 AND id > ?2',
  )
  const categories = connection.prepare<{ id: number }, [number, number, number]>(
    `SELECT DISTINCT category_id AS id FROM pet_totals WHERE category_id > ?1
     UNION SELECT +category_id FROM pets WHERE id > ?2 AND +category_id > ?1
     ORDER BY id LIMIT ?3`,
  )
  const highestCategory = connection.prepare<{ id: number | null }, []>('SELECT max(category_id) AS id FROM pets')
  const highestId = connection.prepare<{ id: number | null }, []>('SELECT max(id) AS id FROM pets')
  const progress = () => readProgress.get()?.lastPetId ?? 0

  /** Adds to the totals of a category and of the whole store. */
  function addToTotals(categoryId: number, status: PetStatus, animals: number): void {
    for (const id of [categoryId, wholeStore]) {
      count.run(id, status, animals)
      if (animals < 0) forgetNone.run(id, status)
    }
  }

  return {
    /** Animals with higher ids are not in the index and the totals yet. */
    progress,
    /** How many animals there are beyond the progress, at most. */
    waiting: (): number => Math.max(0, (highestId.get()?.id ?? 0) - progress()),
    /** The numbers of animals by status. */
    inventory(): Record<PetStatus, number> {
      const inventory = { available: 0, pending: 0, sold: 0 }
      const all = [...totals.all(wholeStore), ...totalsBeyond.all(progress())]
      for (const { status, animals } of all) inventory[status] += animals
      return inventory
    },
    /** The number of animals of a category, whatever their status. */
    countInCategory(id: number): number {
      const within = totals.all(id).reduce((sum, { animals }) => sum + animals, 0)
      return within + (countBeyond.get(id, progress())?.animals ?? 0)
    },
    /** At most `limit` ids beyond `after` that animals carry as their category, by id. */
    categoriesInUse: (after: number, limit: number): number[] =>
      categories.all(after, progress(), limit).map(({ id }) => id),
    /** The highest id that an animal carries as its category, 0 if there is no animal. */
    highestCategoryId: (): number => highestCategory.get()?.id ?? 0,
    /**
     * Takes up the next animals, at most `stepSize`; to be called in a transaction. Says whether there may be more.
     */
    step(): boolean {
      const pets = beyond.all(progress(), stepSize)
      const last = pets.at(-1)
      if (!last) return false
      const added = new Map<string, { categoryId: number; status: PetStatus; animals: number }>()
      for (const pet of pets) {
        index.run(pet.id, tokensOf(pet))
        const key = `${pet.categoryId} ${pet.status}`
        const total = added.get(key)
        if (total) total.animals++
        else added.set(key, { categoryId: pet.categoryId, status: pet.status, animals: 1 })
      }
      for (const { categoryId, status, animals } of added.values()) addToTotals(categoryId, status, animals)
      writeProgress.run(last.id)
      return pets.length === stepSize
    },
    /** To be called in the transaction in which an animal changes or, without `after`, goes. */
    replace(before: PetRow, after: PetRow | undefined): void {
      if (before.id > progress()) return
      unindex.run(before.id)
      addToTotals(before.categoryId, before.status, -1)
      if (!after) return
      index.run(after.id, tokensOf(after))
      addToTotals(after.categoryId, after.status, 1)
    },
  }
}

/** What the periodic work needs of the store. */
interface Indexable {
  unindexed(): number
  indexMore(): boolean
}

/** How many steps are left out in a row while animals come in faster than steps take them up. */
const heldSteps = 9

/**
 * A step at a time, each some ten milliseconds of the writer's, with the requests of a turn between two. In a rush most
 * are left out, since they would slow what brings the animals; afterwards they catch up with it.
 */
export function petJobs({ pets, writer }: { readonly pets: Indexable; readonly writer: Writer }): readonly Job[] {
  let before = 0
  let held = 0
  return [
    {
      name: 'index new animals',
      everyMs: 100,
      async run() {
        const waiting = pets.unindexed()
        const isRush = waiting > before + stepSize
        before = waiting
        if (waiting === 0 || (isRush && held++ < heldSteps)) return
        held = 0
        await writer.write(pets.indexMore)
        before = pets.unindexed()
      },
    },
  ]
}
