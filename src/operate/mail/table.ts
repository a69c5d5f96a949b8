/** The tables of mail: the outbox, and the mail server that the owner has set. */

import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const mailKinds = ['attention', 'password_reset', 'test'] as const

/** The newest mail of each kind. A newer one replaces it, since it has the content of the older one. */
export const mails = sqliteTable('mails', {
  kind: text({ enum: mailKinds }).primaryKey(),
  /** The data from which the text is made when the mail is sent. It contains no secret, because backups have it. */
  content: text({ mode: 'json' }).$type<unknown>().notNull(),
  /** Unix milliseconds, as all times here. */
  createdAt: integer('created_at').notNull(),
  /** It is not sent after this time; null if it always is. */
  expiresAt: integer('expires_at'),
  /** The attempts that have failed. */
  failures: integer().notNull(),
  /** The time of the next attempt; null once it is sent or has expired. */
  nextAt: integer('next_at'),
  /** When a mail of this kind was last sent. */
  sentAt: integer('sent_at'),
  /** Why the last attempt failed, for people; null if it did not. */
  error: text(),
})

/** At most one row. */
export const mailSettings = sqliteTable('mail_settings', {
  id: integer().primaryKey(),
  /** `SmtpServer.url`. The password is in the file of secrets. */
  smtp: text().notNull(),
  /** The address of the sender. */
  sender: text().notNull(),
})
