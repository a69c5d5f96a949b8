/**
 * One run of the schedule, in a separate process: makes and verifies a backup, then deletes old ones and contents that
 * none lists.
 */

import type { Keep } from '../../../config/backups.ts'
import { messageOf } from '../../../lib/error.ts'
import { removeUnlisted } from '../contents.ts'
import { type CreatedBackup, createBackup } from '../create.ts'
import { explained } from '../files.ts'
import { openBackupFolder, type StorePlace } from '../folder.ts'
import { expired } from './keep.ts'

export interface ScheduledBackup extends CreatedBackup {
  /** Why old backups or contents could not be deleted; null if they could. The new backup is good all the same. */
  readonly leftBecause: string | null
}

export interface ScheduledTask extends StorePlace {
  readonly keep: Keep
  /** The time of the service in Unix milliseconds. */
  readonly nowMs: number
}

/** Throws like `createBackup`; then nothing is deleted. */
export function makeScheduledBackup(task: ScheduledTask): ScheduledBackup {
  const made = createBackup(task, () => task.nowMs, 'scheduled')
  try {
    deleteOld(task)
    return { ...made, leftBecause: null }
  } catch (cause) {
    return { ...made, leftBecause: messageOf(explained('Old backups were not deleted', cause)) }
  }
}

function deleteOld({ databasePath, environment, keep, nowMs }: ScheduledTask): void {
  using folder = openBackupFolder(databasePath)
  const scheduled = folder.names().filter((name) => name.reason === 'scheduled' && name.environment === environment)
  folder.remove(expired(scheduled, keep, nowMs))
  removeUnlisted(folder.path)
}
