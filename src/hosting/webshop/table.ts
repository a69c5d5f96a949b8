/** The table of the web shop of the store. Its images are rows of the table of photos. */

import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { projects } from '../projects/table.ts'
import { shownChoices, websiteKinds, websiteLanguages } from './rules.ts'

/** At most one row. */
export const websites = sqliteTable('websites', {
  id: integer().primaryKey(),
  /** The project at whose addresses it is. */
  projectId: integer('project_id')
    .notNull()
    .references(() => projects.id),
  kind: text({ enum: websiteKinds }).notNull(),
  name: text().notNull(),
  tagline: text(),
  about: text(),
  imprint: text(),
  privacy: text(),
  address: text(),
  phone: text(),
  email: text(),
  hours: text(),
  language: text({ enum: websiteLanguages }).notNull(),
  color: text().notNull(),
  shows: text({ enum: shownChoices }).notNull(),
  /** Unix milliseconds. */
  updatedAt: integer('updated_at').notNull(),
})
