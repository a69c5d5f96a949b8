/**
 * Assigns ids to the categories of an import. A name that exists in the store keeps its id. A new name gets the id in
 * the file, if no other name has that, and otherwise the next free one.
 */

import type { Database } from 'bun:sqlite'
import { pageRange } from '../../lib/steps/collect.ts'
import { nextFreeId } from '../categories/change.ts'
import { defaultCategories, foldedName } from '../categories/rules.ts'
import type { CategoryStore } from '../categories/store.ts'
import type { PetStore } from '../pets/store.ts'
import type { ImportedPet } from './file/rows.ts'
import { maximumNewCategories } from './rules.ts'

interface StagedCategory {
  readonly number: number
  readonly name: string
  readonly givenId: number | null
}

export interface PlacementParts {
  /** The connection with the staged tables. */
  readonly stage: Database
  readonly categories: CategoryStore
  readonly pets: Pick<PetStore, 'page' | 'highestCategoryId' | 'countInCategory'>
  readonly importId: number
}

/** Assigns more ids until `isOver`; called in a transaction. Returns whether there are more to assign. */
export type PlaceMore = (isOver: () => boolean) => boolean

/** The number of categories that are read at a time. */
const pageSize = 100

/**
 * Returns a function that sets the id of every staged category, and adds new categories, in one step or several. The
 * ids from the file are assigned first, so that they are no longer free for names without one.
 */
export function createPlacement(parts: PlacementParts): PlaceMore {
  const { stage, categories, pets, importId } = parts
  const setId = stage.query('UPDATE import_categories SET id = ?2 WHERE number = ?1')
  const select = (condition: string) =>
    stage.query<StagedCategory, [number]>(
      `SELECT number, name, given_id AS givenId FROM import_categories
       WHERE number > ?1 AND ${condition} ORDER BY number LIMIT ${pageSize}`,
    )
  const used = createUsedIds(stage, pets)
  const passes = [
    {
      page: select('true'),
      place({ name, givenId }: StagedCategory): number | undefined {
        const known = categories.findByName(name)
        if (known) return known.id
        const isFree = givenId !== null && !categories.find(givenId)
        return isFree ? categories.add({ id: givenId, name }, importId).id : undefined
      },
    },
    {
      page: select('id IS NULL'),
      // In the meantime a request may have added a category with the name.
      place: ({ name }: StagedCategory): number =>
        (categories.findByName(name) ?? categories.add({ id: nextFreeId({ categories, pets: used }), name }, importId))
          .id,
    },
  ]
  let isBegun = false
  let last = 0

  return (isOver) => {
    if (!isBegun && isUntouched(parts)) removeDefaultsThatDiffer(stage, categories)
    isBegun = true
    for (let pass = passes[0]; pass; pass = passes[0]) {
      for (let rows = pass.page.all(last); rows.length > 0; rows = pass.page.all(last)) {
        for (const category of rows) {
          const id = pass.place(category)
          if (id !== undefined) setId.run(category.number, id)
          last = category.number
          if (isOver()) return true
        }
      }
      passes.shift()
      last = 0
    }
    return false
  }
}

/** Whether the store has no animals, and only the default categories. */
function isUntouched({ pets, categories }: PlacementParts): boolean {
  return pets.page({}, pageRange('asc', undefined), 1).records.length === 0 && categories.areDefault()
}

/** In an unused store the file replaces the default categories, so that an exported store is reproduced exactly. */
function removeDefaultsThatDiffer(stage: Database, categories: CategoryStore): void {
  const differs = stage.query<unknown, [number, string, string]>(
    `SELECT 1 FROM import_categories
     WHERE (given_id = ?1 AND name <> ?2) OR (folded_name = ?3 AND given_id <> ?1)`,
  )
  const removed = defaultCategories.filter(([id, name]) => differs.get(id, name, foldedName(name)))
  for (const [id] of removed) categories.remove(id)
}

/** Lookups of the category ids of all animals, in the store and staged, for finding a free id. */
function createUsedIds(stage: Database, pets: PlacementParts['pets']) {
  const highest = stage.query<{ id: number | null }, [number]>(
    'SELECT max(id) AS id FROM import_category_ids WHERE id <= ?1',
  )
  const isUsed = stage.query<unknown, [number]>('SELECT 1 FROM import_category_ids WHERE id = ?1')
  return {
    highestCategoryId: (most: number) => Math.max(0, pets.highestCategoryId(most), highest.get(most)?.id ?? 0),
    countInCategory: (id: number) => (isUsed.get(id) ? 1 : pets.countInCategory(id)),
  }
}

/** The most names of the store's categories that are remembered. */
const cachedNames = 10_000

/** Collects the categories of a file that the store does not have. Memory is bounded. */
export function createNewCategories(categories: Pick<CategoryStore, 'find' | 'findByName'>) {
  const added = new Map<string, string>()
  const unnamed = new Set<number>()
  /** The ids that the file has beside new names. */
  const givenIds = new Set<number>()
  const seen = new Set<string | number>()

  function seeName(name: string, id: number | undefined): void {
    if (added.size >= maximumNewCategories) return
    const folded = foldedName(name)
    if (added.has(folded) || categories.findByName(name) !== undefined) return
    added.set(folded, name)
    if (id !== undefined) givenIds.add(id)
  }

  return {
    /** Takes note of the categories of animals. */
    see(animals: readonly ImportedPet[]): void {
      for (const { category } of animals) {
        const key = category.name === undefined ? category.id : category.name
        if (seen.has(key)) continue
        if (seen.size < cachedNames) seen.add(key)
        if (category.name !== undefined) seeName(category.name, category.id)
        else if (unnamed.size < maximumNewCategories && !categories.find(category.id)) unnamed.add(category.id)
      }
    },
    /** The names that the store does not have, in the order of the file. */
    names: (): string[] => [...added.values()],
    /** The ids without a name that have none in the store, and get none from the file. */
    unnamed: (): number[] => [...unnamed].filter((id) => !givenIds.has(id) && !categories.find(id)),
  }
}
