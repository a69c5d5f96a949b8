/** The table of animals: prepared statements, totals and the search index. */

import type { Database } from 'bun:sqlite'
import { eq, sql } from 'drizzle-orm'
import { type Declare, declareNothing } from '../../database/announcements.ts'
import { insertedId, lazily, type Tables } from '../../database/open.ts'
import { systemClock } from '../../lib/clock.ts'
import type { IdRange } from '../../lib/steps/collect.ts'
import { foldedText } from '../../lib/text.ts'
import { petStatuses } from './rules.ts'
import { createCompleteId } from './search/complete-id.ts'
import { createNameSearch } from './search/name-search.ts'
import { createPetIndex } from './search/pet-index.ts'
import { createSnapshot } from './snapshot.ts'
import { type PetFilter, type PetPage, type PetRow, pets } from './table.ts'
import { createPetTotals } from './totals.ts'

/** `status` and `categoryId` only matter to the statements that have them. */
type PageParameters = Record<'above' | 'below' | 'limit' | 'categoryId' | 'status', string | number | null>

/** `monotonic` is the clock in milliseconds by which long work is divided into steps. */
export function createPetStore(
  tables: Tables,
  connection: Database,
  declare: Declare = declareNothing,
  { monotonic } = systemClock,
) {
  const snapshot = createSnapshot(connection)
  const completeId = createCompleteId(connection)
  const totals = createPetTotals(connection, monotonic, completeId)
  const index = createPetIndex(connection, monotonic, completeId)
  const byId = lazily(() =>
    tables
      .select()
      .from(pets)
      .where(eq(pets.id, sql.placeholder('id')))
      .prepare(),
  )
  const byIds = lazily(() =>
    tables
      .select()
      .from(pets)
      .where(sql`${pets.id} IN (SELECT value FROM json_each(${sql.placeholder('ids')}))`)
      .prepare(),
  )
  const insert = lazily(() =>
    tables
      .insert(pets)
      .values({
        name: sql.placeholder('name'),
        categoryId: sql.placeholder('categoryId'),
        status: sql.placeholder('status'),
      })
      .prepare(),
  )
  const insertWithId = lazily(() =>
    tables
      .insert(pets)
      .values({
        id: sql.placeholder('id'),
        name: sql.placeholder('name'),
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
  const pages = new Map<string, ReturnType<typeof preparePage>>()
  const search = createNameSearch({ connection, index, snapshot, monotonic, list })

  /** One statement for each combination of filters and order. */
  function preparePage({ status, categoryId }: PetFilter, order: IdRange['order']) {
    const select = 'SELECT id, name, category_id AS categoryId, status FROM pets'
    const range = 'id > $above AND id < $below'
    // By itself SQLite would choose the index of statuses, and skip the animals of other categories one by one.
    const inCategory = (one: string) =>
      `${select} INDEXED BY pets_by_category_and_status WHERE category_id = $categoryId AND status = ${one} AND ${range}`
    // SQLite merges the animals of each status by id. An index of categories alone would cost a page for each new animal.
    const statuses = status === undefined ? petStatuses.map((one) => `'${one}'`) : ['$status']
    const inStore = `${select} WHERE ${range}${status === undefined ? '' : ' AND status = $status'}`
    const parts = categoryId === undefined ? [inStore] : statuses.map(inCategory)
    return connection.prepare<PetRow, PageParameters>(`${parts.join(' UNION ALL ')} ORDER BY id ${order} LIMIT $limit`)
  }

  function list(filter: PetFilter, { order, above, below }: IdRange, limit: number): PetPage {
    const combination = `${order} ${filter.status !== undefined} ${filter.categoryId !== undefined}`
    let statement = pages.get(combination)
    if (!statement) {
      statement = preparePage(filter, order)
      pages.set(combination, statement)
    }
    const { categoryId = null, status = null } = filter
    return { pets: statement.all({ categoryId, status, above, below, limit }) }
  }

  return {
    find: (id: number): PetRow | undefined => byId.get({ id }),
    /**
     * At most `limit` animals of a range that match the filter, in its order. With `q` a search stops after a few
     * milliseconds: the page can then be short, and has `searchedTo`.
     */
    page(filter: PetFilter, range: IdRange, limit: number): PetPage {
      const { q } = filter
      return q === undefined ? list(filter, range, limit) : search({ ...filter, q }, range, limit)
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
      const id = insertedId(insert.run(pet))
      declare('pets', id)
      return { id, ...pet }
    },
    /** Called in the transaction in which animals were added without `add`. */
    wereAdded: (): void => declare('pets'),
    /** Changes the animal `before`, which was read in the same transaction, to `after`. */
    update(before: PetRow, after: PetRow): void {
      declare('pets', before.id)
      update.run(after)
      markChanged.run(before.id)
      totals.replace(before, after)
      index.replace(before, after)
    },
    /** Removes an animal that was read in the same transaction. */
    remove(pet: PetRow): void {
      declare('pets', pet.id)
      remove.run({ id: pet.id })
      totals.replace(pet, undefined)
      index.replace(pet, undefined)
    },
    /**
     * Reserves consecutive ids for animals that are added later with `putBack`, and returns the first. No other animal gets
     * them, also if they are never used.
     */
    reserveIds(number: number): number {
      const last = (reserve.get(number) ?? reserveFirst.get(number))?.seq ?? 0
      return last - number + 1
    },
    /** Adds an animal under an id of its own: one that was removed, or that was reserved. */
    putBack(pet: PetRow): void {
      declare('pets', pet.id)
      insertWithId.run({ ...pet })
      totals.replace(undefined, pet)
      index.replace(undefined, pet)
    },
    /** The number of animals that match a filter without `q`. */
    count: (filter: Omit<PetFilter, 'q'>): number => snapshot(() => totals.count(filter)),
    /** The number of animals in each status. */
    inventory: () => snapshot(totals.inventory),
    /** The number of animals of a category in any status. */
    countInCategory: (id: number): number => snapshot(() => totals.countInCategory(id)),
    /** At most `limit` ids above `after` that animals have as their category, by id. */
    categoriesInUse: (after: number, limit: number): number[] => snapshot(() => totals.categoriesInUse(after, limit)),
    highestCategoryId: totals.highestCategoryId,
    /** Runs reads of this and other stores on one commit. */
    snapshot,
    /** Counts more animals for `budgetMs`; called in a transaction. Returns whether there may be more. */
    countMore: totals.step,
    /** The maximum number of animals that are not in the totals yet. */
    uncounted: totals.waiting,
    /** Works on the search index for `budgetMs`; called in a transaction. Returns whether there may be more to do. */
    indexMore: index.step,
    /** Whether the search index has work for a step. */
    isIndexBehind: index.isBehind,
    /** The maximum number of animals that are not in the search index yet. */
    unindexed: index.waiting,
  }
}
export type PetStore = ReturnType<typeof createPetStore>
