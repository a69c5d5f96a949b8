/** Appends to the audit log; nothing here changes or removes an entry. */

import type { Tables } from '../database/open.ts'
import { audit } from './table.ts'

export type AuditEntry = Omit<typeof audit.$inferInsert, 'id'>

export function createAuditStore(tables: Tables) {
  return {
    /** To be called in the transaction of what it records. */
    record(entry: AuditEntry): void {
      tables.insert(audit).values(entry).run()
    },
  }
}
export type AuditStore = ReturnType<typeof createAuditStore>
