/** Checks the permissions of the files of a database, because SQLite reports only that it can't open a file. */

import { accessSync, constants, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { AppError } from '../../lib/error.ts'
import { systemReason } from '../../lib/system-error.ts'
import { codeOf } from '../faults/fault.ts'

/** The endings of the database file and of the files that SQLite and `serve` create beside it. */
const endings = ['', '-wal', '-shm', '-journal', '-serving']

/**
 * Whether the files are on a read-only disk. Throws `storage_unavailable` if the permissions of the directory or of a file
 * forbid to write it.
 */
export function isOnReadOnlyDisk(databasePath: string): boolean {
  const { R_OK, W_OK, X_OK } = constants
  const directory = accessError(dirname(databasePath), R_OK | W_OK | X_OK)
  const files = endings.map((ending) => accessError(databasePath + ending, R_OK | W_OK))
  return [directory, ...files].includes('EROFS')
}

/** The system's error code for a path that can't be accessed. Throws `storage_unavailable` if permissions are missing. */
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
  const advice = 'Run petstore as its owner, or change it with chown or chmod'
  try {
    const { uid, mode } = statSync(path)
    const owner = `its owner is the user ${uid} and its mode ${(mode & 0o777).toString(8)}`
    return `the user that runs petstore may not read and write it; ${owner}. ${advice}`
  } catch {
    return `the user that runs petstore may not enter its directory. ${advice}`
  }
}
