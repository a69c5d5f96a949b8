/** Whether there is a store, and the line about one that was changed. */

import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { StoreConfig } from '../../config/config.ts'
import { databasePath } from '../../database/environment.ts'
import { AppError } from '../../lib/error.ts'
import { makeDirectory } from '../../lib/file-owner.ts'
import { codeOf, systemReason } from '../../lib/system-error.ts'
import type { StorePlace } from '../../operate/backups/folder.ts'
import { findLoss } from '../../operate/backups/lost.ts'
import { isLogLeft } from '../../operate/backups/previous.ts'

/** Whether the database file exists. Throws `storage_unavailable` if it cannot be read. */
export function storeExists(config: StoreConfig): boolean {
  try {
    return statSync(databasePath(config)).isFile()
  } catch (cause) {
    const code = codeOf(cause)
    // A file in the place of the data directory is reported when the directory is made.
    if (code === 'ENOENT' || code === 'ENOTDIR') return false
    const advice = code === 'EACCES' ? ' Run it with sudo, or as the user of the store.' : ''
    const message = `${databasePath(config)} can't be read: ${systemReason(cause)}.${advice}`
    throw new AppError('storage_unavailable', message, { cause })
  }
}

/** Whether there is nothing of a store: neither a database nor the log of one that is gone. */
export function isWithoutStore(config: StoreConfig): boolean {
  return !storeExists(config) && !isLogLeft(databasePath(config))
}

export const placeOf = (config: StoreConfig): StorePlace => ({
  databasePath: databasePath(config),
  environment: config.environment,
})

/** Whether a store is there, also one that has lost its database. */
export const isStoreThere = (config: StoreConfig): boolean =>
  storeExists(config) || findLoss(placeOf(config)) !== undefined

/** A line on the store that a command has created or changed; undefined for a change of the default store. */
export function describeStore(config: StoreConfig, isNew: boolean): string | undefined {
  const path = databasePath(config)
  if (isNew) return `Created a new store: ${path}`
  const defaultPath = databasePath({ dataDirectory: resolve('data'), environment: 'production' })
  return path !== defaultPath ? `The store is ${path}` : undefined
}

/**
 * Creates the data directory, readable by its owner alone. Returns the first directory that it created, or undefined if
 * all are there. Throws `storage_unavailable` if that fails.
 */
export function ensureDataDirectory({ dataDirectory }: StoreConfig): string | undefined {
  try {
    return makeDirectory(dataDirectory)
  } catch (cause) {
    const reason = codeOf(cause) === 'EEXIST' ? 'it is not a directory' : systemReason(cause)
    const message = `The data directory ${dataDirectory} can't be used: ${reason}. Choose another with --data.`
    throw new AppError('storage_unavailable', message, { cause })
  }
}
