/** The table of events. Its statements are text (decision 39), because one is written with every change. */

import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const events = sqliteTable('events', {
  /**
   * Unix microseconds of the change, or the next number: ids increase in the order of commits and are never reused.
   */
  id: integer().primaryKey(),
  type: text().notNull(),
  /** Unix milliseconds. */
  createdAt: integer('created_at').notNull(),
  /** The account of the record; null if it belongs to the store. */
  accountId: integer('account_id'),
  /** The request that made the change; null if none did. */
  requestId: text('request_id'),
  /** The record after the change, or before its removal, as JSON. */
  data: text().notNull(),
  /** The members that the change replaced, as JSON. */
  previous: text(),
  /** Increases by one with each event: the difference of two is the number of events between them. */
  number: integer().notNull(),
  /** The bytes of all events up to this one. */
  bytes: integer().notNull(),
})
