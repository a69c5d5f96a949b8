/** Names for the category ids that animals carry. */

import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const categories = sqliteTable(
  'categories',
  {
    id: integer().primaryKey(),
    name: text().notNull(),
    /** The name as compared: without case. */
    foldedName: text('folded_name').notNull().unique(),
    /** The import that added it, null if another way did or somebody has renamed it since. */
    importId: integer('import_id'),
  },
  (table) => [index('categories_by_import').on(table.importId)],
)
