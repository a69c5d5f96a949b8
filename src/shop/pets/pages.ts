/**
 * Pages of animals: in the order of their ids, with a text in their names, and sorted by name, status or category.
 */

import type { Database } from 'bun:sqlite'
import { max, sql } from 'drizzle-orm'
import { lazily, type Tables } from '../../database/open.ts'
import { systemClock } from '../../lib/clock.ts'
import {
  collectMatches,
  createTimeLimit,
  type IdRange,
  type Matches,
  pageRange,
  windowScan,
  within,
} from '../../lib/steps/collect.ts'
import { foldedText } from '../../lib/text.ts'
import { type PetStatus, petStatuses } from './rules.ts'
import { type PetFilter, type PetRow, petColumns, pets } from './table.ts'
import type { PetTotals } from './totals.ts'

/** A statement uses only those that its filter has. */
type PageParameters = Record<'above' | 'below' | 'limit' | 'categoryId' | 'status' | 'folded', string | number | null>

export interface SearchLimits {
  /** The clock in milliseconds by which a search is limited. */
  readonly monotonic: () => number
  /** The number of animals whose names are read at a time: by default as many as take about a millisecond. */
  readonly windowSize?: number
}

export function createPetPages(
  {
    tables,
    connection,
    totals,
  }: { readonly tables: Tables; readonly connection: Database; readonly totals: PetTotals },
  { monotonic, windowSize = 4_096 }: SearchLimits = systemClock,
) {
  const byIds = lazily(() =>
    tables
      .select(petColumns)
      .from(pets)
      .where(sql`${pets.id} IN (SELECT value FROM json_each(${sql.placeholder('ids')}))`)
      .prepare(),
  )
  const highestId = lazily(() =>
    tables
      .select({ id: max(pets.id) })
      .from(pets)
      .prepare(),
  )
  const pages = new Map<string, ReturnType<typeof preparePage>>()

  /** One statement for each combination of filters and order. drizzle has no words for INDEXED BY. */
  function preparePage({ status, categoryId, q }: PetFilter, order: IdRange['order']) {
    const select = 'SELECT id, name, category_id AS categoryId, status FROM pets'
    const range = `id > $above AND id < $below${q === undefined ? '' : ' AND instr(folded_name, $folded) > 0'}`
    // Otherwise SQLite would choose the index of statuses and skip the animals of other categories one by one.
    const inCategory = (one: string) =>
      `${select} INDEXED BY pets_by_category_and_status WHERE category_id = $categoryId AND status = ${one} AND ${range}`
    // SQLite merges the animals of each status by id. An index of categories alone would cost a page for each new
    // animal.
    const statuses = status === undefined ? petStatuses.map((one) => `'${one}'`) : ['$status']
    const inStore = `${select} WHERE ${range}${status === undefined ? '' : ' AND status = $status'}`
    const parts = categoryId === undefined ? [inStore] : statuses.map(inCategory)
    return connection.prepare<PetRow, PageParameters>(
      `${parts.join(' UNION ALL ')} ORDER BY id ${order} LIMIT $limit + 0`,
    )
  }

  /** Reads the animals of a range, and their names if there is a text, one after the other. */
  function list(filter: PetFilter, { order, above, below }: IdRange, limit: number): PetRow[] {
    const { categoryId = null, status = null, q } = filter
    const combination = `${order} ${status !== null} ${categoryId !== null} ${q !== undefined}`
    const statement = pages.get(combination) ?? preparePage(filter, order)
    pages.set(combination, statement)
    return statement.all({ categoryId, status, folded: q === undefined ? null : foldedText(q), above, below, limit })
  }

  /** Finds the animals with `q` in their names: reads the names, window by window. */
  function search(filter: PetFilter, range: IdRange, limit: number): Matches<PetRow> {
    const scan = windowScan(windowSize, ({ low, high, most }) =>
      list(filter, { ...range, above: low, below: high }, most),
    )
    const existing = { ...range, below: Math.min(range.below, (highestId.get()?.id ?? 0) + 1) }
    return collectMatches(scan, existing, limit, () => true, monotonic)
  }

  return {
    /**
     * At most `limit` animals of a range that match the filter, in its order. With `q` a search stops after ten
     * milliseconds: the page can then be short, and has `searchedTo`.
     */
    page({ q = '', ...filter }: PetFilter, range: IdRange, limit: number): Matches<PetRow> {
      // A text that folds to nothing is part of any name.
      if (foldedText(q) !== '') return search({ ...filter, q }, range, limit)
      return { records: list(filter, range, limit), searchedTo: undefined }
    },
    /** At most `limit` animals of a range that have one of `ids` (at most some hundred) and match the filter. */
    pageOfIds(
      ids: readonly number[],
      { q, ...filter }: PetFilter = {},
      range = pageRange('asc', undefined),
      limit = ids.length,
    ): PetRow[] {
      const folded = q === undefined ? '' : foldedText(q)
      const found = byIds
        .all({ ids: JSON.stringify(ids) })
        .filter((pet) => isIn(range, filter, pet) && foldedText(pet.name).includes(folded))
      const inOrder = found.sort((a, b) => (range.order === 'asc' ? a.id - b.id : b.id - a.id))
      return inOrder.slice(0, limit)
    },
    /** At most `limit` animals of a list that is not sorted by id, after a position. */
    sortedPage: createSortedPages({ connection, totals, list, monotonic }),
  }
}

