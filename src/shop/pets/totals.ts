/**
 * The number of animals by category and status. New animals are added to the totals in steps, because two more rows for
 * each animal would slow its write. Animals with ids up to the progress are in the totals; a change of such an animal
 * updates them in the same transaction. Reads also count the few animals beyond the progress.
 */

import type { Database } from 'bun:sqlite'
import type { PetStatus } from './rules.ts'
import type { PetFilter, PetRow } from './table.ts'

/** The category of the totals of the whole store; ids of categories are positive. */
const wholeStore = 0

/** The number of animals that are counted before the time is checked. */
const chunkSize = 1_000

interface StatusTotal {
  readonly status: PetStatus
  readonly animals: number
}

export type PetTotals = ReturnType<typeof createPetTotals>

/** `completeId` returns an id up to which no animal will be added. */
export function createPetTotals(connection: Database, monotonic: () => number, completeId: () => number) {
  const readProgress = connection.prepare<{ lastPetId: number }, []>(
    'SELECT last_pet_id AS lastPetId FROM pet_progress WHERE id = 2',
  )
  const writeProgress = connection.prepare('UPDATE pet_progress SET last_pet_id = ?1 WHERE id = 2')
  const add = connection.prepare(
    `INSERT INTO pet_totals (category_id, status, animals) VALUES (?1, ?2, ?3)
     ON CONFLICT (category_id, status) DO UPDATE SET animals = animals + excluded.animals`,
  )
  const removeZero = connection.prepare('DELETE FROM pet_totals WHERE category_id = ?1 AND status = ?2 AND animals = 0')
  // `WHERE true` tells SQLite's parser that ON CONFLICT belongs to the INSERT. https://sqlite.org/lang_upsert.html
  const addRange = connection.prepare(
    `INSERT INTO pet_totals (category_id, status, animals)
     SELECT category_id, status, count(*) FROM pets WHERE id > ?1 AND id <= ?2 GROUP BY +category_id, +status
     UNION ALL SELECT ${wholeStore}, status, count(*) FROM pets WHERE id > ?1 AND id <= ?2 GROUP BY +status
     ON CONFLICT (category_id, status) DO UPDATE SET animals = animals + excluded.animals`,
  )
  const totals = connection.prepare<StatusTotal, [number]>(
    'SELECT status, animals FROM pet_totals WHERE category_id = ?1',
  )
  const totalsBeyond = connection.prepare<StatusTotal, [number]>(
    // `+status` keeps SQLite from reading a whole index instead of a range of ids.
    'SELECT status, count(*) AS animals FROM pets WHERE id > ?1 GROUP BY +status',
  )
  const countBeyond = connection.prepare<{ animals: number }, [number, number]>(
    'SELECT count(*) AS animals FROM pets WHERE +category_id = ?1 AND id > ?2',
  )
  const matchingBeyond = connection.prepare<{ animals: number }, [number, string | null, number | null]>(
    'SELECT count(*) AS animals FROM pets WHERE id > ?1 AND (?2 IS NULL OR +status = ?2) AND (?3 IS NULL OR +category_id = ?3)',
  )
  const categories = connection.prepare<{ id: number }, [number, number, number]>(
    `SELECT DISTINCT category_id AS id FROM pet_totals WHERE category_id > ?1
     UNION SELECT +category_id FROM pets WHERE id > ?2 AND +category_id > ?1
     ORDER BY id LIMIT ?3`,
  )
  const highestCategory = connection.prepare<{ id: number | null }, [number]>(
    'SELECT max(category_id) AS id FROM pets WHERE category_id <= ?1',
  )
  const progress = () => readProgress.get()?.lastPetId ?? 0

  /** Adds to the totals of a category and of the whole store. */
  function change(categoryId: number, status: PetStatus, animals: number): void {
    for (const id of [categoryId, wholeStore]) {
      add.run(id, status, animals)
      if (animals < 0) removeZero.run(id, status)
    }
  }

  return {
    /** The maximum number of animals that are not in the totals yet. */
    waiting: (): number => Math.max(0, completeId() - progress()),
    /** The number of animals in each status. Called in a snapshot. */
    inventory(): Record<PetStatus, number> {
      const inventory = { available: 0, pending: 0, sold: 0 }
      const all = [...totals.all(wholeStore), ...totalsBeyond.all(progress())]
      for (const { status, animals } of all) inventory[status] += animals
      return inventory
    },
    /** The number of animals that match a filter without `q`. Called in a snapshot. */
    count({ status, categoryId }: Omit<PetFilter, 'q'>): number {
      const within = totals
        .all(categoryId ?? wholeStore)
        .filter((total) => status === undefined || total.status === status)
      const beyond = matchingBeyond.get(progress(), status ?? null, categoryId ?? null)?.animals ?? 0
      return within.reduce((sum, { animals }) => sum + animals, beyond)
    },
    /** The number of animals of a category in any status. Called in a snapshot. */
    countInCategory(id: number): number {
      const within = totals.all(id).reduce((sum, { animals }) => sum + animals, 0)
      return within + (countBeyond.get(id, progress())?.animals ?? 0)
    },
    /** At most `limit` ids above `after` that animals have as their category, by id. Called in a snapshot. */
    categoriesInUse: (after: number, limit: number): number[] =>
      categories.all(after, progress(), limit).map(({ id }) => id),
    /** The highest id up to `most` that an animal has as its category, 0 if there is none. */
    highestCategoryId: (most: number): number => highestCategory.get(most)?.id ?? 0,
    /** Counts the next animals for `budgetMs`; called in a transaction. Returns whether there may be more. */
    step(budgetMs: number): boolean {
      const deadlineMs = monotonic() + budgetMs
      const end = completeId()
      let last = progress()
      if (last >= end) return false
      do {
        const next = Math.min(end, last + chunkSize)
        addRange.run(last, next)
        last = next
      } while (last < end && monotonic() < deadlineMs)
      writeProgress.run(last)
      return last < end
    },
    /** Called in the transaction that changes an animal, adds it (no `before`) under an id of the past, or removes it (no `after`). */
    replace(before: PetRow | undefined, after: PetRow | undefined): void {
      if (((before ?? after)?.id ?? 0) > progress()) return
      if (before) change(before.categoryId, before.status, -1)
      if (after) change(after.categoryId, after.status, 1)
    },
  }
}
