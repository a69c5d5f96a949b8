/**
 * Animals to import. They are collected in tables of a connection, and then added to the store: by a command in one
 * transaction of the same connection, whose temporary tables lock nothing; by a server in steps, from a database of their own.
 */

import type { Database } from 'bun:sqlite'
import { foldedText } from '../../lib/text.ts'
import { foldedName } from '../categories/rules.ts'
import type { PetRow } from '../pets/table.ts'
import type { ImportedCategory, ImportedPet } from './file/rows.ts'

export type Stage = ReturnType<typeof createStage>

/** The range of the ids of the added animals, null if there are none. The ids are consecutive. */
export interface AddedPets {
  readonly firstPetId: number | null
  readonly lastPetId: number | null
}

/** An animal with the id of its category; `number` is its position in the file. */
export interface StagedPet extends Omit<PetRow, 'id'> {
  readonly number: number
}

/** The maximum number of category names, and of ids, in memory. */
const cachedCategories = 10_000

export interface StageOptions {
  /** Whether the tables are temporary tables of a connection to the store. A connection has at most one stage. */
  readonly isTemporary: boolean
}

/** Creates an empty stage. */
export function createStage(connection: Database, { isTemporary }: StageOptions) {
  connection.run(tables.map((table) => `CREATE ${isTemporary ? 'TEMP ' : ''}TABLE ${table}`).join(';'))
  const insert = connection.prepare('INSERT INTO import_pets VALUES (?1, ?2, ?3, ?4)')
  const insertCategory = connection.prepare<unknown, [string, string, number | null]>(
    // The first row with an id for a category determines its id.
    `INSERT INTO import_categories (folded_name, name, given_id) VALUES (?1, ?2, ?3)
     ON CONFLICT (folded_name) DO UPDATE SET given_id = coalesce(given_id, excluded.given_id)`,
  )
  const findCategory = connection.prepare<{ number: number }, [string]>(
    'SELECT number FROM import_categories WHERE folded_name = ?1',
  )
  const insertId = connection.prepare('INSERT OR IGNORE INTO import_category_ids VALUES (?1)')
  const page = connection.prepare<StagedPet, [number, number]>(
    `SELECT import_pets.rowid AS number, import_pets.name, coalesce(import_categories.id, category) AS categoryId, status
     FROM import_pets LEFT JOIN import_categories ON number = -category
     WHERE import_pets.rowid > ?1 ORDER BY import_pets.rowid LIMIT ?2`,
  )
  /** The numbers of categories, by name and id in the file. */
  const numbers = new Map<string, number>()
  /** Ids of categories without a name that are in the table. */
  const ids = new Set<number>()

  /** The negative number of a category, which represents it until its id is known. */
  function placeholderOf({ name, id }: ImportedCategory): number {
    if (name === undefined) return noteId(id)
    const key = `${id ?? ''} ${name}`
    const known = numbers.get(key)
    if (known !== undefined) return -known
    const folded = foldedName(name)
    insertCategory.run(folded, name, id ?? null)
    const number = findCategory.get(folded)?.number ?? 0
    if (numbers.size >= cachedCategories) numbers.clear()
    numbers.set(key, number)
    return -number
  }

  function noteId(id: number): number {
    if (ids.has(id)) return id
    insertId.run(id)
    if (ids.size >= cachedCategories) ids.clear()
    ids.add(id)
    return id
  }

  return {
    connection,
    add({ name, category, status }: ImportedPet): void {
      insert.run(name, foldedText(name), placeholderOf(category), status)
    },
    /** At most `limit` animals after the position `after`. Called when the categories have their ids. */
    page: (after: number, limit: number): StagedPet[] => page.all(after, limit),
    /** Adds all animals to the table of the connection, when the categories have their ids; called in a transaction, before `wereAdded`. */
    moveAll(): AddedPets {
      const { changes, lastInsertRowid } = connection.run(movePets)
      if (changes === 0) return { firstPetId: null, lastPetId: null }
      const lastPetId = Number(lastInsertRowid)
      return { firstPetId: lastPetId - changes + 1, lastPetId }
    },
    close(): void {
      for (const statement of [insert, insertCategory, findCategory, insertId, page]) statement.finalize()
      connection.run(dropTables)
    },
  }
}

const tables = [
  'import_pets (name TEXT NOT NULL, folded_name TEXT NOT NULL, category INTEGER NOT NULL, status TEXT NOT NULL)',
  'import_categories (number INTEGER PRIMARY KEY, folded_name TEXT NOT NULL UNIQUE, name TEXT NOT NULL, given_id INTEGER, id INTEGER)',
  // The ids that animals have as their category without its name.
  'import_category_ids (id INTEGER PRIMARY KEY)',
]

const dropTables = 'DROP TABLE import_pets; DROP TABLE import_categories; DROP TABLE import_category_ids'

const movePets = `
  INSERT INTO pets (name, folded_name, category_id, status)
  SELECT import_pets.name, import_pets.folded_name, coalesce(import_categories.id, category), status
  FROM import_pets LEFT JOIN import_categories ON number = -category
  ORDER BY import_pets.rowid`
