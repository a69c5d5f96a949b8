/** The numbers of animals by category and status, written in the transaction of the animal. */

import type { Database } from 'bun:sqlite'
import { and, asc, desc, gt, lt, lte, max, sql } from 'drizzle-orm'
import { lazily, limitParameter, type Tables } from '../../database/open.ts'
import { rowsOf } from '../../database/rows.ts'
import type { IdRange } from '../../lib/steps/collect.ts'
import type { PetStatus } from './rules.ts'
import { type PetFilter, type PetRow, pets, petTotals } from './table.ts'

/** The category of the totals of the whole store; ids of categories are positive. */
const wholeStore = 0

export type PetTotals = ReturnType<typeof createPetTotals>

export function createPetTotals(tables: Tables, connection: Database) {
  const { placeholder } = sql
  // As text, like the other statements of a new animal (decision 35).
  const add = connection.prepare<never, [number, string, number]>(
    `INSERT INTO pet_totals (category_id, status, animals) VALUES (?1, ?2, ?3), (${wholeStore}, ?2, ?3)
     ON CONFLICT DO UPDATE SET animals = animals + excluded.animals`,
  )
  const rows = rowsOf(tables, petTotals)
  const inUse = lazily(() =>
    tables
      .selectDistinct({ id: petTotals.categoryId })
      .from(petTotals)
      .where(and(gt(petTotals.categoryId, placeholder('after')), gt(petTotals.animals, 0)))
      .orderBy(asc(petTotals.categoryId))
      .limit(limitParameter('limit'))
      .prepare(),
  )
  const nextIn = (order: typeof asc) =>
    lazily(() =>
      tables
        .select({ id: petTotals.categoryId })
        .from(petTotals)
        .where(
          and(
            gt(petTotals.categoryId, placeholder('above')),
            lt(petTotals.categoryId, placeholder('below')),
            gt(petTotals.animals, 0),
            sql`${petTotals.status} = coalesce(${placeholder('status')}, ${petTotals.status})`,
          ),
        )
        .orderBy(order(petTotals.categoryId))
        .limit(1)
        .prepare(),
    )
  const next = { asc: nextIn(asc), desc: nextIn(desc) }
  const highest = lazily(() =>
    tables
      .select({ id: max(pets.categoryId) })
      .from(pets)
      .where(lte(pets.categoryId, placeholder('most')))
      .prepare(),
  )

  return {
    /** Called in the transaction that adds (no `before`), changes or removes (no `after`) an animal. */
    replace(before: PetRow | undefined, after: PetRow | undefined): void {
      if (before?.categoryId === after?.categoryId && before?.status === after?.status) return
      if (before) add.run(before.categoryId, before.status, -1)
      if (after) add.run(after.categoryId, after.status, 1)
    },
    /** Called in the transaction that moves all animals of a category to another. */
    moveCategory(from: number, to: number): void {
      for (const { status, animals } of rows.list({ categoryId: from })) {
        add.run(from, status, -animals)
        add.run(to, status, animals)
      }
    },
    /** The number of animals in each status. */
    inventory(): Record<PetStatus, number> {
      const inventory = { available: 0, pending: 0, sold: 0 }
      for (const { status, animals } of rows.list({ categoryId: wholeStore })) inventory[status] = animals
      return inventory
    },
    /** The number of animals of a category, or of all, in a status, or in any. */
    count({ status, categoryId = wholeStore }: Omit<PetFilter, 'q'>): number {
      const matching = rows.list({ categoryId }).filter((total) => status === undefined || total.status === status)
      return matching.reduce((sum, { animals }) => sum + animals, 0)
    },
    /** At most `limit` ids above `after` that animals have as their category, by id. */
    categoriesInUse: (after: number, limit: number): number[] => inUse.all({ after, limit }).map(({ id }) => id),
    /**
     * The category after another, or the first one, in an order; only those that have animals, in a status if it is
     * given.
     */
    nextCategory(
      order: IdRange['order'],
      after: number | undefined,
      status: PetStatus | undefined,
    ): number | undefined {
      const above = order === 'asc' ? (after ?? wholeStore) : wholeStore
      const below = order === 'desc' ? (after ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY
      return next[order].get({ above, below, status: status ?? null })?.id
    },
    /** The highest id up to `most` that an animal has as its category, 0 if there is none. */
    highestCategoryId: (most: number): number => highest.get({ most })?.id ?? 0,
  }
}
