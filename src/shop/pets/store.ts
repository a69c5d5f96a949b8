/** The table of animals, with its totals, which are written in the same transaction. */

import type { Database } from 'bun:sqlite'
import { eq, max, sql } from 'drizzle-orm'
import { type Declare, declareNothing } from '../../database/announcements.ts'
import { insertedId, lazily, type Tables } from '../../database/open.ts'
import { systemClock } from '../../lib/clock.ts'
import { collectMatches, type IdRange, type Matches, windowScan } from '../../lib/steps/collect.ts'
import { foldedText } from '../../lib/text.ts'
import { petStatuses } from './rules.ts'
import { createSortedPages } from './sorted-pages.ts'
import { type PetFilter, type PetRow, petColumns, pets } from './table.ts'
import { createPetTotals } from './totals.ts'

/** A statement uses only those that its filter has. */
type PageParameters = Record<'above' | 'below' | 'limit' | 'categoryId' | 'status' | 'folded', string | number | null>

export interface SearchLimits {
  /** The clock in milliseconds by which a search is limited. */
  readonly monotonic: () => number
  /** The number of animals whose names are read at a time. */
  readonly windowSize: number
}

/** Reading so many names takes about a millisecond. */
const searchLimits: SearchLimits = { monotonic: systemClock.monotonic, windowSize: 4_096 }

