/** Prepared statements over animals. */

import type { Database } from 'bun:sqlite'
import { and, asc, desc, eq, gt, lt, type SQL, sql } from 'drizzle-orm'
import { type Declare, declareNothing } from '../database/announcements.ts'
import { insertedId, type Tables } from '../database/open.ts'
import { createDerivedPets } from './derived.ts'
import { createNameSearch } from './name-search.ts'
import type { PetStatus } from './rules.ts'
import { pets } from './table.ts'

export type PetRow = typeof pets.$inferSelect

export interface PetFilter {
  readonly status?: PetStatus | undefined
  readonly categoryId?: number | undefined
  /** Part of the name, whatever its case and accents. */
  readonly q?: string | undefined
}

/** Ids strictly between two others, in an order. */
export interface PetRange {
  readonly order: 'asc' | 'desc'
  readonly above: number
  readonly below: number
}

export function createPetStore(tables: Tables, connection: Database, declare: Declare = declareNothing) {
  const derived = createDerivedPets(connection)
  const byId = tables
    .select()
    .from(pets)
    .where(eq(pets.id, sql.placeholder('id')))
    .prepare()
  const insert = tables
    .insert(pets)
    .values({
      name: sql.placeholder('name'),
      categoryId: sql.placeholder('categoryId'),
      status: sql.placeholder('status'),
    })
    .prepare()
  const update = tables
    .update(pets)
    .set({
      name: sql`${sql.placeholder('name')}`,
      categoryId: sql`${sql.placeholder('categoryId')}`,
      status: sql`${sql.placeholder('status')}`,
    })
    .where(eq(pets.id, sql.placeholder('id')))
    .prepare()
  const remove = tables
    .delete(pets)
    .where(eq(pets.id, sql.placeholder('id')))
    .prepare()
  const pages = new Map<string, ReturnType<typeof preparePage>>()
  const search = createNameSearch(connection, derived, listed)

  /** One statement for each combination of filters and order that was asked for. */
  function preparePage({ status, categoryId }: PetFilter, order: PetRange['order']) {
    const conditions: SQL[] = [gt(pets.id, sql.placeholder('above')), lt(pets.id, sql.placeholder('below'))]
    if (status !== undefined) conditions.push(eq(pets.status, sql.placeholder('status')))
    if (categoryId !== undefined) conditions.push(eq(pets.categoryId, sql.placeholder('categoryId')))
    return tables
      .select()
      .from(pets)
      .where(and(...conditions))
      .orderBy(order === 'asc' ? asc(pets.id) : desc(pets.id))
      .limit(sql.placeholder('limit'))
      .prepare()
  }

  function listed(filter: PetFilter, { order, above, below }: PetRange, limit: number): PetRow[] {
    const combination = `${order} ${filter.status !== undefined} ${filter.categoryId !== undefined}`
    let statement = pages.get(combination)
    if (!statement) {
      statement = preparePage(filter, order)
      pages.set(combination, statement)
    }
    return statement.all({ ...filter, above, below, limit })
  }

  return {
    find: (id: number): PetRow | undefined => byId.get({ id }),
    /** At most `limit` animals of a range that pass the filter, in its order. */
    page(filter: PetFilter, range: PetRange, limit: number): PetRow[] {
      const { q } = filter
      return q === undefined ? listed(filter, range, limit) : search({ ...filter, q }, range, limit)
    },
    add(pet: Omit<PetRow, 'id'>): PetRow {
      declare('pets')
      return { id: insertedId(insert.run(pet)), ...pet }
    },
    /** Changes `before`, as found in the same transaction, into `after`. */
    update(before: PetRow, after: PetRow): void {
      declare('pets')
      update.run(after)
      derived.replace(before, after)
    },
    /** Removes an animal as found in the same transaction. */
    remove(pet: PetRow): void {
      declare('pets')
      remove.run({ id: pet.id })
      derived.replace(pet, undefined)
    },
    inventory: derived.inventory,
    countInCategory: derived.countInCategory,
    categoriesInUse: derived.categoriesInUse,
    highestCategoryId: derived.highestCategoryId,
    /** Takes more animals up into the search index and the totals; says whether there may be more. */
    indexMore: (): boolean => derived.step(),
    /** How many animals are not in the search index and the totals yet, at most. */
    unindexed: (): number => derived.waiting(),
  }
}
export type PetStore = ReturnType<typeof createPetStore>
