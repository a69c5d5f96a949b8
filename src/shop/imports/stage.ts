/**
 * The checked animals of a file, before they are added: in a temporary database, which SQLite keeps in a file without a
 * name as soon as it has more than two megabytes. It holds no lock on the store, and a crash leaves nothing of it.
 */

import { Database } from 'bun:sqlite'
import { foldedName } from '../categories/rules.ts'
import type { PetRow } from '../pets/table.ts'
import type { ImportedCategory, ImportedPet } from './file/rows.ts'

export type Stage = ReturnType<typeof createStage>

/** An animal with the id of its category; `number` is its position in the file. */
export interface StagedPet extends Omit<PetRow, 'id'> {
  readonly number: number
}

/** The maximum number of category names, and of ids, in memory. */
const cachedCategories = 10_000

/** Creates an empty stage. */
export function createStage() {
  const connection = new Database(':memory:', { strict: true })
  // Temporary tables are in a file, those of a database in memory are not.
  connection.run(tables)
  const insert = connection.query('INSERT INTO import_pets VALUES (?1, ?2, ?3)')
  const insertCategory = connection.query<unknown, [string, string, number | null]>(
    // The first row with an id for a category determines its id.
    `INSERT INTO import_categories (folded_name, name, given_id) VALUES (?1, ?2, ?3)
     ON CONFLICT (folded_name) DO UPDATE SET given_id = coalesce(given_id, excluded.given_id)`,
  )
  const findCategory = connection.query<{ number: number }, [string]>(
    'SELECT number FROM import_categories WHERE folded_name = ?1',
  )
  const insertId = connection.query('INSERT OR IGNORE INTO import_category_ids VALUES (?1)')
  const page = connection.query<StagedPet, [number, number]>(
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
    add(animals: readonly ImportedPet[]): void {
      connection.transaction(() => {
        for (const { name, category, status } of animals) insert.run(name, placeholderOf(category), status)
      })()
    },
    /** At most `limit` animals after the position `after`. Called when the categories have their ids. */
    page: (after: number, limit: number): StagedPet[] => page.all(after, limit),
    /** Its file is gone when this returns: `close` finalizes the statements that `query` has made. */
    close: (): void => connection.close(),
  }
}

const tables = `
  CREATE TEMP TABLE import_pets (name TEXT NOT NULL, category INTEGER NOT NULL, status TEXT NOT NULL);
  CREATE TEMP TABLE import_categories (
    number INTEGER PRIMARY KEY, folded_name TEXT NOT NULL UNIQUE, name TEXT NOT NULL, given_id INTEGER, id INTEGER);
  -- The ids that animals have as their category without its name.
  CREATE TEMP TABLE import_category_ids (id INTEGER PRIMARY KEY)`
