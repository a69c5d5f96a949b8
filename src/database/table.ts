/** The table of the readiness probe. */

import { blob, integer, sqliteTable } from 'drizzle-orm/sqlite-core'

/** One row, which is written to check that the disk accepts writes. */
export const readinessProbe = sqliteTable('readiness_probe', {
  id: integer().primaryKey(),
  /** Unix milliseconds. */
  probedAt: integer('probed_at').notNull(),
  /** As much as a few requests write: a disk with space for only one page counts as full. */
  ballast: blob({ mode: 'buffer' }),
})
