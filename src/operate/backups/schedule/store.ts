/** Queries over the settings and results of the schedule of backups. All are rare: none is prepared. */

import { eq } from 'drizzle-orm'
import { type Declare, declareNothing } from '../../../database/announcements.ts'
import type { Tables } from '../../../database/open.ts'
import { backupResults, backupSettings } from './table.ts'

export type BackupResult = typeof backupResults.$inferSelect
export type StoredBackupSettings = Omit<typeof backupSettings.$inferSelect, 'id'>

/** The only row of the settings. */
const id = 1

export function createBackupStore(tables: Tables, declare: Declare = declareNothing) {
  return {
    settings: (): StoredBackupSettings =>
      tables.select({ at: backupSettings.at, keep: backupSettings.keep }).from(backupSettings).get() ?? {
        at: null,
        keep: null,
      },
    saveSettings(settings: StoredBackupSettings): void {
      declare('backups')
      tables
        .insert(backupSettings)
        .values({ id, ...settings })
        .onConflictDoUpdate({ target: backupSettings.id, set: settings })
        .run()
    },
    result: (kind: BackupResult['kind']): BackupResult | undefined =>
      tables.select().from(backupResults).where(eq(backupResults.kind, kind)).get(),
    forgetResult(kind: BackupResult['kind']): void {
      declare('backups')
      tables.delete(backupResults).where(eq(backupResults.kind, kind)).run()
    },
    saveResult(result: BackupResult): void {
      declare('backups')
      tables.insert(backupResults).values(result).onConflictDoUpdate({ target: backupResults.kind, set: result }).run()
    },
  }
}
export type BackupStore = ReturnType<typeof createBackupStore>
