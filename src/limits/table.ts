/** What limits must remember across restarts: days, windows of a clean stop, bans. */

import { integer, primaryKey, sqliteTable } from 'drizzle-orm/sqlite-core'
import { accounts } from '../accounts/table.ts'
import { keys } from '../keys/table.ts'

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

export const bans = sqliteTable('bans', {
  keyId: integer('key_id')
    .primaryKey()
    .references(() => keys.id),
  /** Unix milliseconds. */
  startedAt: integer('started_at').notNull(),
  endsAt: integer('ends_at').notNull(),
})
