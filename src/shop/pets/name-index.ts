/**
 * The search index of names, an FTS5 table: it finds the animals whose folded name has all parts of three characters
 * (trigrams) of a text. It is written in the transaction of the animal. https://sqlite.org/fts5.html
 */

import type { Database } from 'bun:sqlite'
import type { IdRange, RecordScan } from '../../lib/steps/collect.ts'
import type { PetRow } from './table.ts'

/** The number of characters of a part. */
const partLength = 3

/** More parts would hardly narrow a search, and each costs a look-up. */
const maximumParts = 8

/**
 * A trigger on `pets` could call these writes, but SQLite opens a savepoint for each statement that has a trigger, at which
 * FTS5 writes what it has collected: that costs 8 µs an animal where a transaction adds a hundred, and these writes cost 2.
 */
export function createNameIndex(connection: Database) {
  const insert = connection.prepare('INSERT INTO pet_search (rowid, folded_name) VALUES (?1, ?2)')
  // https://sqlite.org/fts5.html#the_delete_command
  const remove = connection.prepare(
    `INSERT INTO pet_search (pet_search, rowid, folded_name) SELECT 'delete', id, folded_name FROM pets WHERE id = ?1`,
  )
  const prepareScan = (order: IdRange['order']) =>
    connection.prepare<PetRow, [string, number, number, number]>(
      // The index returns its rows by id, so that SQLite stops as soon as it has enough rows.
      `SELECT pets.id, pets.name, pets.category_id AS categoryId, pets.status
       FROM pet_search JOIN pets ON pets.id = pet_search.rowid
       WHERE pet_search MATCH ?1 AND pet_search.rowid > ?2 AND pet_search.rowid < ?3
       ORDER BY pet_search.rowid ${order} LIMIT ?4`,
    )
  const scans = { asc: prepareScan('asc'), desc: prepareScan('desc') }

  return {
    /** Called in the transaction that has added the animal. */
    add(id: number, foldedName: string): void {
      insert.run(id, foldedName)
    },
    /** Called in the transaction that removes the animal or changes its name, before that. */
    remove(id: number): void {
      remove.run(id)
    },
    /**
     * Reads the animals that have all parts of `folded`, a text for which `isIndexable` is true; few of them may not
     * contain the text itself.
     */
    scan(folded: string): RecordScan<PetRow> {
      const expression = matchAll(partsOf(folded))
      return ({ order, above, below }, most) => {
        const candidates = scans[order].all(expression, above, below, most)
        const last = candidates.at(-1)
        if (last && candidates.length === most) return { candidates, searchedTo: last.id }
        return { candidates, searchedTo: order === 'asc' ? below - 1 : above + 1 }
      }
    },
  }
}

/** Whether the index can find a text: it has a part, and no character at which FTS5 takes the expression for ended. */
export const isIndexable = (folded: string): boolean => [...folded].length >= partLength && !folded.includes('\0')

/** At most `maximumParts` different parts of a text, from its beginning to its end. */
export function partsOf(folded: string): string[] {
  const characters = [...folded]
  const parts = new Set<string>()
  for (let end = partLength; end <= characters.length; end++) {
    parts.add(characters.slice(end - partLength, end).join(''))
  }
  const stride = Math.ceil(parts.size / maximumParts)
  return [...parts].filter((_, i) => i % stride === 0)
}

/** An FTS5 expression; as strings, parts have no syntax. https://sqlite.org/fts5.html#fts5_strings */
function matchAll(parts: readonly string[]): string {
  return parts.map((part) => `"${part.replaceAll('"', '""')}"`).join(' AND ')
}
