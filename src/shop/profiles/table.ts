/** The table of profiles: what is known of an animal besides the members of `Pet`, which every list reads. */

import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { type Attribute, sexes } from './rules.ts'

/** An animal without a row has an empty profile. The row of a deleted animal stays while it can be restored. */
export const petProfiles = sqliteTable(
  'pet_profiles',
  {
    petId: integer('pet_id').primaryKey(),
    number: text(),
    /** The number for comparison; null without a number, and while the animal is deleted. */
    foldedNumber: text('folded_number'),
    breed: text(),
    color: text(),
    sex: text({ enum: sexes }),
    birthDate: text('birth_date'),
    microchip: text(),
    /** In the smallest unit of the store's currency. */
    price: integer(),
    /** Number, breed and microchip for comparison (`foldedText`), by which animals are searched. */
    searchText: text('search_text').notNull(),
    published: integer({ mode: 'boolean' }).notNull(),
    /** Unix milliseconds. */
    updatedAt: integer('updated_at').notNull(),
    // The longest come last: SQLite reads a row up to the last column that it needs.
    attributes: text({ mode: 'json' }).$type<readonly Attribute[]>().notNull(),
    description: text(),
  },
  (table) => [
    uniqueIndex('pet_profiles_by_number').on(table.foldedNumber).where(sql`folded_number IS NOT NULL`),
    index('pet_profiles_by_microchip').on(table.microchip).where(sql`microchip IS NOT NULL`),
  ],
)

export type ProfileRow = Omit<typeof petProfiles.$inferSelect, 'foldedNumber' | 'searchText'>
