/**
 * Assigns ids to the categories of an import. A name that exists in the store keeps its id. A new name gets the id in the
 * file, if no other name has that, and otherwise the next free one.
 */

import type { Database } from 'bun:sqlite'
import { nextFreeId } from '../categories/name.ts'
import { defaultCategories, foldedName } from '../categories/rules.ts'
import type { CategoryStore } from '../categories/store.ts'

interface StagedCategory {
  readonly number: number
  readonly name: string
  readonly givenId: number | null
}

/** Sets the id of every staged category, and adds new categories; called in a transaction. */
export function placeCategories(connection: Database, categories: CategoryStore, importId: number): void {
  if (isUntouched(connection, categories)) removeDefaultsThatDiffer(connection, categories)
  const setId = connection.prepare('UPDATE temp.import_categories SET id = ?2 WHERE number = ?1')
  const select = (condition: string) =>
    connection.prepare<StagedCategory, [number]>(
      `SELECT number, name, given_id AS givenId FROM temp.import_categories
       WHERE number > ?1 AND ${condition} ORDER BY number LIMIT 1000`,
    )

  function eachOf(condition: string, place: (category: StagedCategory) => number | undefined): void {
    const page = select(condition)
    for (let rows = page.all(0); rows.length > 0; rows = page.all(rows.at(-1)?.number ?? 0)) {
      for (const category of rows) {
        const id = place(category)
        if (id !== undefined) setId.run(category.number, id)
      }
    }
    page.finalize()
  }

  eachOf('true', ({ name, givenId }) => {
    const known = categories.findByName(name)
    if (known) return known.id
    const isFree = givenId !== null && !categories.find(givenId)
    return isFree ? categories.add({ id: givenId, name }, importId).id : undefined
  })
  const pets = createCategoriesOfPets(connection)
  // The ids from the file are assigned first, so that they are no longer free.
  eachOf('id IS NULL', ({ name }) => categories.add({ id: nextFreeId({ categories, pets }), name }, importId).id)
  setId.finalize()
}

/** Whether the store has no animals and only the default categories. */
function isUntouched(connection: Database, categories: CategoryStore): boolean {
  if (connection.query('SELECT 1 FROM pets LIMIT 1').get()) return false
  const named = categories.page(0, defaultCategories.length + 1)
  return JSON.stringify(named.map(({ id, name }) => [id, name])) === JSON.stringify(defaultCategories)
}

/** In an unused store the file replaces the default categories, so that an exported store is reproduced exactly. */
function removeDefaultsThatDiffer(connection: Database, categories: CategoryStore): void {
  const differs = connection.prepare<unknown, [number, string, string]>(
    `SELECT 1 FROM temp.import_categories
     WHERE (given_id = ?1 AND name <> ?2) OR (folded_name = ?3 AND given_id <> ?1)`,
  )
  const removed = defaultCategories.filter(([id, name]) => differs.get(id, name, foldedName(name)))
  for (const [id] of removed) categories.remove(id)
  differs.finalize()
}

/** Lookups of the category ids of all animals, in the store and staged, for finding a free id. */
function createCategoriesOfPets(connection: Database) {
  connection.run('CREATE INDEX IF NOT EXISTS temp.import_pets_by_category ON import_pets (category)')
  const highest = connection.query<{ id: number }, [number]>(
    `SELECT max(coalesce((SELECT max(category_id) FROM pets WHERE category_id <= ?1), 0),
                coalesce((SELECT max(category) FROM temp.import_pets WHERE category <= ?1), 0)) AS id`,
  )
  const isUsed = connection.query<{ animals: number }, [number]>(
    `SELECT EXISTS (SELECT 1 FROM pets WHERE category_id = ?1)
         OR EXISTS (SELECT 1 FROM temp.import_pets WHERE category = ?1) AS animals`,
  )
  return {
    highestCategoryId: (most: number) => Math.max(0, highest.get(most)?.id ?? 0),
    countInCategory: (id: number) => isUsed.get(id)?.animals ?? 0,
  }
}
