/** What the database room keeps for itself. */

import { blob, integer, sqliteTable } from 'drizzle-orm/sqlite-core'

/** One row that is written to see whether one can be. */
export const readinessProbe = sqliteTable('readiness_probe', {
  id: integer().primaryKey(),
  /** Unix milliseconds. */
  probedAt: integer('probed_at').notNull(),
  /** As much as a few requests write: a disk that has room for a page alone is full. */
  ballast: blob({ mode: 'buffer' }),
})
