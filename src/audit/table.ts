/** The append-only log of who did what to keys and accounts. */

import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const audit = sqliteTable('audit', {
  id: integer().primaryKey({ autoIncrement: true }),
  /** Unix milliseconds. */
  at: integer().notNull(),
  /** `key:<id>` for a caller of the API, `cli` for a command, `service` for the service itself. */
  actor: text().notNull(),
  action: text().notNull(),
  accountId: integer('account_id').notNull(),
  keyId: integer('key_id'),
  /** What the action set, as JSON. */
  details: text({ mode: 'json' }).notNull().$type<Record<string, unknown>>(),
})
