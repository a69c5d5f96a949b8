/** The tables of photos: one row for each photo, and one for each of its files. */

import { blob, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** From the largest to the smallest. */
export const photoSizes = ['large', 'medium', 'small'] as const
export type PhotoSizeName = (typeof photoSizes)[number]

export const petPhotos = sqliteTable(
  'pet_photos',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    /**
     * Without a foreign key: the photos of a deleted animal stay while it can be restored. Those of the web shop have 0
     * and less (`hosting/webshop/rules.ts`).
     */
    petId: integer('pet_id').notNull(),
    /** From 1, without gaps. */
    position: integer().notNull(),
    alt: text(),
    /** Of the large file, in pixels. */
    width: integer().notNull(),
    height: integer().notNull(),
    /** Unix milliseconds. */
    createdAt: integer('created_at').notNull(),
  },
  (table) => [index('pet_photos_by_pet').on(table.petId, table.position)],
)

/** WITHOUT ROWID: its rows are found by the key, or by the hash alone. */
export const photoFiles = sqliteTable(
  'photo_files',
  {
    photoId: integer('photo_id').notNull(),
    size: text({ enum: photoSizes }).notNull(),
    /** SHA-256 of the content. */
    hash: blob({ mode: 'buffer' }).notNull(),
    bytes: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.photoId, table.size] }), index('photo_files_by_hash').on(table.hash)],
)
