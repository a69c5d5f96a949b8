/** First answers to requests with an `Idempotency-Key`, to be given again. */

import { blob, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const idempotentAnswers = sqliteTable(
  'idempotent_answers',
  {
    accountId: integer('account_id').notNull(),
    key: text().notNull(),
    /** SHA-256 of method, path and body: what the key was used for. */
    request: blob({ mode: 'buffer' }).notNull(),
    status: integer().notNull(),
    /** Never holds a secret. */
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
