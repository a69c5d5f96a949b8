/** Projects, and every slug that was ever given to one. */

import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { accounts } from '../../access/accounts/table.ts'

/** Rows are never removed: links to a deleted project must not lead to another account's. */
export const projectSlugs = sqliteTable(
  'project_slugs',
  {
    slug: text().primaryKey(),
    /** The only account that may use the slug again. */
    accountId: integer('account_id')
      .notNull()
      .references(() => accounts.id),
  },
  (table) => [index('project_slugs_by_account').on(table.accountId)],
)

export const projects = sqliteTable(
  'projects',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    accountId: integer('account_id')
      .notNull()
      .references(() => accounts.id),
    name: text().notNull(),
    slug: text()
      .notNull()
      .unique('projects_by_slug')
      .references(() => projectSlugs.slug),
    /** 128 random bits in hexadecimal: names the project where it must not be guessable. */
    cnameToken: text('cname_token').notNull().unique('projects_by_cname_token'),
    /** The deploy that the site serves; null before the first one. */
    liveDeployId: integer('live_deploy_id'),
    /** Unix milliseconds. */
    createdAt: integer('created_at').notNull(),
  },
  (table) => [index('projects_by_account').on(table.accountId)],
)
