/** The table of accounts. API keys, limits and orders belong to an account. */

import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { plans } from './rules.ts'

export const accounts = sqliteTable('accounts', {
  id: integer().primaryKey({ autoIncrement: true }),
  name: text().notNull(),
  plan: text({ enum: plans }).notNull(),
  /** Set on the enterprise plan only. */
  perMinute: integer('per_minute'),
  perDay: integer('per_day'),
  /** Unix milliseconds. */
  createdAt: integer('created_at').notNull(),
})