/** Whether an animal is in a range of ids, and has the status and category of a filter. */
function isIn({ above, below }: IdRange, { status, categoryId }: Omit<PetFilter, 'q'>, pet: PetRow): boolean {
  return (
    pet.id > above &&
    pet.id < below &&
    (status === undefined || pet.status === status) &&
    (categoryId === undefined || pet.categoryId === categoryId)
  )
}

/** What a list of animals can be sorted by, besides their ids. */
export type SortKey = 'name' | 'status' | 'category'

/** A position in a sorted list: after the animal with this name, status or category, and this id. */
export interface SortedPosition {
  readonly value: string
  readonly id: number
}

/** The animals of a range of ids that match the filter. The order of the range is also that of the names. */
interface SortedList {
  readonly filter: Omit<PetFilter, 'q'>
  readonly range: IdRange
}

interface SortedPage {
  readonly records: readonly PetRow[]
  /** If the time was up before the page was full: the last position that was examined. */
  readonly searchedTo?: SortedPosition
}

/** The value of an animal by which a list is sorted, as text. */
export const sortValue = (key: SortKey, { name, status, categoryId }: PetRow): string =>
  ({ name, status, category: String(categoryId) })[key]

/**
 * Returns a function that reads the first `limit` animals of a list after a position; undefined stands for its
 * beginning.
 */
function createSortedPages({
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
  const names = new Map<string, ReturnType<typeof prepareNames>>()

  /**
   * One statement for each combination of filters, order and start. SQLite reads every animal that matches the filter,
   * and keeps the first ones: an index of names would cost every new animal more than a page is worth.
   */
  function prepareNames({ filter: { status, categoryId }, range: { order } }: SortedList, isFirst: boolean) {
    const conditions = [
      'id > $above AND id < $below',
      // A plus keeps SQLite from the index of statuses, in whose order a read of most animals takes longer.
      ...(status === undefined ? [] : ['+status = $status']),
      ...(categoryId === undefined ? [] : ['category_id = $categoryId']),
      ...(isFirst ? [] : [`(folded_name, id) ${order === 'asc' ? '>' : '<'} ($folded, $after)`]),
    ]
    return connection.prepare<PetRow, PageParameters & { readonly after: number | null }>(
      `SELECT id, name, category_id AS categoryId, status FROM pets WHERE ${conditions.join(' AND ')}
       ORDER BY folded_name ${order}, id ${order} LIMIT $limit + 0`,
    )
  }

  function byName(sorted: SortedList, start: SortedPosition | undefined, limit: number): SortedPage {
    const { order, above, below } = sorted.range
    const { categoryId = null, status = null } = sorted.filter
    const combination = `${order} ${status !== null} ${categoryId !== null} ${start !== undefined}`
    const statement = names.get(combination) ?? prepareNames(sorted, start === undefined)
    names.set(combination, statement)
    const after = { folded: start ? foldedText(start.value) : null, after: start ? start.id : null }
    return { records: statement.all({ categoryId, status, above, below, limit, ...after }) }
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
