/** The web shop of the store: prepared statements. */

import { type Declare, declareNothing } from '../../database/announcements.ts'
import type { Tables } from '../../database/open.ts'
import { rowsOf } from '../../database/rows.ts'
import { websites } from './table.ts'

/** The only row. */
const id = 1

export type WebsiteRow = Omit<typeof websites.$inferSelect, 'id'>

export function createWebsiteStore(tables: Tables, declare: Declare = declareNothing) {
  const rows = rowsOf(tables, websites)

  /** A project with a web shop counts as published. */
  function declareChange(): void {
    declare('website')
    declare('projects')
  }

  /** Its members are in the order of the table, so that its ETag is always the same. */
  function find(): WebsiteRow | undefined {
    const { id: _, ...row } = rows.find({ id }) ?? {}
    return 'name' in row ? row : undefined
  }

  return {
    find,
    put(row: WebsiteRow): void {
      declareChange()
      rows.put({ id, ...row }, 'id')
    },
    /** Records a change of an image, at `nowMs` (Unix milliseconds). */
    touch(nowMs: number): void {
      declareChange()
      rows.update({ id }, { updatedAt: nowMs })
    },
    remove(): void {
      declareChange()
      rows.remove({ id })
    },
  }
}
export type WebsiteStore = ReturnType<typeof createWebsiteStore>
