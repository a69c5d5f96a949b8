/**
 * The stores on other machines that the user is logged in to, with their keys: a file that only the user can read, in
 * the directory of the user's configuration.
 */

import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RemoteConfig } from '../../config/remote.ts'
import { AppError } from '../../lib/error.ts'
import { replaceFile } from '../../lib/replace-file.ts'
import { codeOf, systemReason } from '../../lib/system-error.ts'

export interface Login {
  readonly name: string
  /** The base address of the API, which ends in `/v1`. */
  readonly url: string
  readonly key: string
}

/** The logins, the latest one last. Throws `storage_unavailable` if the file can't be read. */
export function readLogins({ directory }: RemoteConfig): Login[] {
  if (directory === undefined) return []
  const path = pathIn(directory)
  try {
    const { stores } = JSON.parse(readFileSync(path, 'utf8')) as { stores: Login[] }
    for (const { name, url, key } of stores) assertText(name, url, key)
    return stores
  } catch (cause) {
    // With sudo or su, the home may be that of another user.
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes(codeOf(cause))) return []
    const isDamaged = cause instanceof SyntaxError || cause instanceof TypeError
    const reason = isDamaged ? 'it is damaged. Delete it, then log in again' : systemReason(cause)
    throw new AppError('storage_unavailable', `${path} can't be read: ${reason}.`, { cause })
  }
}

/** Stores the logins. Throws `storage_unavailable` if that fails; the file is then as before. */
export function writeLogins({ directory }: RemoteConfig, logins: readonly Login[]): void {
  if (directory === undefined) {
    throw new AppError('storage_unavailable', 'There is no place for the key: set HOME or XDG_CONFIG_HOME.')
  }
  const path = pathIn(directory)
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    replaceFile(path, `${JSON.stringify({ stores: logins }, undefined, 2)}\n`)
  } catch (cause) {
    throw new AppError('storage_unavailable', `${path} can't be written: ${systemReason(cause)}.`, { cause })
  }
}

function assertText(...values: unknown[]): void {
  if (values.some((value) => typeof value !== 'string')) throw new TypeError('A text is missing.')
}

const pathIn = (directory: string) => join(directory, 'stores.json')
