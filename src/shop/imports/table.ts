/** The tables of imports, by which the same file is recognised and an import can be undone. */

import { blob, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

export const imports = sqliteTable(
  'imports',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    /** Unix milliseconds. */
    createdAt: integer('created_at').notNull(),
    /** The name of the file; null if it had none. */
    fileName: text('file_name'),
    /** SHA-256 of the file's bytes. */
    sha256: blob({ mode: 'buffer' }).notNull(),
    /** The number of animals that it added, that it changed, and of its invalid rows. */
    imported: integer().notNull(),
    changed: integer().notNull().default(0),
    skipped: integer().notNull(),
    /** The range of the ids of its animals; null if there are none. */
    firstPetId: integer('first_pet_id'),
    lastPetId: integer('last_pet_id'),
    /** Unix milliseconds; null if it was not undone. */
    undoneAt: integer('undone_at'),
  },
  (table) => [index('imports_by_content').on(table.sha256), uniqueIndex('imports_by_first_pet').on(table.firstPetId)],
)

/** What an import has changed of an animal, so that an undo can put it back. */
export const importChanges = sqliteTable(
  'import_changes',
  {
    importId: integer('import_id').notNull(),
    petId: integer('pet_id').notNull(),
    /** Unix milliseconds. */
    changedAt: integer('changed_at').notNull(),
    /** The members of the animal and of its profile that were changed, as they were, and as the import has set them. */
    previous: text({ mode: 'json' }).$type<Readonly<Record<string, unknown>>>().notNull(),
    values: text({ mode: 'json' }).$type<Readonly<Record<string, unknown>>>().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.importId, table.petId] }),
    index('import_changes_by_time').on(table.changedAt),
  ],
)

/** Imported animals that were changed after the import. */
export const changedImportedPets = sqliteTable('changed_imported_pets', {
  petId: integer('pet_id').primaryKey(),
})
