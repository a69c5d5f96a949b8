/**
 * The tables of animals and of their totals. Ids are never reused, because orders remain after their animal is deleted.
 */

import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { type PetStatus, petStatuses } from './rules.ts'

export const pets = sqliteTable(
  'pets',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    name: text().notNull(),
    /** The name for comparison (`foldedText`), by which animals are searched and sorted. */
    foldedName: text('folded_name').notNull(),
    categoryId: integer('category_id').notNull(),
    status: text({ enum: petStatuses }).notNull(),
  },
  // Each index ends in the rowid, so that every filter pages by id without sorting.
  (table) => [
    index('pets_by_status').on(table.status),
    index('pets_by_category_and_status').on(table.categoryId, table.status),
  ],
)

/** Animals that were deleted in the last minutes, so that they can be restored. */
export const deletedPets = sqliteTable(
  'deleted_pets',
  {
    id: integer().primaryKey(),
    name: text().notNull(),
    categoryId: integer('category_id').notNull(),
    status: text({ enum: petStatuses }).notNull(),
    /** Unix milliseconds. */
    deletedAt: integer('deleted_at').notNull(),
  },
  (table) => [index('deleted_pets_by_time').on(table.deletedAt)],
)

/** The number of animals of a category in a status; category 0 is the whole store. */
export const petTotals = sqliteTable(
  'pet_totals',
  {
    categoryId: integer('category_id').notNull(),
    status: text({ enum: petStatuses }).notNull(),
    animals: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.categoryId, table.status] })],
)

export type PetRow = Omit<typeof pets.$inferSelect, 'foldedName'>

/** The columns of a `PetRow`, as SQL. */
export const petColumns = 'pets.id AS id, name, category_id AS categoryId, status'

export type PetFilter = {
  /** Separated by commas. */
  readonly ids?: string | undefined
  readonly status?: PetStatus | undefined
  readonly categoryId?: number | undefined
  /** Part of the name; case and accents are ignored. */
  readonly q?: string | undefined
}
