/** The settings of the store: prepared statements. */

import { type Declare, declareNothing } from '../../database/announcements.ts'
import type { Tables } from '../../database/open.ts'
import { rowsOf } from '../../database/rows.ts'
import { storeSettings } from './table.ts'

/** The only row. */
const id = 1

export function createStoreSettings(tables: Tables, declare: Declare = declareNothing) {
  const rows = rowsOf(tables, storeSettings)
  return {
    /** The currency of all prices; null until there is one. */
    currency: (): string | null => rows.find({ id })?.currency ?? null,
    setCurrency(currency: string): void {
      declare('settings')
      // The profiles of animals show it.
      declare('profiles')
      rows.put({ id, currency }, 'id')
    },
  }
}
export type StoreSettings = ReturnType<typeof createStoreSettings>
