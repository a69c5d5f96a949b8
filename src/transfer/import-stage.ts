/**
 * Animals to import: collected in the connection's own temporary tables, which lock nothing and end with the process,
 * and then added in one transaction.
 */

import type { Database } from 'bun:sqlite'
import { foldedName } from '../categories/rules.ts'
import type { CategoryStore } from '../categories/store.ts'
import type { ImportedCategory, ImportedPet } from './file/rows.ts'
import { placeCategories } from './import-categories.ts'

export type Stage = ReturnType<typeof createStage>

/** The ids of what was added, null if that is nothing: one statement gives them consecutively. */
export interface AddedPets {
  readonly firstPetId: number | null
  readonly lastPetId: number | null
}

/** How many names of categories are kept in memory. */
const cachedNames = 10_000

/** An empty stage; one at a time on a connection. */
export function createStage(connection: Database, categories: CategoryStore) {
  connection.run(createTables)
  const insert = connection.prepare('INSERT INTO temp.import_pets VALUES (?1, ?2, ?3)')
  const insertCategory = connection.prepare<unknown, [string, string, number | null]>(
    // The first row that gives a category an id decides on it.
    `INSERT INTO temp.import_categories (folded_name, name, given_id) VALUES (?1, ?2, ?3)
     ON CONFLICT (folded_name) DO UPDATE SET given_id = coalesce(given_id, excluded.given_id)`,
  )
  const findCategory = connection.prepare<{ number: number }, [string]>(
    'SELECT number FROM temp.import_categories WHERE folded_name = ?1',
  )
  /** The numbers of categories, by name and given id. */
  const numbers = new Map<string, number>()

  /** What stands for a category until its id is known: below 0, as ids are above. */
  function placeholderOf({ name, id }: ImportedCategory): number {
    if (name === undefined) return id
    const key = `${id ?? ''} ${name}`
    const known = numbers.get(key)
    if (known !== undefined) return -known
    const folded = foldedName(name)
    insertCategory.run(folded, name, id ?? null)
    const number = findCategory.get(folded)?.number ?? 0
    if (numbers.size >= cachedNames) numbers.clear()
    numbers.set(key, number)
    return -number
  }

  return {
    add({ name, category, status }: ImportedPet): void {
      insert.run(name, placeholderOf(category), status)
    },
    /** Moves everything into the store, new categories included; to be called in a transaction. */
    commit(importId: number): AddedPets {
      placeCategories(connection, categories, importId)
      const { changes, lastInsertRowid } = connection.run(movePets)
      if (changes === 0) return { firstPetId: null, lastPetId: null }
      const lastPetId = Number(lastInsertRowid)
      return { firstPetId: lastPetId - changes + 1, lastPetId }
    },
    close(): void {
      for (const statement of [insert, insertCategory, findCategory]) statement.finalize()
      connection.run(dropTables)
    },
  }
}

const createTables = `
  CREATE TEMP TABLE import_pets (name TEXT NOT NULL, category INTEGER NOT NULL, status TEXT NOT NULL);
  CREATE TEMP TABLE import_categories (
    number INTEGER PRIMARY KEY,
    folded_name TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    given_id INTEGER,
    id INTEGER
  )`

const dropTables = 'DROP TABLE temp.import_pets; DROP TABLE temp.import_categories'

const movePets = `
  INSERT INTO pets (name, category_id, status)
  SELECT import_pets.name, coalesce(import_categories.id, category), status
  FROM temp.import_pets LEFT JOIN temp.import_categories ON number = -category
  ORDER BY import_pets.rowid`
