/**
 * A store that has lost its database: the file is empty, or it is gone while backups, files or keys of the store are
 * beside it. Nothing makes a new store in its place unless the owner asks for one.
 */

import { lstatSync, readdirSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { certificatesDirectory } from '../../hosting/certificates/files/key-files.ts'
import { filesDirectory } from '../../lib/contents/place.ts'
import { storeOptions } from '../../lib/shell-words.ts'
import { codeOf } from '../../lib/system-error.ts'
import { secretsFile } from '../secrets.ts'
import { listBackups, madeBackups, type StorePlace } from './folder.ts'

export interface LostStore {
  /** What is wrong, as a sentence. */
  readonly message: string
  /** What to do. It ends with a command, without a full stop. */
  readonly advice: string
}

/**
 * Undefined if the database has content, if nothing of a store is there, and if the files can't be examined. Throws
 * `storage_unavailable` if the directory of the backups can't be read.
 */
export function findLoss(place: StorePlace): LostStore | undefined {
  const { databasePath, environment } = place
  const bytes = sizeOf(databasePath)
  if (bytes === undefined || (bytes ?? 0) > 0) return undefined
  const newest = newestBackup(place)
  const left = [
    ...(newest === undefined ? [] : ['its backups']),
    ...(hasFile(filesDirectory(databasePath)) ? ['the files of its sites'] : []),
    ...(hasFile(certificatesDirectory(databasePath)) || hasFile(secretsFile(databasePath)) ? ['its keys'] : []),
  ]
  if (bytes === null && left.length === 0) return undefined
  const options = storeOptions({ dataDirectory: dirname(databasePath), environment })
  return {
    message:
      bytes === null
        ? `The database ${databasePath} is missing, but ${left.join(' and ')} are there.`
        : `The database ${databasePath} is empty: its content is lost.`,
    advice: `${bytes === null ? 'If it is lost, restore' : 'Restore'} a backup: petstore backup restore ${newest ?? 'FILE'}${options}; for a new and empty store: petstore serve --new${options}`,
  }
}

/**
 * The name of the newest backup, rather of one that is no copy of a store that a restore has replaced; undefined if
 * there is none.
 */
export function newestBackup(place: StorePlace): string | undefined {
  const newest = madeBackups(place)[0] ?? listBackups(place)[0]
  return newest && basename(newest.file)
}

/**
 * Null if there is no file; undefined if that is unknown, or for a link that leads nowhere: opening the database says
 * why.
 */
function sizeOf(path: string): number | null | undefined {
  try {
    return statSync(path).size
  } catch (error) {
    return codeOf(error) === 'ENOENT' && !lstatSync(path, { throwIfNoEntry: false }) ? null : undefined
  }
}

/** Whether there is a file at a path, or in the directory there. */
function hasFile(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (!found?.isDirectory()) return found !== undefined
  return readdirSync(path, { recursive: true, withFileTypes: true }).some((entry) => entry.isFile())
}
