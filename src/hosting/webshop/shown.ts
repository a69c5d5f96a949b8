/**
 * The animals that a web shop shows, as a list in memory: the newest 5,000 that are published and available or
 * reserved. Counts, filters, order and pages come from it, which by SQL would take a tenth of a second.
 */

import type { Database } from 'bun:sqlite'
import type { Sex } from '../../shop/profiles/rules.ts'
import type { ListQuery } from './addresses.ts'
import type { ShownChoice } from './rules.ts'

export const maximumShown = 5_000
export const pageSize = 24

interface ShownAnimal {
  readonly id: number
  readonly name: string
  readonly categoryId: number
  readonly sex: Sex | null
  readonly price: number | null
}

/** Each status has an index, in which the newest come last. */
const newestOfStatus = `
  SELECT pets.id AS id, name, category_id AS categoryId, p.sex AS sex, p.price AS price
  FROM pets LEFT JOIN pet_profiles AS p ON p.pet_id = pets.id
  WHERE pets.status = $status AND ifnull(p.published, 1)
    AND ($shows = 'all' OR EXISTS (SELECT 1 FROM pet_photos WHERE pet_id = pets.id))
  ORDER BY pets.id DESC LIMIT ${maximumShown}`

/** Returns a function that reads the list. */
export function createShownReader(connection: Database) {
  let statement: ReturnType<typeof prepare> | undefined
  const prepare = () =>
    connection.prepare<ShownAnimal, { readonly status: string; readonly shows: string }>(newestOfStatus)
  return (shows: ShownChoice): Shown => {
    statement ??= prepare()
    const available = statement.all({ status: 'available', shows })
    const reserved = statement.all({ status: 'pending', shows })
    return createShown([...available, ...reserved].sort((a, b) => b.id - a.id).slice(0, maximumShown))
  }
}

/** `newest` is in its order. */
export function createShown(newest: readonly ShownAnimal[]) {
  const ids = new Set(newest.map(({ id }) => id))
  const counts = new Map<number, number>()
  for (const { categoryId } of newest) counts.set(categoryId, (counts.get(categoryId) ?? 0) + 1)
  /** The ids of lists that were asked for: at most six for each category, and six of all animals. */
  const lists = new Map<string, readonly number[]>()

  function listOf({ category, sex, sort }: ListQuery): readonly number[] {
    const key = `${category} ${sex} ${sort}`
    const known = lists.get(key)
    if (known) return known
    const found = newest.filter(
      (animal) =>
        (category === undefined || animal.categoryId === category) && (sex === undefined || animal.sex === sex),
    )
    const ids = (sort === 'price' ? found.sort(byPrice) : found).map(({ id }) => id)
    lists.set(key, ids)
    return ids
  }

  return {
    newest,
    has: (id: number): boolean => ids.has(id),
    /** The number of animals in each category, by its id. */
    counts: counts as ReadonlyMap<number, number>,
    /**
     * The ids of a page of a list, and how many animals the list has. Undefined for a category without animals and for a
     * page behind the last, for which visitors can ask without end.
     */
    page(query: ListQuery): { readonly ids: readonly number[]; readonly found: number } | undefined {
      if (query.category !== undefined && !counts.has(query.category)) return undefined
      const ids = listOf(query)
      const start = (query.page - 1) * pageSize
      if (query.page > 1 && start >= ids.length) return undefined
      return { ids: ids.slice(start, start + pageSize), found: ids.length }
    },
  }
}

/** The lowest price first; those without a price come last. */
const byPrice = (a: ShownAnimal, b: ShownAnimal) =>
  (a.price ?? Number.MAX_SAFE_INTEGER) - (b.price ?? Number.MAX_SAFE_INTEGER)

export type Shown = ReturnType<typeof createShown>
