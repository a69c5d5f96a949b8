/**
 * Makes a backup of the store as it is at one moment, while a server keeps reading and writing: in WAL mode a reader
 * blocks no other process. https://sqlite.org/lang_vacuum.html#vacuuminto
 */

import { Database } from 'bun:sqlite'
import { existsSync, statSync, writeFileSync } from 'node:fs'
import { hasMoved } from '../../database/files.ts'
import { emptyDatabase } from '../../database/migrate.ts'
import { AppError } from '../../lib/error.ts'
import { attachFiles, countDamaged } from './attached.ts'
import { explained } from './files.ts'
import { type Backup, openBackupFolder, type StorePlace } from './folder.ts'
import { inspect } from './inspect.ts'
import { wholeSecond } from './rules.ts'
import { seal } from './seal.ts'

/** How long the copying waits for a process that recovers or migrates the database, in milliseconds. */
const lockTimeoutMs = 15_000

export interface CreatedBackup extends Backup {
  /** The number of files of sites, certificates and keys that are missing or damaged, and so not whole in the backup. */
  readonly damagedFiles: number
}

/**
 * Makes a backup that contains at least everything that was on disk at its `createdAt`. Throws `not_found` if there is
 * no store, and `storage_unavailable` or `invalid_body` if no sound copy can be made; no file is left then.
 */
export function createBackup({ databasePath, environment }: StorePlace, now: () => number): CreatedBackup {
  if (!existsSync(databasePath)) {
    throw new AppError('not_found', `There is nothing to back up: ${databasePath} does not exist.`)
  }
  try {
    const folder = openBackupFolder(databasePath)
    try {
      const createdAt = wholeSecond(now())
      copyDatabase(databasePath, folder.unfinished)
      attachFiles(folder.unfinished, databasePath)
      inspect(folder.unfinished, environment, `The copy of ${databasePath}`)
      const damagedFiles = countDamaged(folder.unfinished)
      seal(folder.unfinished, createdAt)
      const file = folder.keep({ environment, reason: 'backup', createdAt })
      return { file, bytes: statSync(file).size, createdAt: new Date(createdAt).toISOString(), damagedFiles }
    } finally {
      folder.close()
    }
  } catch (cause) {
    throw explained('No backup was made', cause)
  }
}

/** Doesn't use `openDatabase`, which would migrate the store: a backup is wanted before that. */
function copyDatabase(databasePath: string, target: string): void {
  // SQLite would delete the log beside it, which may be all that is left of the store.
  if (statSync(databasePath).size === 0) throw emptyDatabase(databasePath)
  const connection = new Database(databasePath, { create: false, readwrite: true })
  try {
    connection.run(`PRAGMA busy_timeout = ${lockTimeoutMs}`)
    // SQLite accepts an empty file as the target. It is created here, so that only its owner can ever read it.
    writeFileSync(target, '', { flag: 'wx', mode: 0o600 })
    connection.run('VACUUM INTO ?', [target])
    if (hasMoved(connection)) {
      throw new AppError('conflict', 'No backup was made: the store was restored at the same time. Try again.')
    }
  } finally {
    connection.close()
  }
}
