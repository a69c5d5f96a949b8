/** Prepared statements over deploys. Their files are in `file-rows.ts`. */

import { and, asc, between, desc, eq, exists, getTableColumns, isNull, lt, max, ne, or, sql } from 'drizzle-orm'
import { type Declare, declareNothing } from '../../database/announcements.ts'
import { lazily, type Tables } from '../../database/open.ts'
import { rowsOf } from '../../database/rows.ts'
import { projects } from '../projects/table.ts'
import { deployFiles, deploys } from './table.ts'

export type DeployRow = typeof deploys.$inferSelect & { readonly hasHomePage: boolean }
type NewDeploy = Pick<DeployRow, 'projectId' | 'accountId' | 'createdAt' | 'createdBy' | 'fileCount' | 'bytes'>

export function createDeployStore(tables: Tables, declare: Declare = declareNothing) {
  const { id, projectId, state, liveAt, liveOrder } = deploys
  const isReady = eq(state, 'ready')
  const homePage = tables
    .select({ one: sql`1` })
    .from(deployFiles)
    .where(and(eq(deployFiles.deployId, id), eq(deployFiles.path, 'index.html')))
  const columns = { ...getTableColumns(deploys), hasHomePage: exists(homePage).mapWith(Boolean) }
  const byId = lazily(() =>
    tables
      .select(columns)
      .from(deploys)
      .where(and(eq(id, sql.placeholder('id')), isReady))
      .prepare(),
  )
  const ofProject = lazily(() =>
    tables
      .select(columns)
      .from(deploys)
      .where(and(eq(projectId, sql.placeholder('projectId')), lt(id, sql.placeholder('before')), isReady))
      .orderBy(desc(id))
      .limit(sql.placeholder('limit'))
      .prepare(),
  )
  const rows = rowsOf(tables, deploys)
  const lastOrder = lazily(() =>
    tables
      .select({ order: max(liveOrder) })
      .from(deploys)
      .prepare(),
  )
  const inSecond = lazily(() =>
    tables
      .select({ id })
      .from(deploys)
      .where(
        and(
          eq(projectId, sql.placeholder('projectId')),
          ne(id, sql.placeholder('id')),
          between(liveAt, sql.placeholder('from'), sql.placeholder('to')),
        ),
      )
      .limit(1)
      .prepare(),
  )

  return {
    ...createUpkeep(tables),
    /** A deploy that is complete. */
    find: (deployId: number): DeployRow | undefined => byId.get({ id: deployId }),
    /** At most `limit` deploys of a project with ids below `before`, the newest first. */
    page: (ofProjectId: number, before: number, limit: number): DeployRow[] =>
      ofProject.all({ projectId: ofProjectId, before, limit }),
    /** Adds a deploy that is not shown before `goLive`; returns its id. */
    begin: (deploy: NewDeploy): number => rows.insert({ ...deploy, state: 'preparing' }).id,
    /** Whether `begin` added the deploy and nothing has removed it since. */
    isPreparing: (deployId: number): boolean => rows.find({ id: deployId })?.state === 'preparing',
    /** Makes a deploy the live one of its project. `isPromoted`: somebody chose it again. */
    goLive(deployId: number, nowMs: number, isPromoted: boolean): DeployRow {
      declare('deploys')
      const order = (lastOrder.get()?.order ?? 0) + 1
      // Compressed forms may have been lost since a promoted deploy was live before.
      const changes = { state: 'ready', liveOrder: order, liveAt: nowMs, compressedAt: null } as const
      rows.update({ id: deployId }, isPromoted ? { ...changes, promotedAt: nowMs } : changes)
      const live = byId.get({ id: deployId })
      tables
        .update(projects)
        .set({ liveDeployId: deployId })
        .where(eq(projects.id, live?.projectId ?? 0))
        .run()
      return live as DeployRow
    },
    /** Whether another deploy of the project was live in the second in which this one went live. */
    isLiveSecondShared({ id: deployId, projectId: ofProjectId, liveAt: at }: DeployRow): boolean {
      const second = Math.floor((at ?? 0) / 1000) * 1000
      return inSecond.get({ projectId: ofProjectId, id: deployId, from: second, to: second + 999 }) !== undefined
    },
    /** Hides deploys; their rows are deleted later, in steps. */
    remove(deployIds: readonly number[]): void {
      declare('deploys')
      for (const one of deployIds) rows.update({ id: one }, { state: 'removed' })
    },
    /** Hides the deploys of a project that is deleted. */
    removeOf(ofProjectId: number): void {
      declare('deploys')
      rows.update({ projectId: ofProjectId, state: 'ready' }, { state: 'removed' })
    },
    /** Hides a deploy that failed. One that did go live stays. */
    abandon(deployId: number): void {
      rows.update({ id: deployId, state: 'preparing' }, { state: 'removed' })
    },
    /** Deletes the row, after its files. */
    delete(deployId: number): void {
      rows.remove({ id: deployId })
    },
    setCompressed(deployId: number, nowMs: number): void {
      declare('deploys')
      rows.update({ id: deployId }, { compressedAt: nowMs })
    },
  }
}
export type DeployStore = ReturnType<typeof createDeployStore>

