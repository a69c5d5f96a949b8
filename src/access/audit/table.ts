/** The table of the audit log: actions on accounts, keys, projects and animals. */

import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { Actor } from '../../api/principal.ts'

export const audit = sqliteTable(
  'audit',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    /** Unix milliseconds. */
    at: integer().notNull(),
    /** `key:<id>` for an API key, `owner`, `command`, or `system` for the service itself. */
    actor: text().notNull().$type<Actor>(),
    action: text().notNull(),
    accountId: integer('account_id').notNull(),
    keyId: integer('key_id'),
    /** The values that the action set, as JSON. */
    details: text({ mode: 'json' }).notNull().$type<Record<string, unknown>>(),
  },
  // Each index ends in the rowid, so that every filter pages by id without sorting.
  (table) => [
    index('audit_by_actor').on(table.actor),
    index('audit_by_action').on(table.action),
    index('audit_by_account').on(table.accountId),
    index('audit_by_key').on(table.keyId),
  ],
)
