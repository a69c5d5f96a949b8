/** The table of photos, and the view of their files. */

import { sql } from 'drizzle-orm'
import { blob, index, integer, sqliteTable, sqliteView, text } from 'drizzle-orm/sqlite-core'

/** From the largest to the smallest. */
export const photoSizes = ['large', 'medium', 'small'] as const
export type PhotoSizeName = (typeof photoSizes)[number]

/** The SHA-256 of the content of a file. */
const hash = (size: PhotoSizeName) => blob(size, { mode: 'buffer' }).notNull()
const bytes = (size: PhotoSizeName) => integer(`${size}_bytes`).notNull()

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
    large: hash('large'),
    largeBytes: bytes('large'),
    medium: hash('medium'),
    mediumBytes: bytes('medium'),
    small: hash('small'),
    smallBytes: bytes('small'),
  },
  (table) => [
    index('pet_photos_by_pet').on(table.petId, table.position),
    index('pet_photos_by_large').on(table.large),
    index('pet_photos_by_medium').on(table.medium),
    index('pet_photos_by_small').on(table.small),
  ],
)

const filesOf = (size: PhotoSizeName) =>
  sql.raw(`SELECT id AS photo_id, '${size}' AS size, ${size} AS hash, ${size}_bytes AS bytes FROM pet_photos`)

/** The files of all photos. */
export const photoFiles = sqliteView('photo_files', {
  photoId: integer('photo_id').notNull(),
  size: text({ enum: photoSizes }).notNull(),
  hash: blob({ mode: 'buffer' }).notNull(),
  bytes: integer().notNull(),
}).as(sql.join(photoSizes.map(filesOf), sql` UNION ALL `))
