/**
 * Opens the database of a store for the process that has its lock. A store of an older petstore is backed up before its
 * migration; one of a newer petstore is refused with the backup that leads back.
 */

import { readSync, rmSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { currentVersion, NewerSchema } from '../../database/migrate.ts'
import { type OpenDatabase, openDatabase } from '../../database/open.ts'
import { AppError } from '../../lib/error.ts'
import { storeOptions } from '../../lib/shell-words.ts'
import { createBackup } from './create.ts'
import { withFile } from './files.ts'
import { listBackups, type StorePlace } from './folder.ts'
import { readBackupName } from './rules.ts'
import { isSameContent } from './seal.ts'

/**
 * Opens the database as `openDatabase` does, for a process that never waits for a lock. Throws `storage_unavailable`,
 * and leaves the store unchanged, if it has to be migrated and no sound backup can be made. `report` is called with a
 * sentence, without a full stop, before and after a backup.
 */
export function openStore(
  place: StorePlace,
  { now, report }: { readonly now: () => number; readonly report: (sentence: string) => void },
): OpenDatabase {
  function beforeMigration() {
    report('the store is of an older petstore: backing it up before it is migrated')
    report(`the backup is ${backUpBeforeUpgrade(place, now)}; migrating the store`)
  }
  try {
    return openDatabase(place.databasePath, 0, { beforeMigration })
  } catch (error) {
    if (!(error instanceof NewerSchema)) throw error
    const file = lastReadable(place)
    if (file === undefined) throw error
    const options = storeOptions({ dataDirectory: dirname(place.databasePath), environment: place.environment })
    const advice = `Or return to the store as it was before its upgrade: petstore backup restore ${basename(file)}${options}`
    throw new AppError('storage_unavailable', `${error.message} ${advice}`, { cause: error })
  }
}

/**
 * Makes a backup with the name of one before an upgrade, and returns its path. If the store has not changed since the
 * last one, as after a migration that failed, returns that one. Throws what `createBackup` throws, and says that the
 * store is unchanged.
 */
export function backUpBeforeUpgrade(place: StorePlace, now: () => number): string {
  try {
    const [previous] = beforeUpgrades(place)
    const { file } = createBackup(place, now, 'before-upgrade')
    if (previous === undefined || !isSameContent(previous, file)) return file
    rmSync(file)
    return previous
  } catch (cause) {
    if (!(cause instanceof AppError)) throw cause
    const message = `${cause.message} The store is not upgraded without a backup: it is unchanged.`
    throw new AppError(cause.code, message, { cause })
  }
}

/** The newest backup before an upgrade that this petstore can read; undefined if there is none. */
function lastReadable(place: StorePlace): string | undefined {
  return beforeUpgrades(place).find((file) => versionInHeader(file) <= currentVersion)
}

/** Paths, the newest first. */
function beforeUpgrades(place: StorePlace): string[] {
  const files = listBackups(place).map(({ file }) => file)
  return files.filter((file) => readBackupName(basename(file))?.reason === 'before-upgrade')
}

/** The version of the schema in the header of a backup: https://sqlite.org/fileformat2.html#user_version_number */
export function versionInHeader(path: string): number {
  const version = Buffer.alloc(4)
  withFile(path, (file) => readSync(file, version, 0, version.length, 60))
  return version.readUInt32BE()
}
