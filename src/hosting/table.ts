/** The options of hosting with which the store was last served. */

import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { OptionValues } from '../config/values.ts'

/** At most one row. */
export const hostingSettings = sqliteTable('hosting_settings', {
  id: integer().primaryKey(),
  /** The options as they were given, without secrets. */
  options: text({ mode: 'json' }).$type<OptionValues>().notNull(),
})