/** The deploys that are to be deleted or compressed. */
function createUpkeep(tables: Tables) {
  const { id, projectId, accountId, state, createdAt, liveOrder, promotedAt, compressedAt } = deploys
  const isReady = eq(state, 'ready')
  const rows = rowsOf(tables, deploys)
  const lastLiveFirst = lazily(() =>
    tables
      .select({ id })
      .from(deploys)
      .where(and(eq(projectId, sql.placeholder('projectId')), isReady))
      .orderBy(desc(liveOrder))
      .prepare(),
  )
  // Ids that are not shown; what is kept of an account is bounded, so this finds few rows.
  const unshown = lazily(() =>
    tables
      .select({ id, accountId, state })
      .from(deploys)
      .where(or(eq(state, 'removed'), and(eq(state, 'preparing'), lt(createdAt, sql.placeholder('before')))))
      .orderBy(asc(id))
      .limit(sql.placeholder('limit'))
      .prepare(),
  )
  const expendable = lazily(() =>
    tables
      .select({ id })
      .from(deploys)
      .innerJoin(projects, eq(projects.id, projectId))
      .where(
        and(eq(accountId, sql.placeholder('accountId')), isReady, isNull(promotedAt), ne(id, projects.liveDeployId)),
      )
      .orderBy(asc(id))
      .prepare(),
  )
  const uncompressed = lazily(() =>
    tables
      .select({ id, accountId, projectId })
      .from(projects)
      .innerJoin(deploys, eq(id, projects.liveDeployId))
      .where(isNull(compressedAt))
      .orderBy(asc(liveOrder))
      .limit(1)
      .prepare(),
  )

  return {
    /** The deploys of a project beyond those `kept` that were live last. */
    earlierThan: (ofProjectId: number, kept: number): number[] =>
      lastLiveFirst
        .all({ projectId: ofProjectId })
        .slice(kept)
        .map((row) => row.id),
    /**
     * Deploys to delete: removed ones, and those that were begun before `before` (Unix milliseconds) and never
     * finished.
     */
    unshown: (before: number, limit: number) => unshown.all({ before, limit }),
    /** Deploys of an account that take up space until they are deleted. */
    removedOf: (ofAccountId: number): number[] =>
      rows.list({ accountId: ofAccountId, state: 'removed' }).map((row) => row.id),
    /** Deploys of an account that are not live and that nobody promoted, the oldest first. */
    expendableOf: (ofAccountId: number): number[] => expendable.all({ accountId: ofAccountId }).map((row) => row.id),
    /** A live deploy whose files were not compressed since it went live. */
    nextToCompress: () => uncompressed.get(),
  }
}
