/** Prepared statements over projects and their slugs. */

import { asc, isNotNull, or, sql } from 'drizzle-orm'
import { type Declare, declareNothing } from '../../database/announcements.ts'
import { lazily, type Tables } from '../../database/open.ts'
import { rowsOf } from '../../database/rows.ts'
import { websites } from '../webshop/table.ts'
import { projectSlugs, projects } from './table.ts'

export type ProjectRow = typeof projects.$inferSelect

export function createProjectStore(tables: Tables, declare: Declare = declareNothing) {
  const rows = rowsOf(tables, projects)
  const slugs = rowsOf(tables, projectSlugs)
  const shops = rowsOf(tables, websites)
  const ownerOf = (slug: string) => slugs.find({ slug })?.accountId
  const isPublished = () =>
    or(isNotNull(projects.liveDeployId), sql`${projects.id} IN (SELECT ${websites.projectId} FROM ${websites})`)
  const published = lazily(() =>
    tables
      .select({ slug: projects.slug, accountId: projects.accountId })
      .from(projects)
      .where(isPublished())
      .orderBy(asc(projects.id))
      .prepare(),
  )
  const anyPublished = lazily(() =>
    tables.select({ id: projects.id }).from(projects).where(isPublished()).limit(1).prepare(),
  )

  return {
    find: (id: number): ProjectRow | undefined => rows.find({ id }),
    findBySlug: (slug: string): ProjectRow | undefined => rows.find({ slug }),
    /** At most `limit` projects with ids beyond `after`, by id: those of an account, or all without one. */
    page(accountId: number | undefined, after: number, limit: number): ProjectRow[] {
      return rows.list({ accountId }, { orderBy: 'id', above: after, limit })
    },
    /** Those with a live deploy or the web shop, the oldest first. */
    published: (): { readonly slug: string; readonly accountId: number }[] => published.all(),
    hasPublished: (): boolean => anyPublished.get() !== undefined,
    hasWebshop: ({ id }: ProjectRow): boolean => shops.count({ projectId: id }) > 0,
    countOf: (accountId: number): number => rows.count({ accountId }),
    /** Whether no project has the slug and no other account ever had it. */
    isFree(slug: string, accountId: number): boolean {
      const owner = ownerOf(slug)
      return owner === undefined || (owner === accountId && !rows.find({ slug }))
    },
    /** How many slugs are reserved for an account. */
    slugCountOf: (accountId: number): number => slugs.count({ accountId }),
    /** Whether a slug is reserved for the account. */
    ownsSlug: (slug: string, accountId: number): boolean => ownerOf(slug) === accountId,
    /** The slug must be free; it belongs to the account from now on. */
    add(row: Omit<ProjectRow, 'id'>): ProjectRow {
      declare('projects')
      const { slug, accountId } = row
      tables.insert(projectSlugs).values({ slug, accountId }).onConflictDoNothing().run()
      return rows.insert(row)
    },
    rename(project: ProjectRow, name: string): ProjectRow {
      declare('projects')
      rows.update({ id: project.id }, { name })
      return { ...project, name }
    },
    remove(id: number): void {
      declare('projects')
      rows.remove({ id })
    },
  }
}
export type ProjectStore = ReturnType<typeof createProjectStore>
