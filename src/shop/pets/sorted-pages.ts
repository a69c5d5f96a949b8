/**
 * Pages of animals that are sorted by name, status or category. Animals for which that is the same are sorted by id.
 */

import type { Database } from 'bun:sqlite'
import { createTimeLimit, type IdRange, pageRange, within } from '../../lib/steps/collect.ts'
import { foldedText } from '../../lib/text.ts'
import { type PetStatus, petStatuses } from './rules.ts'
import type { PetFilter, PetRow } from './table.ts'
import type { PetTotals } from './totals.ts'

/** What a list of animals can be sorted by, besides their ids. */
export type SortKey = 'name' | 'status' | 'category'

/** A position in a sorted list: after the animal with this name, status or category, and this id. */
export interface SortedPosition {
  readonly value: string
  readonly id: number
}

/** The animals of a range of ids that match the filter. The order of the range is also that of the names. */
export interface SortedList {
  readonly filter: Omit<PetFilter, 'q'>
  readonly range: IdRange
}

export interface SortedPage {
  readonly records: readonly PetRow[]
  /** If the time was up before the page was full: the last position that was examined. */
  readonly searchedTo?: SortedPosition
}

/** The value of an animal by which a list is sorted, as text. */
export const sortValue = (key: SortKey, { name, status, categoryId }: PetRow): string =>
  ({ name, status, category: String(categoryId) })[key]

/** The animals that are read by name at a time if there is a filter, in less than a millisecond. */
const chunkSize = 200

/**
 * Returns a function that reads the first `limit` animals of a list after a position; undefined stands for its
 * beginning.
 */
export function createSortedPages({
  connection,
  totals,
  list,
  monotonic,
}: {
  readonly connection: Database
  readonly totals: PetTotals
  /** Reads at most `limit` animals of a range, by id. */
  readonly list: (filter: PetFilter, range: IdRange, limit: number) => PetRow[]
  readonly monotonic: () => number
}) {
  const names = new Map<IdRange['order'], ReturnType<typeof prepareNames>>()

  function prepareNames(order: IdRange['order']) {
    const beyond = order === 'asc' ? '>' : '<'
    const select = 'SELECT id, name, category_id AS categoryId, status FROM pets INDEXED BY pets_by_name'
    return {
      // Two statements, because the comparison of two columns at once would read all animals of the same name.
      sameName: connection.prepare<PetRow, [string | Uint8Array, number, number]>(
        `${select} WHERE folded_name = ?1 AND id ${beyond} ?2 ORDER BY id ${order} LIMIT ?3`,
      ),
      otherNames: connection.prepare<PetRow, [string | Uint8Array, number]>(
        `${select} WHERE folded_name ${beyond} ?1 ORDER BY folded_name ${order}, id ${order} LIMIT ?2`,
      ),
    }
  }

  function readNames(order: IdRange['order'], after: SortedPosition | undefined, most: number): PetRow[] {
    const { sameName, otherNames } = names.get(order) ?? prepareNames(order)
    names.set(order, { sameName, otherNames })
    // A name can be folded to an empty text. For SQLite every text is less than every blob.
    const [folded, id] = after ? [foldedText(after.value), after.id] : order === 'asc' ? ['', 0] : [new Uint8Array(), 0]
    const pets = sameName.all(folded, id, most)
    return pets.length === most ? pets : [...pets, ...otherNames.all(folded, most - pets.length)]
  }

  function byName({ filter, range }: SortedList, start: SortedPosition | undefined, limit: number): SortedPage {
    const { status, categoryId } = filter
    const isMatch = (pet: PetRow) =>
      pet.id > range.above &&
      pet.id < range.below &&
      (status === undefined || pet.status === status) &&
      (categoryId === undefined || pet.categoryId === categoryId)
    const isOver = createTimeLimit(monotonic)
    const found: PetRow[] = []
    for (let after = start; ; ) {
      const most = after === start ? limit : chunkSize
      const pets = readNames(range.order, after, most)
      for (const pet of pets) {
        if (isMatch(pet)) found.push(pet)
        if (found.length === limit) return { records: found }
      }
      const last = pets.at(-1)
      if (last === undefined || pets.length < most) return { records: found }
      after = { value: last.name, id: last.id }
      if (isOver()) return { records: found, searchedTo: after }
    }
  }

  /** The filters of the animals with the same status or category, one after the other in the order of the list. */
  function* groupsOf(key: 'status' | 'category', { filter, range }: SortedList, start: string | undefined) {
    if (key === 'status') {
      const statuses = petStatuses.filter((status) => filter.status === undefined || status === filter.status)
      const inOrder = range.order === 'asc' ? statuses : statuses.toReversed()
      const from = inOrder.indexOf(start as PetStatus)
      for (const status of inOrder.slice(Math.max(from, 0))) yield { value: status, group: { ...filter, status } }
      return
    }
    const first = start === undefined ? undefined : Number(start)
    let categoryId = filter.categoryId ?? first ?? totals.nextCategory(range.order, undefined, filter.status)
    while (categoryId !== undefined) {
      yield { value: String(categoryId), group: { ...filter, categoryId } }
      categoryId = filter.categoryId ? undefined : totals.nextCategory(range.order, categoryId, filter.status)
    }
  }

  function byGroup(
    key: 'status' | 'category',
    sorted: SortedList,
    start: SortedPosition | undefined,
    limit: number,
  ): SortedPage {
    const { order } = sorted.range
    const isOver = createTimeLimit(monotonic)
    const found: PetRow[] = []
    for (const { value, group } of groupsOf(key, sorted, start?.value)) {
      const rest = pageRange(order, value === start?.value ? start.id : undefined)
      const pets = list(group, within(sorted.range, rest), limit - found.length)
      found.push(...pets)
      if (found.length === limit) break
      // Many categories may have no animal of an import.
      const end = order === 'asc' ? Number.MAX_SAFE_INTEGER : 1
      if (pets.length === 0 && isOver()) return { records: found, searchedTo: { value, id: end } }
    }
    return { records: found }
  }

  return (key: SortKey, sorted: SortedList, start: SortedPosition | undefined, limit: number): SortedPage =>
    key === 'name' ? byName(sorted, start, limit) : byGroup(key, sorted, start, limit)
}
