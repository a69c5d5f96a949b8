/** The responses to requests with an `Idempotency-Key`, stored so that a retry receives the same response. */

import { blob, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const storedResponses = sqliteTable(
  'idempotent_answers',
  {
    accountId: integer('account_id').notNull(),
    key: text().notNull(),
    /** SHA-256 of method, path and body of the request. */
    request: blob({ mode: 'buffer' }).notNull(),
    status: integer().notNull(),
    /** Never contains a secret. */
    body: text().notNull(),
    etag: text(),
    location: text(),
    /** Unix milliseconds. */
    createdAt: integer('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.key] }),
    index('idempotent_answers_by_age').on(table.createdAt),
  ],
)
