/** The tables of the schedule of backups: what the owner has set, and how the last run went. */

import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** At most one row. */
export const backupSettings = sqliteTable('backup_settings', {
  id: integer().primaryKey(),
  /** `HH:MM` or `off`; null for the default. */
  at: text(),
  /** Such as `7d,4w,6m`; null for the default. */
  keep: text(),
})

export const backupResultKinds = ['schedule', 'copy'] as const

/** The last result of each kind. */
export const backupResults = sqliteTable('backup_results', {
  kind: text({ enum: backupResultKinds }).primaryKey(),
  /** Unix milliseconds, as all times here. */
  at: integer().notNull(),
  /** The name of the backup; null if none was made. */
  name: text(),
  /** Why it failed, for people; null if it did not. */
  error: text(),
  /** The first failure since the last success; null if the last run succeeded. */
  failingSince: integer('failing_since'),
})
