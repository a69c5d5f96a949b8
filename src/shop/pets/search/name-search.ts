/**
 * Pages of the animals whose name contains a text. Animals up to the progress of the index are found by the index, the
 * others by their names. A search takes a few milliseconds at most, for any animals and any text: a page on which it ran
 * out of time has the last id that was searched.
 */

import type { Database } from 'bun:sqlite'
import { collectMatches, type IdRange, type RecordScan, windowScan } from '../../../lib/steps/collect.ts'
import { foldedText } from '../../../lib/text.ts'
import type { Snapshot } from '../snapshot.ts'
import type { PetFilter, PetPage, PetRow } from '../table.ts'
import type { PetIndex } from './pet-index.ts'
import { blockOf, blockSize, matchAll, queryTokens } from './tokens.ts'

type SearchFilter = PetFilter & { readonly q: string }

type Scan = RecordScan<PetRow>

/** The number of ids beyond the index that are read at a time, in about half a millisecond. */
const windowSize = 4_096

export interface NameSearchParts {
  readonly connection: Database
  readonly index: PetIndex
  readonly snapshot: Snapshot
  readonly monotonic: () => number
  /** A page of animals with any names. */
  readonly list: (filter: PetFilter, range: IdRange, limit: number) => PetPage
}

/** Returns a function that finds at most `limit` animals of a range that match the filter, in its order. */
export function createNameSearch({ connection, index, snapshot, monotonic, list }: NameSearchParts) {
  const scanIndex = createIndexScan(connection)
  const scanNames = createNamesScan(connection)

  function search(filter: SearchFilter, range: IdRange, limit: number): PetPage {
    const tokens = queryTokens(filter)
    if (!tokens) return list(filter, range, limit)
    const folded = foldedText(filter.q)
    const { status, categoryId } = filter
    const isMatch = (pet: PetRow) =>
      foldedText(pet.name).includes(folded) &&
      (status === undefined || pet.status === status) &&
      (categoryId === undefined || pet.categoryId === categoryId)
    const progress = index.progress()
    const inside = { ...range, below: Math.min(range.below, progress + 1) }
    const outside = {
      ...range,
      above: Math.max(range.above, progress),
      below: Math.min(range.below, index.highestId() + 1),
    }
    const parts: [Scan, IdRange][] = [
      [scanIndex(tokens), inside],
      [scanNames(filter, folded, range.order), outside],
    ]
    if (range.order === 'desc') parts.reverse()
    const { records, searchedTo } = collectMatches(parts, limit, isMatch, monotonic)
    return { pets: records, ...(searchedTo === undefined ? {} : { searchedTo }) }
  }

  return (filter: SearchFilter, range: IdRange, limit: number) => snapshot(() => search(filter, range, limit))
}

function createIndexScan(connection: Database) {
  const prepare = (order: IdRange['order']) => ({
    rows: connection.prepare<PetRow, [string, number, number, number]>(
      // The index returns its rows by id, so that SQLite stops as soon as it has enough rows.
      `SELECT pets.id, name, category_id AS categoryId, status
       FROM pet_search JOIN pets ON pets.id = pet_search.rowid
       WHERE pet_search MATCH ?1 AND pet_search.rowid > ?2 AND pet_search.rowid < ?3
       ORDER BY pet_search.rowid ${order} LIMIT ?4`,
    ),
    first: connection.prepare<{ id: number }, [number, number]>(
      `SELECT id FROM pets WHERE id > ?1 AND id < ?2 ORDER BY id ${order} LIMIT 1`,
    ),
  })
  const statements = { asc: prepare('asc'), desc: prepare('desc') }
  const occurs = connection.prepare<unknown, [string]>('SELECT 1 FROM pet_search WHERE pet_search MATCH ?1 LIMIT 1')

  return (tokens: readonly string[]): Scan => {
    /** A token that a block lacked. Other blocks probably lack it too, and to look up one token takes least time. */
    let rare: string | undefined
    const isIn = (block: number) => (token: string) => occurs.get(matchAll(block, [token])) !== null

    return ({ order, above, below }, most) => {
      const isUp = order === 'asc'
      const first = statements[order].first.get(above, below)
      if (!first) return { candidates: [], searchedTo: isUp ? below - 1 : above + 1 }
      const block = blockOf(first.id)
      const low = Math.max(above, block * blockSize - 1)
      const high = Math.min(below, (block + 1) * blockSize)
      const candidates =
        rare !== undefined && !isIn(block)(rare)
          ? []
          : statements[order].rows.all(matchAll(block, tokens), low, high, most)
      const last = candidates.at(-1)
      if (last && candidates.length === most) return { candidates, searchedTo: last.id }
      if (!last) rare ??= tokens.find((token) => !isIn(block)(token))
      return { candidates, searchedTo: isUp ? high - 1 : low + 1 }
    }
  }
}

function createNamesScan(connection: Database) {
  const prepare = (order: IdRange['order']) =>
    connection.prepare<PetRow, [number, number, string, string | null, number | null, number]>(
      // SQLite's lower() folds ASCII names completely. Every other name is a candidate.
      `SELECT id, name, category_id AS categoryId, status FROM pets
       WHERE id > ?1 AND id < ?2 AND (instr(lower(name), ?3) > 0 OR octet_length(name) <> length(name))
         AND (?4 IS NULL OR +status = ?4) AND (?5 IS NULL OR +category_id = ?5)
       ORDER BY id ${order} LIMIT ?6`,
    )
  const statements = { asc: prepare('asc'), desc: prepare('desc') }

  return ({ status, categoryId }: PetFilter, folded: string, order: IdRange['order']): Scan =>
    windowScan(windowSize, ({ low, high, most }) =>
      statements[order].all(low, high, folded, status ?? null, categoryId ?? null, most),
    )
}
