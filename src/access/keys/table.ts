/** The table of API keys. A key itself is never stored, only its SHA-256 and its first characters. */

import { sql } from 'drizzle-orm'
import { blob, index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { accounts } from '../accounts/table.ts'

export const keys = sqliteTable(
  'keys',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    accountId: integer('account_id')
      .notNull()
      .references(() => accounts.id),
    name: text().notNull(),
    /** The key's first characters, for people to recognise it by. */
    prefix: text().notNull(),
    sha256: blob({ mode: 'buffer' }).notNull().unique(),
    /** Scopes separated by single spaces, as in OAuth (RFC 6749 section 3.3). */
    scopes: text().notNull(),
    /** Unix milliseconds, as all times here. */
    createdAt: integer('created_at').notNull(),
    expiresAt: integer('expires_at'),
    revokedAt: integer('revoked_at'),
    /** The key that it was rolled into; its own expiry is then the end of the overlap. */
    successorId: integer('successor_id'),
    lastUsedAt: integer('last_used_at'),
    /** The last ban, also after its end: a ban soon afterwards is longer. */
    bannedAt: integer('banned_at'),
    bannedUntil: integer('banned_until'),
    /** The expiry that the last event `key.expiring` reported. */
    reportedExpiry: integer('told_expiry'),
  },
  (table) => [
    index('keys_by_account').on(table.accountId),
    index('unrevoked_keys_by_account').on(table.accountId, table.expiresAt).where(sql`revoked_at is null`),
    index('unrevoked_keys_by_expiry').on(table.expiresAt).where(sql`revoked_at is null and expires_at is not null`),
    index('keys_by_ban').on(table.bannedUntil).where(sql`banned_until is not null`),
  ],
)
