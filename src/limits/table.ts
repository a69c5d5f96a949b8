/** What limits must remember across restarts: days, and the windows of a clean stop. */

import { integer, primaryKey, sqliteTable } from 'drizzle-orm/sqlite-core'
import { accounts } from '../accounts/table.ts'

export const usage = sqliteTable(
  'usage',
  {
    accountId: integer('account_id')
      .notNull()
      .references(() => accounts.id),
    /** Whole UTC days since the Unix epoch. */
    day: integer().notNull(),
    requests: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.day] })],
)

export const windowSeconds = sqliteTable(
  'window_seconds',
  {
    accountId: integer('account_id')
      .notNull()
      .references(() => accounts.id),
    /** Unix seconds. */
    second: integer().notNull(),
    requests: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.second] })],
)
