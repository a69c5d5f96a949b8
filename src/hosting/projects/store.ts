/** Prepared statements over projects and their slugs. */

import { and, asc, count, eq, gt, isNotNull, sql } from 'drizzle-orm'
import { type Declare, declareNothing } from '../../database/announcements.ts'
import { lazily, type Tables } from '../../database/open.ts'
import { projectSlugs, projects } from './table.ts'

export type ProjectRow = typeof projects.$inferSelect

export function createProjectStore(tables: Tables, declare: Declare = declareNothing) {
  const byId = lazily(() =>
    tables
      .select()
      .from(projects)
      .where(eq(projects.id, sql.placeholder('id')))
      .prepare(),
  )
  const bySlug = lazily(() =>
    tables
      .select()
      .from(projects)
      .where(eq(projects.slug, sql.placeholder('slug')))
      .prepare(),
  )
  const slugOwner = lazily(() =>
    tables
      .select({ accountId: projectSlugs.accountId })
      .from(projectSlugs)
      .where(eq(projectSlugs.slug, sql.placeholder('slug')))
      .prepare(),
  )
  const countOfAccount = lazily(() =>
    tables
      .select({ count: count() })
      .from(projects)
      .where(eq(projects.accountId, sql.placeholder('accountId')))
      .prepare(),
  )
  const slugsOfAccount = lazily(() =>
    tables
      .select({ count: count() })
      .from(projectSlugs)
      .where(eq(projectSlugs.accountId, sql.placeholder('accountId')))
      .prepare(),
  )
  const published = lazily(() =>
    tables
      .select({ slug: projects.slug, accountId: projects.accountId })
      .from(projects)
      .where(isNotNull(projects.liveDeployId))
      .orderBy(asc(projects.id))
      .prepare(),
  )
  const anyPublished = lazily(() =>
    tables.select({ id: projects.id }).from(projects).where(isNotNull(projects.liveDeployId)).limit(1).prepare(),
  )
  const preparePage = (ofAccount?: ReturnType<typeof eq>) =>
    tables
      .select()
      .from(projects)
      .where(and(gt(projects.id, sql.placeholder('after')), ofAccount))
      .orderBy(asc(projects.id))
      .limit(sql.placeholder('limit'))
      .prepare()
  const pageOfAll = lazily(() => preparePage())
  const pageOfAccount = lazily(() => preparePage(eq(projects.accountId, sql.placeholder('accountId'))))

  return {
    find: (id: number): ProjectRow | undefined => byId.get({ id }),
    findBySlug: (slug: string): ProjectRow | undefined => bySlug.get({ slug }),
    /** At most `limit` projects with ids beyond `after`, by id: those of an account, or all without one. */
    page(accountId: number | undefined, after: number, limit: number): ProjectRow[] {
      return accountId === undefined ? pageOfAll.all({ after, limit }) : pageOfAccount.all({ accountId, after, limit })
    },
    /** Those with a live deploy, the oldest first. */
    published: (): { readonly slug: string; readonly accountId: number }[] => published.all(),
    hasPublished: (): boolean => anyPublished.get() !== undefined,
    countOf: (accountId: number): number => countOfAccount.get({ accountId })?.count ?? 0,
    /** Whether no project has the slug and no other account ever had it. */
    isFree(slug: string, accountId: number): boolean {
      const owner = slugOwner.get({ slug })?.accountId
      return owner === undefined || (owner === accountId && !bySlug.get({ slug }))
    },
    /** How many slugs are reserved for an account. */
    slugCountOf: (accountId: number): number => slugsOfAccount.get({ accountId })?.count ?? 0,
    /** Whether a slug is reserved for the account. */
    ownsSlug: (slug: string, accountId: number): boolean => slugOwner.get({ slug })?.accountId === accountId,
    /** The slug must be free; it belongs to the account from now on. */
    add(row: Omit<ProjectRow, 'id'>): ProjectRow {
      declare('projects')
      const { slug, accountId } = row
      tables.insert(projectSlugs).values({ slug, accountId }).onConflictDoNothing().run()
      const [added] = tables.insert(projects).values(row).returning().all()
      return added as ProjectRow
    },
    rename(project: ProjectRow, name: string): ProjectRow {
      declare('projects')
      tables.update(projects).set({ name }).where(eq(projects.id, project.id)).run()
      return { ...project, name }
    },
    remove(id: number): void {
      declare('projects')
      tables.delete(projects).where(eq(projects.id, id)).run()
    },
  }
}
export type ProjectStore = ReturnType<typeof createProjectStore>
