/** The table of names for the category ids of animals. */

import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const categories = sqliteTable(
  'categories',
  {
    id: integer().primaryKey(),
    name: text().notNull(),
    /** The name for comparison, without case. */
    foldedName: text('folded_name').notNull().unique(),
    /** The import that added it; null if no import did, or if it was renamed afterwards. */
    importId: integer('import_id'),
  },
  (table) => [index('categories_by_import').on(table.importId)],
)
