/** Prepared statements over the owner, the owner's sessions and browsers, and set-up links. */

import { desc, eq, gt, lte, ne, notInArray, or, sql } from 'drizzle-orm'
import { type Declare, declareNothing } from '../../database/announcements.ts'
import { lazily, type Tables } from '../../database/open.ts'
import { toleratedFutureMs } from '../../lib/duration.ts'
import { idleSessionMs, longestSessionMs, setupLinkLifetimeMs } from './rules.ts'
import { installation, owner, ownerBrowsers, ownerSessions, setupLinks } from './table.ts'

export type OwnerRow = typeof owner.$inferSelect
export type SessionRow = typeof ownerSessions.$inferSelect

/** The most rows that are kept; the oldest are deleted. */
const keptSessions = 100
const keptBrowsers = 100
const keptLinks = 20

const id = 1

export function createOwnerStore(tables: Tables, declare: Declare = declareNothing) {
  const current = lazily(() => tables.select().from(owner).prepare())
  const store = lazily(() => tables.select().from(installation).prepare())
  const sessionBySha256 = lazily(() =>
    tables
      .select()
      .from(ownerSessions)
      .where(eq(ownerSessions.sha256, sql.placeholder('sha256')))
      .prepare(),
  )
  const sessions = lazily(() => tables.select().from(ownerSessions).orderBy(desc(ownerSessions.id)).prepare())
  const browserBySha256 = lazily(() =>
    tables
      .select({ id: ownerBrowsers.id })
      .from(ownerBrowsers)
      .where(eq(ownerBrowsers.sha256, sql.placeholder('sha256')))
      .prepare(),
  )
  const linkBySha256 = lazily(() =>
    tables
      .select()
      .from(setupLinks)
      .where(eq(setupLinks.sha256, sql.placeholder('sha256')))
      .prepare(),
  )

  function deleteOldest(table: typeof ownerSessions | typeof ownerBrowsers | typeof setupLinks, kept: number): void {
    const newest = tables.select({ id: table.id }).from(table).orderBy(desc(table.id)).limit(kept)
    tables.delete(table).where(notInArray(table.id, newest)).run()
  }

  return {
    find: (): OwnerRow | undefined => current.get(),
    add(row: Omit<OwnerRow, 'id'>): void {
      declare('owner')
      tables
        .insert(owner)
        .values({ id, ...row })
        .run()
    },
    update(changes: Partial<Pick<OwnerRow, 'email' | 'passwordHash' | 'passwordChangedAt'>>): void {
      declare('owner')
      tables.update(owner).set(changes).run()
    },
    /** Deletes the owner, every session, browser and set-up link. */
    clear(): void {
      declare('owner')
      for (const table of [owner, ownerSessions, ownerBrowsers, setupLinks]) tables.delete(table).run()
    },

    installation: (): typeof installation.$inferSelect => {
      const row = store.get()
      if (row === undefined) throw new Error('the database has no row in the table installation')
      return row
    },
    updateInstallation(
      changes: Partial<Pick<typeof installation.$inferSelect, 'accountId' | 'dashboardUrl' | 'restoredAt'>>,
    ): void {
      declare('owner')
      tables.update(installation).set(changes).run()
    },

    findSession: (sha256: Buffer): SessionRow | undefined => sessionBySha256.get({ sha256 }),
    /** All stored sessions, the newest first. Some may be too old: see `isLive`. */
    sessions: (): SessionRow[] => sessions.all(),
    addSession(row: Omit<SessionRow, 'id'>): SessionRow {
      declare('owner')
      const [added] = tables.insert(ownerSessions).values(row).returning().all()
      deleteOldest(ownerSessions, keptSessions)
      return added as SessionRow
    },
    /** Declares nothing: no cached state depends on when a session was used. */
    saveActivity(sessionId: number, lastActiveAt: number): void {
      tables.update(ownerSessions).set({ lastActiveAt }).where(eq(ownerSessions.id, sessionId)).run()
    },
    /** Returns whether there was such a session. */
    deleteSession(sessionId: number): boolean {
      declare('owner')
      const where = eq(ownerSessions.id, sessionId)
      return tables.delete(ownerSessions).where(where).returning({ id: ownerSessions.id }).all().length > 0
    },
    /** Deletes all sessions, or all but one. Returns their number. */
    deleteSessions(exceptId = 0): number {
      declare('owner')
      const where = ne(ownerSessions.id, exceptId)
      return tables.delete(ownerSessions).where(where).returning({ id: ownerSessions.id }).all().length
    },

    findBrowser: (sha256: Buffer): { readonly id: number } | undefined => browserBySha256.get({ sha256 }),
    addBrowser(sha256: Buffer, signedInAt: number): void {
      tables.insert(ownerBrowsers).values({ sha256, signedInAt }).run()
      deleteOldest(ownerBrowsers, keptBrowsers)
    },

    links: () => tables.select({ createdAt: setupLinks.createdAt }).from(setupLinks).all(),
    findLink: (sha256: Buffer): typeof setupLinks.$inferSelect | undefined => linkBySha256.get({ sha256 }),
    addLink(sha256: Buffer, createdAt: number): void {
      tables.insert(setupLinks).values({ sha256, createdAt }).run()
      deleteOldest(setupLinks, keptLinks)
    },
    deleteLink(sha256: Buffer): void {
      tables.delete(setupLinks).where(eq(setupLinks.sha256, sha256)).run()
    },
    deleteLinks(): void {
      tables.delete(setupLinks).run()
    },
    /** Deletes the sessions and links that have ended at `nowMs`. */
    deleteEnded(nowMs: number): void {
      declare('owner')
      const { createdAt, lastActiveAt } = ownerSessions
      const latestMs = nowMs + toleratedFutureMs
      const isOver = or(
        lte(createdAt, nowMs - longestSessionMs),
        lte(lastActiveAt, nowMs - idleSessionMs),
        gt(createdAt, latestMs),
        gt(lastActiveAt, latestMs),
      )
      tables.delete(ownerSessions).where(isOver).run()
      const isUnusable = or(lte(setupLinks.createdAt, nowMs - setupLinkLifetimeMs), gt(setupLinks.createdAt, latestMs))
      tables.delete(setupLinks).where(isUnusable).run()
    },
  }
}
export type OwnerStore = ReturnType<typeof createOwnerStore>
