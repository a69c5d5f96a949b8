/** Pages of animals that are sorted by name, status or category. */

import type { Database } from 'bun:sqlite'
import { createTimeLimit, type IdRange, type Matches, pageRange, within } from '../../lib/steps/collect.ts'
import { foldedText } from '../../lib/text.ts'
import { type PetStatus, petStatuses } from './rules.ts'
import { type PetFilter, type PetRow, petColumns } from './table.ts'
import type { PetTotals } from './totals.ts'

/** What a list of animals can be sorted by, besides their ids. */
export type SortKey = 'name' | 'status' | 'category'

/** A position in a sorted list: after the animal with this name, status or category, and this id. */
export interface SortedPosition {
  readonly value: string
  readonly id: number
}

/** The animals of a range of ids that match the filter. The order of the range is also that of the names. */
interface SortedList {
  readonly filter: Omit<PetFilter, 'q' | 'ids'>
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
export function createSortedPages({
  connection,
  totals,
  page,
  monotonic,
}: {
  readonly connection: Database
  readonly totals: PetTotals
  readonly page: (filter: PetFilter, range: IdRange, limit: number) => Matches<PetRow>
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
    return connection.prepare<PetRow, Record<string, string | number | null>>(
      `SELECT ${petColumns} FROM pets WHERE ${conditions.join(' AND ')}
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
      const { records: pets } = page(group, within(sorted.range, rest), limit - found.length)
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
