/** The table of the settings of the store. */

import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** At most one row; none until a setting is changed. */
export const storeSettings = sqliteTable('store_settings', {
  id: integer().primaryKey(),
  /** An ISO 4217 code. */
  currency: text(),
})