export function createPetStore(
  tables: Tables,
  connection: Database,
  declare: Declare = declareNothing,
  { monotonic, windowSize } = searchLimits,
) {
  const totals = createPetTotals(tables, connection)
  const byId = lazily(() =>
    tables
      .select(petColumns)
      .from(pets)
      .where(eq(pets.id, sql.placeholder('id')))
      .prepare(),
  )
  const byIds = lazily(() =>
    tables
      .select(petColumns)
      .from(pets)
      .where(sql`${pets.id} IN (SELECT value FROM json_each(${sql.placeholder('ids')}))`)
      .prepare(),
  )
  // The statements of a new animal are text, because drizzle is slower (decision 35).
  const insert = connection.prepare<never, [string, string, number, string]>(
    'INSERT INTO pets (name, folded_name, category_id, status) VALUES (?1, ?2, ?3, ?4)',
  )
  const insertWithId = lazily(() =>
    tables
      .insert(pets)
      .values({
        id: sql.placeholder('id'),
        name: sql.placeholder('name'),
        foldedName: sql.placeholder('foldedName'),
        categoryId: sql.placeholder('categoryId'),
        status: sql.placeholder('status'),
      })
      .prepare(),
  )
  // https://sqlite.org/autoinc.html#the_autoincrement_keyword
  const reserve = connection.prepare<{ seq: number }, [number]>(
    "UPDATE sqlite_sequence SET seq = seq + ?1 WHERE name = 'pets' RETURNING seq",
  )
  const reserveFirst = connection.prepare<{ seq: number }, [number]>(
    "INSERT INTO sqlite_sequence (name, seq) VALUES ('pets', ?1) RETURNING seq",
  )
  const update = lazily(() =>
    tables
      .update(pets)
      .set({
        name: sql`${sql.placeholder('name')}`,
        categoryId: sql`${sql.placeholder('categoryId')}`,
        status: sql`${sql.placeholder('status')}`,
      })
      .where(eq(pets.id, sql.placeholder('id')))
      .prepare(),
  )
  const fold = lazily(() =>
    tables
      .update(pets)
      .set({ foldedName: sql`${sql.placeholder('foldedName')}` })
      .where(eq(pets.id, sql.placeholder('id')))
      .prepare(),
  )
  const move = connection.prepare<never, [number, number]>('UPDATE pets SET category_id = ?2 WHERE category_id = ?1')
  // The ids of an import are consecutive: its range identifies its animals.
  const markChanged = connection.prepare(
    `INSERT OR IGNORE INTO changed_imported_pets (pet_id) SELECT ?1
     WHERE (SELECT last_pet_id FROM imports WHERE first_pet_id <= ?1 ORDER BY first_pet_id DESC LIMIT 1) >= ?1`,
  )
  const remove = lazily(() =>
    tables
      .delete(pets)
      .where(eq(pets.id, sql.placeholder('id')))
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
    // By itself SQLite would choose the index of statuses, and skip the animals of other categories one by one.
    const inCategory = (one: string) =>
      `${select} INDEXED BY pets_by_category_and_status WHERE category_id = $categoryId AND status = ${one} AND ${range}`
    // SQLite merges the animals of each status by id. An index of categories alone would cost a page for each new
    // animal.
    const statuses = status === undefined ? petStatuses.map((one) => `'${one}'`) : ['$status']
    const inStore = `${select} WHERE ${range}${status === undefined ? '' : ' AND status = $status'}`
    const parts = categoryId === undefined ? [inStore] : statuses.map(inCategory)
    return connection.prepare<PetRow, PageParameters>(`${parts.join(' UNION ALL ')} ORDER BY id ${order} LIMIT $limit`)
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
    /** At most `limit` animals of a list that is not sorted by id, after a position. */
    sortedPage: createSortedPages({ connection, totals, list, monotonic }),
    find: (id: number): PetRow | undefined => byId.get({ id }),
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
    pageOfIds(ids: readonly number[], { status, categoryId, q }: PetFilter, range: IdRange, limit: number): PetRow[] {
      const folded = q === undefined ? '' : foldedText(q)
      const found = byIds
        .all({ ids: JSON.stringify(ids) })
        .filter(
          (pet) =>
            pet.id > range.above &&
            pet.id < range.below &&
            (status === undefined || pet.status === status) &&
            (categoryId === undefined || pet.categoryId === categoryId) &&
            foldedText(pet.name).includes(folded),
        )
      const inOrder = found.sort((a, b) => (range.order === 'asc' ? a.id - b.id : b.id - a.id))
      return inOrder.slice(0, limit)
    },
    add(pet: Omit<PetRow, 'id'>): PetRow {
      const foldedName = foldedText(pet.name)
      const id = insertedId(insert.run(pet.name, foldedName, pet.categoryId, pet.status))
      declare('pets', id)
      const added = { id, ...pet }
      totals.replace(undefined, added)
      return added
    },
    /** Changes the animal `before`, which was read in the same transaction, to `after`. */
    update(before: PetRow, after: PetRow): void {
      declare('pets', before.id)
      const foldedName = foldedText(after.name)
      update.run({ ...after })
      // A change that keeps the name does not write to the index of names.
      if (foldedName !== foldedText(before.name)) fold.run({ id: after.id, foldedName })
      markChanged.run(before.id)
      totals.replace(before, after)
    },
    /** Removes an animal that was read in the same transaction. */
    remove(pet: PetRow): void {
      declare('pets', pet.id)
      remove.run({ id: pet.id })
      totals.replace(pet, undefined)
    },
    /**
     * Reserves consecutive ids for animals that are added later with `putBack`, and returns the first. No other animal
     * gets them, also if they are never used.
     */
    reserveIds(number: number): number {
      const last = (reserve.get(number) ?? reserveFirst.get(number))?.seq ?? 0
      return last - number + 1
    },
    /** Adds an animal under an id of its own: one that was removed, or that was reserved. */
    putBack(pet: PetRow): void {
      declare('pets', pet.id)
      insertWithId.run({ ...pet, foldedName: foldedText(pet.name) })
      totals.replace(undefined, pet)
    },
    /** Moves all animals of a category to another. They do not count as changed since their import. */
    moveToCategory(from: number, to: number): void {
      declare('pets')
      move.run(from, to)
      totals.moveCategory(from, to)
    },
    /** The number of animals that match a filter without `q`. */
    count: totals.count,
    /** The number of animals in each status. */
    inventory: totals.inventory,
    /** The number of animals of a category in any status. */
    countInCategory: (categoryId: number): number => totals.count({ categoryId }),
    /** At most `limit` ids above `after` that animals have as their category, by id. */
    categoriesInUse: totals.categoriesInUse,
    highestCategoryId: totals.highestCategoryId,
  }
}
export type PetStore = ReturnType<typeof createPetStore>
