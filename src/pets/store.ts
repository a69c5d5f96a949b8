/** Prepared statements over animals. Counts its changes, so that what was made from them can be kept. */

import { and, asc, eq, gt, sql } from 'drizzle-orm'
import type { Tables } from '../database/open.ts'
import type { PetStatus } from './rules.ts'
import { pets } from './table.ts'

export type PetRow = typeof pets.$inferSelect

export interface PetFilter {
  readonly status?: PetStatus | undefined
}

export function createPetStore(tables: Tables) {
  let version = 0
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
  const pages = new Map<string, ReturnType<typeof preparePage>>()

  /** One statement for each combination of filters that was asked for. */
  function preparePage(filter: PetFilter) {
    const conditions = [gt(pets.id, sql.placeholder('after'))]
    if (filter.status !== undefined) conditions.push(eq(pets.status, sql.placeholder('status')))
    return tables
      .select()
      .from(pets)
      .where(and(...conditions))
      .orderBy(asc(pets.id))
      .limit(sql.placeholder('limit'))
      .prepare()
  }

  return {
    /** Changes whenever an animal may have. */
    version: (): number => version,
    /** To be called when another process may have changed animals. */
    changed(): void {
      version++
    },
    find: (id: number): PetRow | undefined => byId.get({ id }),
    /** At most `limit` animals with ids beyond `after`, by id. */
    page(filter: PetFilter, after: number, limit: number): PetRow[] {
      const combination = Object.keys(filter).join()
      let statement = pages.get(combination)
      if (!statement) {
        statement = preparePage(filter)
        pages.set(combination, statement)
      }
      return statement.all({ ...filter, after, limit })
    },
    add(pet: Omit<PetRow, 'id'>): PetRow {
      version++
      // drizzle types what `run` gives as void for bun:sqlite, which returns this.
      const { lastInsertRowid } = insert.run(pet) as unknown as { lastInsertRowid: number }
      return { id: lastInsertRowid, ...pet }
    },
  }
}
export type PetStore = ReturnType<typeof createPetStore>
