/** The tables of the dashboard: its owner, the sessions and browsers in which the owner signed in, and set-up links. */

import { blob, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { accounts } from '../accounts/table.ts'

/** Properties of this store alone; one row, which the migration inserts. */
export const installation = sqliteTable('installation', {
  id: integer().primaryKey(),
  /**
   * Random. It is also part of the names of cookies, because browsers send the cookies of a host to all of its ports.
   */
  storeId: text('cookie_id').notNull(),
  /** The account that the store itself uses; null until it is first used. */
  accountId: integer('account_id').references(() => accounts.id),
  /** The address of the dashboard when the store was last served. */
  dashboardUrl: text('dashboard_url'),
  /**
   * When a backup was restored on another machine; null once the owner has confirmed that this machine now runs the
   * store.
   */
  restoredAt: integer('restored_at'),
})

/** At most one row. */
export const owner = sqliteTable('owner', {
  id: integer().primaryKey(),
  /** As it was typed; it is compared without regard to case. */
  email: text().notNull(),
  /** argon2id in the PHC format, which contains the parameters and the salt. */
  passwordHash: text('password_hash').notNull(),
  /** Unix milliseconds, as all times here. */
  createdAt: integer('created_at').notNull(),
  passwordChangedAt: integer('password_changed_at').notNull(),
})

/** Rows of sessions that have ended are deleted. */
export const ownerSessions = sqliteTable('owner_sessions', {
  id: integer().primaryKey({ autoIncrement: true }),
  /** SHA-256 of the value of the cookie. */
  sha256: blob({ mode: 'buffer' }).notNull().unique(),
  createdAt: integer('created_at').notNull(),
  /** The last time at which a person is known to have used the dashboard. */
  lastActiveAt: integer('last_active_at').notNull(),
  /** The `User-Agent` of the sign-in. */
  userAgent: text('user_agent').notNull(),
  /** The address of the sign-in: an IPv4 address, or the /64 of an IPv6 address. */
  network: text().notNull(),
})

/** Browsers in which the owner has signed in: a pause after wrong passwords of others does not apply to them. */
export const ownerBrowsers = sqliteTable('owner_browsers', {
  id: integer().primaryKey({ autoIncrement: true }),
  sha256: blob({ mode: 'buffer' }).notNull().unique(),
  signedInAt: integer('signed_in_at').notNull(),
})

/** Set-up links that have not been used. */
export const setupLinks = sqliteTable('setup_links', {
  id: integer().primaryKey({ autoIncrement: true }),
  sha256: blob({ mode: 'buffer' }).notNull().unique(),
  createdAt: integer('created_at').notNull(),
})
