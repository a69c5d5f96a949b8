/** Lists of animals in the order of their ids, with what another table has of each. */

import type { OpenDatabase } from '../../database/open.ts'
import { createSearch, type IdWindow } from '../../database/search.ts'
import type { IdRange, Matches } from '../../lib/steps/collect.ts'
import { foldedText } from '../../lib/text.ts'
import { petStatuses } from './rules.ts'
import { type PetFilter, pets } from './table.ts'

/** SQL conditions by the name of what they compare with, which is also that of their parameter, such as `$q`. */
type Conditions = Readonly<Record<string, string>>

export interface PetListOptions {
  /** The columns of a row, as SQL. One is `id`. */
  readonly columns: string
  /** Adds the other table, as SQL. */
  readonly join?: string
  /** What few animals have, which SQLite finds by an index. */
  readonly selective?: Conditions
  /** What is examined animal by animal. */
  readonly searched: Conditions
}

/** What animals are filtered by; members that are undefined do not filter. */
export type PetListFilter = PetFilter & Readonly<Record<string, string | number | undefined>>

/** The limits of a search. */
export interface SearchLimits {
  /** The clock in milliseconds by which a search is limited. */
  readonly monotonic: () => number
  /** The number of animals that are examined at a time: by default as many as take about a millisecond. */
  readonly windowSize?: number
}

/**
 * Returns a function that reads at most `limit` animals of a range that match a filter, in its order. Unless an index
 * finds them, the search stops after ten milliseconds: the page can then be short, and has `searchedTo`.
 */
export function createPetList<Row extends { readonly id: number }>(
  { tables, connection }: Pick<OpenDatabase, 'tables' | 'connection'>,
  { columns, join = '', searched, ...options }: PetListOptions,
  { monotonic, windowSize = 4_096 }: SearchLimits,
) {
  const selective: Conditions = { ids: 'pets.id IN (SELECT value FROM json_each($ids))', ...options.selective }
  const conditions: Conditions = {
    ...selective,
    categoryId: 'pets.category_id = $categoryId',
    status: 'pets.status = $status',
    ...searched,
  }
  const search = createSearch(tables, pets, windowSize, monotonic)
  const statements = new Map<string, ReturnType<typeof prepare>>()

  /** One statement for each combination of filters and order. drizzle has no words for INDEXED BY. */
  function prepare(names: readonly string[], order: IdRange['order']) {
    const where = ['pets.id > $low', 'pets.id < $high', ...names.map((name) => conditions[name])]
    const select = (index: string, more: readonly string[]) =>
      `SELECT ${columns} FROM pets ${index} ${join} WHERE ${[...where, ...more].join(' AND ')}`
    // Otherwise SQLite would choose the index of statuses and skip the animals of other categories one by one.
    const inCategory = (...more: string[]) => select('INDEXED BY pets_by_category_and_status', more)
    const isByCategory = names.includes('categoryId') && !names.some((name) => name in selective)
    // SQLite merges the animals of each status by id. An index of categories alone would cost a page for each new
    // animal.
    const inStatuses = names.includes('status')
      ? [inCategory()]
      : petStatuses.map((status) => inCategory(`pets.status = '${status}'`))
    const parts = isByCategory ? inStatuses : [select('', [])]
    return connection.prepare<Row, Record<string, string | number | null>>(
      `${parts.join(' UNION ALL ')} ORDER BY id ${order} LIMIT $most + 0`,
    )
  }

  return ({ ids, q = '', ...filter }: PetListFilter, range: IdRange, limit: number): Matches<Row> => {
    const values: Readonly<Record<string, string | number | undefined>> = {
      ...filter,
      ids: ids === undefined ? undefined : `[${ids}]`,
      // A text that folds to nothing is part of any name.
      q: foldedText(q) || undefined,
    }
    const names = Object.keys(conditions).filter((name) => values[name] !== undefined)
    const key = `${range.order} ${names}`
    const statement = statements.get(key) ?? prepare(names, range.order)
    statements.set(key, statement)
    const parameters = Object.fromEntries(names.map((name) => [name, values[name] ?? null]))
    const read = (window: IdWindow) => statement.all({ ...parameters, ...window })
    if (names.some((name) => name in searched) && !names.some((name) => name in selective)) {
      return search(read, range, limit)
    }
    return { records: read({ low: range.above, high: range.below, most: limit }), searchedTo: undefined }
  }
}
