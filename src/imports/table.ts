/** What was imported, so that the same file is recognised and an import can be undone. */

import { blob, index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

export const imports = sqliteTable(
  'imports',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    /** Unix milliseconds. */
    createdAt: integer('created_at').notNull(),
    /** What the file was called, null if it had no name. */
    fileName: text('file_name'),
    /** SHA-256 of the file's bytes. */
    sha256: blob({ mode: 'buffer' }).notNull(),
    imported: integer().notNull(),
    skipped: integer().notNull(),
    /** Its animals, which one transaction added, have the ids from the first to the last; null if there are none. */
    firstPetId: integer('first_pet_id'),
    lastPetId: integer('last_pet_id'),
    /** Unix milliseconds. */
    undoneAt: integer('undone_at'),
  },
  (table) => [index('imports_by_content').on(table.sha256), uniqueIndex('imports_by_first_pet').on(table.firstPetId)],
)

/** Imported animals that somebody has changed since. */
export const changedImportedPets = sqliteTable('changed_imported_pets', {
  petId: integer('pet_id').primaryKey(),
})
