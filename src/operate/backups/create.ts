/**
 * Makes a backup of the store as it is at one moment, while a server keeps reading and writing: in WAL mode a reader
 * blocks no other process. https://sqlite.org/lang_vacuum.html#vacuuminto
 */

import { Database } from 'bun:sqlite'
import { existsSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { hasMoved } from '../../database/files.ts'
import { emptyDatabase } from '../../database/migrate.ts'
import { AppError } from '../../lib/error.ts'
import { attachCertificates } from './attached.ts'
import { contentsBeside, shareContents } from './contents.ts'
import { assertSpace, explained } from './files.ts'
import { type Backup, type BackupFolder, openBackupFolder, type StorePlace } from './folder.ts'
import { type BackupReason, wholeSecond } from './rules.ts'
import { seal } from './seal.ts'
import { verifyCopy } from './verify.ts'

/** How long the copying waits for a process that recovers or migrates the database, in milliseconds. */
const lockTimeoutMs = 15_000

export type CreatedReason = Exclude<BackupReason, 'before-restore'>

export interface CreatedBackup extends Backup {
  /**
   * The number of files of sites, certificates and keys that are missing or damaged, and so not whole in the backup.
   */
  readonly damagedFiles: number
}

/**
 * Makes a backup that contains at least everything that was on disk at its `createdAt`. The files of deploys are beside
 * it. Throws `not_found` if there is no store, and `storage_unavailable` or `invalid_body` if no sound copy can be made;
 * no file is left then.
 */
export function createBackup(place: StorePlace, now: () => number, reason: CreatedReason = 'backup'): CreatedBackup {
  const { databasePath } = place
  if (!existsSync(databasePath)) {
    throw new AppError('not_found', `There is nothing to back up: ${databasePath} does not exist.`)
  }
  try {
    using folder = openBackupFolder(databasePath)
    return createIn(folder, place, wholeSecond(now()), reason)
  } catch (cause) {
    throw explained('No backup was made', cause)
  }
}

function createIn(
  folder: BackupFolder,
  { databasePath, environment }: StorePlace,
  createdAt: number,
  reason: CreatedReason,
): CreatedBackup {
  copyDatabase(databasePath, folder.unfinished)
  completeCopy(folder.unfinished, databasePath, createdAt, 'No backup was made')
  const name = `The copy of ${databasePath}`
  const { damagedFiles } = verifyCopy(folder.unfinished, environment, name, [contentsBeside(folder.unfinished)])
  const file = folder.keep({ environment, reason, createdAt })
  return { file, bytes: statSync(file).size, createdAt: new Date(createdAt).toISOString(), damagedFiles }
}

/**
 * Makes a backup of the copy of the database at `path`: adds the files beside the database, and seals it. `failure`
 * begins the message if the disk is too small. If this fails, the copy must be thrown away.
 */
export function completeCopy(path: string, databasePath: string, createdAt: number, failure: string): void {
  shareContents(path, databasePath, failure)
  attachCertificates(path, databasePath)
  seal(path, createdAt)
}

/**
 * Copies the database as it is at one moment to `target`, if there is space for it and `moreBytes`.
 * Doesn't use `openDatabase`, which would migrate the store: a backup is wanted before that.
 */
export function copyDatabase(databasePath: string, target: string, moreBytes = 0): void {
  // SQLite would delete the log beside it, which may be all that is left of the store.
  if (statSync(databasePath).size === 0) throw emptyDatabase(databasePath)
  const connection = new Database(databasePath, { create: false, readwrite: true })
  try {
    connection.run(`PRAGMA busy_timeout = ${lockTimeoutMs}`)
    assertSpace(dirname(target), bytesOf(connection) + moreBytes, 'No backup was made')
    // SQLite accepts an empty file as the target. It is created here, so that only its owner can ever read it.
    writeFileSync(target, '', { flag: 'wx', mode: 0o600 })
    // The caller that keeps the copy flushes it. The connection itself may move the log into the database when it is
    // closed.
    connection.run('PRAGMA synchronous = OFF')
    try {
      connection.run('VACUUM INTO ?', [target])
    } finally {
      connection.run('PRAGMA synchronous = FULL')
    }
    if (hasMoved(connection)) {
      throw new AppError('conflict', 'No backup was made: the store was restored at the same time. Try again.')
    }
  } finally {
    connection.close(true)
  }
}

/** The size of a copy, which has no free pages. */
function bytesOf(connection: Database): number {
  const sql = `SELECT (page_count - freelist_count) * page_size AS bytes
    FROM pragma_page_count, pragma_freelist_count, pragma_page_size`
  return connection.query<{ bytes: number }, []>(sql).get()?.bytes ?? 0
}
