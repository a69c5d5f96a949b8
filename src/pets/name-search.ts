/** Pages of the animals whose name holds a text: from the index as far as it reaches, beyond it by looking. */

import type { Database } from 'bun:sqlite'
import type { DerivedPets } from './derived.ts'
import { foldedText, matchExpression } from './search.ts'
import type { PetFilter, PetRange, PetRow } from './store.ts'

type SearchFilter = PetFilter & { readonly q: string }
type Fetch = (range: PetRange, limit: number) => PetRow[]

/** How many candidates are looked at at a time. */
const chunkSize = 200

export function createNameSearch(
  connection: Database,
  derived: DerivedPets,
  listed: (filter: PetFilter, range: PetRange, limit: number) => PetRow[],
) {
  const prepare = (order: PetRange['order']) =>
    connection.prepare<PetRow, [string, number, number, number]>(
      // The index gives its rows by id, so that SQLite stops as soon as the page is full.
      `SELECT pets.id, name, category_id AS categoryId, status
       FROM pet_search JOIN pets ON pets.id = pet_search.rowid
       WHERE pet_search MATCH ?1 AND pet_search.rowid > ?2 AND pet_search.rowid < ?3
       ORDER BY pet_search.rowid ${order} LIMIT ?4`,
    )
  const indexed = { asc: prepare('asc'), desc: prepare('desc') }

  return (filter: SearchFilter, range: PetRange, limit: number): PetRow[] => {
    const match = matchExpression(filter)
    if (match === undefined) return listed(filter, range, limit)
    const folded = foldedText(filter.q)
    const isMatch = ({ name }: PetRow) => foldedText(name).includes(folded)
    const fromIndex: Fetch = ({ order, above, below }, most) => indexed[order].all(match, above, below, most)
    const fromTable: Fetch = (within, most) => listed(filter, within, most)
    const inside = take(fromIndex, range)
    const outside = take(fromTable, { ...range, above: Math.max(range.above, derived.progress()) })
    const [first, second] = range.order === 'asc' ? [inside, outside] : [outside, inside]
    const found = first(limit, isMatch)
    return found.length < limit ? found.concat(second(limit - found.length, isMatch)) : found
  }
}

/** A function that gives the first `limit` matches that `fetch` has in a range. */
function take(fetch: Fetch, range: PetRange) {
  return (limit: number, isMatch: (pet: PetRow) => boolean): PetRow[] => {
    const found: PetRow[] = []
    let { order, above, below } = range
    while (found.length < limit && above + 1 < below) {
      const candidates = fetch({ order, above, below }, chunkSize)
      for (const pet of candidates) if (found.length < limit && isMatch(pet)) found.push(pet)
      const last = candidates.at(-1)
      if (!last || candidates.length < chunkSize) break
      if (order === 'asc') above = last.id
      else below = last.id
    }
    return found
  }
}
