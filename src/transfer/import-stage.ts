/**
 * Animals to import. They are collected in temporary tables of the connection, which lock nothing and end with the process,
 * and are then added in one transaction.
 */

import type { Database } from 'bun:sqlite'
import { foldedName } from '../categories/rules.ts'
import type { CategoryStore } from '../categories/store.ts'
import type { ImportedCategory, ImportedPet } from './file/rows.ts'
import { placeCategories } from './import-categories.ts'

export type Stage = ReturnType<typeof createStage>

/** The range of the ids of the added animals, null if there are none. One statement adds them, so the ids are consecutive. */
export interface AddedPets {
  readonly firstPetId: number | null
  readonly lastPetId: number | null
}

/** The maximum number of category names in memory. */
const cachedNames = 10_000

/** Creates an empty stage. A connection has at most one. */
export function createStage(connection: Database, categories: CategoryStore) {
  connection.run(createTables)
  const insert = connection.prepare('INSERT INTO temp.import_pets VALUES (?1, ?2, ?3)')
  const insertCategory = connection.prepare<unknown, [string, string, number | null]>(
    // The first row with an id for a category determines its id.
    `INSERT INTO temp.import_categories (folded_name, name, given_id) VALUES (?1, ?2, ?3)
     ON CONFLICT (folded_name) DO UPDATE SET given_id = coalesce(given_id, excluded.given_id)`,
  )
  const findCategory = connection.prepare<{ number: number }, [string]>(
    'SELECT number FROM temp.import_categories WHERE folded_name = ?1',
  )
  /** The numbers of categories, by name and id in the file. */
  const numbers = new Map<string, number>()

  /** The negative number of a category, which represents it until its id is known. */
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
