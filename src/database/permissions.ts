/** Checks the permissions of the files of a database, because SQLite reports only that it can't open a file. */

import { accessSync, chmodSync, closeSync, constants, lstatSync, openSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { AppError } from '../lib/error.ts'
import { codeOf, systemReason } from '../lib/system-error.ts'

/** The endings of the files that SQLite and `serve` create beside the database file. */
const endings = ['-wal', '-shm', '-journal', '-serving']

/**
 * Whether the files are on a read-only disk. Throws `storage_unavailable` if the permissions of the directory or of a
 * file forbid to write it. A log that only its mode forbids to write is made writable.
 */
export function isOnReadOnlyDisk(databasePath: string): boolean {
  const { R_OK, W_OK, X_OK } = constants
  const directory = accessError(dirname(databasePath), R_OK | W_OK | X_OK)
  const database = accessError(databasePath, R_OK | W_OK)
  if (database === undefined) for (const ending of ['-wal', '-shm']) followMode(databasePath + ending, databasePath)
  const others = endings.map((ending) => accessError(databasePath + ending, R_OK | W_OK))
  const isClaimed = [directory, database, ...others].includes('EROFS')
  return isClaimed || (directory === undefined && failsToWrite(databasePath))
}

/**
 * A file system that has found an error in itself still claims to be writable (`emergency_ro` on Linux): only an
 * attempt shows it.
 */
function failsToWrite(databasePath: string): boolean {
  const path = `${databasePath}-probe`
  try {
    closeSync(openSync(path, 'w'))
    rmSync(path)
    return false
  } catch (cause) {
    return codeOf(cause) === 'EROFS'
  }
}

/**
 * Gives a log that its owner may not write the mode of its database. SQLite creates it with the mode that the database
 * has at that moment: a reader of a database that was read-only then, such as a backup, leaves such a log behind.
 */
function followMode(logPath: string, databasePath: string): void {
  try {
    accessSync(logPath, constants.W_OK)
  } catch (cause) {
    const found = lstatSync(logPath, { throwIfNoEntry: false })
    // Another name of a file that is elsewhere is left alone.
    if (codeOf(cause) !== 'EACCES' || !found?.isFile() || found.nlink > 1) return
    try {
      chmodSync(logPath, statSync(databasePath).mode & 0o777)
    } catch {
      // It belongs to another user: the check that follows says so.
    }
  }
}

/**
 * The system's error code for a path that can't be accessed. Throws `storage_unavailable` if permissions are missing.
 */
function accessError(path: string, mode: number): string | undefined {
  try {
    accessSync(path, mode)
    return undefined
  } catch (cause) {
    const code = codeOf(cause)
    if (code === 'EROFS' || code === 'ENOENT') return code
    throw new AppError('storage_unavailable', `${path} can't be used: ${explain(path, code, cause)}.`, { cause })
  }
}

function explain(path: string, code: string, cause: unknown): string {
  if (code !== 'EACCES' && code !== 'EPERM') return systemReason(cause)
  const advice = 'Run it with sudo or as its owner, or change it with chown or chmod'
  try {
    const { uid, mode } = statSync(path)
    const owner = `its owner is the user ${uid} and its mode ${(mode & 0o777).toString(8)}`
    return `the user that runs petstore may not read and write it; ${owner}. ${advice}`
  } catch {
    return `the user that runs petstore may not enter its directory. ${advice}`
  }
}
