/** The tables of limits, which survive restarts: days, windows, and the clock in which windows are counted. */

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
    /** Seconds of steady time (`steady-time.ts`), which continues from run to run. */
    second: integer().notNull(),
    requests: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.second] })],
)

/**
 * The requests of all customers on a day. Triggers keep `requests` equal to the sum of `usage`, without the account of
 * the dashboard.
 */
export const usageDays = sqliteTable('usage_days', {
  /** Whole UTC days since the Unix epoch. */
  day: integer().primaryKey(),
  /** Requests that were admitted. */
  requests: integer().notNull().default(0),
  /** Requests with a valid key that a limit rejected. */
  rejected: integer().notNull().default(0),
})

/** The offset between steady time and wall time when counts were last stored; one row. */
export const limitClock = sqliteTable('limit_clock', {
  id: integer().primaryKey(),
  /** Steady minus wall time, milliseconds. The times of stored bans are wall times by this offset. */
  offsetMs: integer('offset_ms').notNull(),
  /** Wall time, Unix milliseconds. */
  savedAt: integer('saved_at').notNull(),
})
