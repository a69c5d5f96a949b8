/** The audit log: entries are added and read; nothing here changes or removes one. */

import { desc, lt, sql } from 'drizzle-orm'
import { type Declare, declareNothing } from '../database/announcements.ts'
import type { Tables } from '../database/open.ts'
import type { AuditContext } from './context.ts'
import { audit } from './table.ts'

export type AuditRow = typeof audit.$inferSelect

export interface AuditEntry {
  /** The kind of action, such as `key.created`. */
  readonly action: string
  readonly accountId: number
  readonly keyId?: number
  /** The values that the action set. */
  readonly details?: Readonly<Record<string, unknown>>
}

export function createAuditStore(tables: Tables, declare: Declare = declareNothing) {
  const page = tables
    .select()
    .from(audit)
    .where(lt(audit.id, sql.placeholder('before')))
    .orderBy(desc(audit.id))
    .limit(sql.placeholder('limit'))
    .prepare()

  return {
    /** Adds an entry; to be called in the transaction of the action. */
    record({ actor, nowMs }: AuditContext, { action, accountId, keyId, details = {} }: AuditEntry): void {
      declare('audit')
      tables
        .insert(audit)
        .values({ at: nowMs, actor, action, accountId, keyId: keyId ?? null, details: { ...details } })
        .run()
    },
    /** At most `limit` entries with ids below `before`, the newest first. */
    page: (before: number, limit: number): AuditRow[] => page.all({ before, limit }),
  }
}
export type AuditStore = ReturnType<typeof createAuditStore>
