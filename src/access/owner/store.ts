/** Statements over the owner, the owner's sessions and browsers, and set-up links. */

import { desc, ne, notInArray } from 'drizzle-orm'
import { type Declare, declareNothing } from '../../database/announcements.ts'
import type { Tables } from '../../database/open.ts'
import { rowsOf } from '../../database/rows.ts'
import { isLive, isUsable } from './rules.ts'
import { installation, owner, ownerBrowsers, ownerSessions, setupLinks } from './table.ts'

export type OwnerRow = typeof owner.$inferSelect
export type SessionRow = typeof ownerSessions.$inferSelect

/** The most rows that are kept; the oldest are deleted. */
const keptSessions = 100
const keptBrowsers = 100
const keptLinks = 20

const id = 1

export function createOwnerStore(tables: Tables, declare: Declare = declareNothing) {
  const owners = rowsOf(tables, owner)
  const installations = rowsOf(tables, installation)
  const sessions = rowsOf(tables, ownerSessions)
  const browsers = rowsOf(tables, ownerBrowsers)
  const links = rowsOf(tables, setupLinks)

  function deleteOldest(table: typeof ownerSessions | typeof ownerBrowsers | typeof setupLinks, kept: number): void {
    const newest = tables.select({ id: table.id }).from(table).orderBy(desc(table.id)).limit(kept)
    tables.delete(table).where(notInArray(table.id, newest)).run()
  }

  return {
    find: (): OwnerRow | undefined => owners.find({}),
    add(row: Omit<OwnerRow, 'id'>): void {
      declare('owner')
      owners.insert({ id, ...row })
    },
    update(changes: Partial<Pick<OwnerRow, 'email' | 'passwordHash' | 'passwordChangedAt'>>): void {
      declare('owner')
      owners.update({ id }, changes)
    },
    /** Deletes the owner, every session, browser and set-up link. */
    clear(): void {
      declare('owner')
      for (const table of [owner, ownerSessions, ownerBrowsers, setupLinks]) tables.delete(table).run()
    },

    installation: (): typeof installation.$inferSelect => {
      const row = installations.find({})
      if (row === undefined) throw new Error('the database has no row in the table installation')
      return row
    },
    updateInstallation(
      changes: Partial<Pick<typeof installation.$inferSelect, 'accountId' | 'dashboardUrl' | 'restoredAt'>>,
    ): void {
      declare('owner')
      installations.update({}, changes)
    },

    findSession: (sha256: Buffer): SessionRow | undefined => sessions.find({ sha256 }),
    /** All stored sessions, the newest first. Some may be too old: see `isLive`. */
    sessions: (): SessionRow[] => sessions.list({}, { orderBy: 'id', descending: true }),
    addSession(row: Omit<SessionRow, 'id'>): SessionRow {
      declare('owner')
      const added = sessions.insert(row)
      deleteOldest(ownerSessions, keptSessions)
      return added
    },
    /** Declares nothing: no cached state depends on when a session was used. */
    saveActivity(sessionId: number, lastActiveAt: number): void {
      sessions.update({ id: sessionId }, { lastActiveAt })
    },
    /** Returns whether there was such a session. */
    deleteSession(sessionId: number): boolean {
      declare('owner')
      return sessions.remove({ id: sessionId }) > 0
    },
    /** Deletes all sessions, or all but one. Returns their number. */
    deleteSessions(exceptId = 0): number {
      declare('owner')
      const where = ne(ownerSessions.id, exceptId)
      return tables.delete(ownerSessions).where(where).returning({ id: ownerSessions.id }).all().length
    },

    findBrowser: (sha256: Buffer): { readonly id: number } | undefined => browsers.find({ sha256 }),
    addBrowser(sha256: Buffer, signedInAt: number): void {
      browsers.insert({ sha256, signedInAt })
      deleteOldest(ownerBrowsers, keptBrowsers)
    },

    links: () => links.list(),
    findLink: (sha256: Buffer): typeof setupLinks.$inferSelect | undefined => links.find({ sha256 }),
    addLink(sha256: Buffer, createdAt: number): void {
      links.insert({ sha256, createdAt })
      deleteOldest(setupLinks, keptLinks)
    },
    deleteLink(sha256: Buffer): void {
      links.remove({ sha256 })
    },
    deleteLinks(): void {
      links.remove({})
    },
    /** Deletes the sessions and links that have ended at `nowMs`. */
    deleteEnded(nowMs: number): void {
      declare('owner')
      for (const session of sessions.list()) if (!isLive(session, nowMs)) sessions.remove({ id: session.id })
      for (const { id, createdAt } of links.list()) if (!isUsable(createdAt, nowMs)) links.remove({ id })
    },
  }
}
export type OwnerStore = ReturnType<typeof createOwnerStore>
