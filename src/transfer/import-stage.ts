/**
 * Animals on their way in: gathered in the connection's own temporary tables, which lock nothing and go
 * with the process, and then added in one transaction.
 */

import type { Database } from 'bun:sqlite'
import { nextFreeId } from '../categories/name.ts'
import type { CategoryStore } from '../categories/store.ts'
import type { ImportedPet } from './import-rows.ts'

export type Stage = ReturnType<typeof createStage>

/** An empty stage; one at a time on a connection. */
export function createStage(connection: Database, categories: CategoryStore) {
  connection.run(createTables)
  const insert = connection.prepare('INSERT INTO temp.import_pets VALUES (?1, ?2, ?3)')
  const insertCategory = connection.prepare('INSERT INTO temp.import_categories VALUES (?1, ?2)')
  /** By name, what stands for a category until its id is known: below 0, as ids are above. */
  const placeholders = new Map<string, number>()

  function placeholderOf(name: string): number {
    const placeholder = placeholders.get(name) ?? -1 - placeholders.size
    placeholders.set(name, placeholder)
    return placeholder
  }

  return {
    add({ name, category, status }: ImportedPet): void {
      insert.run(name, typeof category === 'number' ? category : placeholderOf(category), status)
    },
    /** Moves everything into the store, new categories included; to be called in a transaction. */
    commit(): void {
      const pets = createStagedCategories(connection)
      for (const [name, placeholder] of placeholders) {
        const { id } = categories.findByName(name) ?? categories.add({ id: nextFreeId({ categories, pets }), name })
        insertCategory.run(placeholder, id)
      }
      connection.run(movePets)
    },
    close(): void {
      insert.finalize()
      insertCategory.finalize()
      connection.run(dropTables)
    },
  }
}

const createTables = `
  CREATE TEMP TABLE import_pets (name TEXT NOT NULL, category INTEGER NOT NULL, status TEXT NOT NULL);
  CREATE TEMP TABLE import_categories (placeholder INTEGER PRIMARY KEY, id INTEGER NOT NULL)`

const dropTables = 'DROP TABLE temp.import_pets; DROP TABLE temp.import_categories'

const movePets = `
  INSERT INTO pets (name, category_id, status)
  SELECT import_pets.name, coalesce(import_categories.id, category), status
  FROM temp.import_pets LEFT JOIN temp.import_categories ON placeholder = category
  ORDER BY import_pets.rowid`

/** What animals, in the store and on the stage, say of their categories, as far as a free id is sought. */
function createStagedCategories(connection: Database) {
  connection.run('CREATE INDEX temp.import_pets_by_category ON import_pets (category)')
  const highest = connection.query<{ id: number | null }, [number]>(
    `SELECT max(coalesce((SELECT max(category_id) FROM pets WHERE category_id <= ?1), 0),
                coalesce((SELECT max(category) FROM temp.import_pets WHERE category <= ?1), 0)) AS id`,
  )
  const carried = connection.query<{ animals: number }, [number]>(
    `SELECT EXISTS (SELECT 1 FROM pets WHERE category_id = ?1)
         OR EXISTS (SELECT 1 FROM temp.import_pets WHERE category = ?1) AS animals`,
  )
  return {
    highestCategoryId: (most: number) => Math.max(0, highest.get(most)?.id ?? 0),
    countInCategory: (id: number) => carried.get(id)?.animals ?? 0,
  }
}
