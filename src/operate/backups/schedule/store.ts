/** Statements over the settings and results of the schedule of backups. */

import { type Declare, declareNothing } from '../../../database/announcements.ts'
import type { Tables } from '../../../database/open.ts'
import { rowsOf } from '../../../database/rows.ts'
import { backupResults, backupSettings } from './table.ts'

export type BackupResult = typeof backupResults.$inferSelect
export type StoredBackupSettings = Omit<typeof backupSettings.$inferSelect, 'id'>

/** The only row of the settings. */
const id = 1

export function createBackupStore(tables: Tables, declare: Declare = declareNothing) {
  const settings = rowsOf(tables, backupSettings)
  const results = rowsOf(tables, backupResults)

  return {
    settings: (): StoredBackupSettings => settings.find({ id }) ?? { at: null, keep: null },
    saveSettings({ at, keep }: StoredBackupSettings): void {
      declare('backups')
      settings.put({ id, at, keep }, 'id')
    },
    result: (kind: BackupResult['kind']): BackupResult | undefined => results.find({ kind }),
    forgetResult(kind: BackupResult['kind']): void {
      declare('backups')
      results.remove({ kind })
    },
    saveResult(result: BackupResult): void {
      declare('backups')
      results.put(result, 'kind')
    },
  }
}
export type BackupStore = ReturnType<typeof createBackupStore>
