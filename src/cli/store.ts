/** Whether there is a store, and the words about it. */

import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { StoreConfig } from '../config/config.ts'
import { databasePath } from '../database/environment.ts'
import { makeDirectory } from '../database/owner.ts'
import { AppError } from '../lib/error.ts'
import { codeOf, systemReason } from '../lib/system-error.ts'
import { isLogLeft } from '../operate/backups/previous.ts'

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

/** The error of a command that needs a store where there is none; `advice` says what to do. */
export function missingStore(
  config: StoreConfig,
  advice = 'Check --data and --environment, or create a store with: petstore serve',
): AppError {
  return new AppError('not_found', `There is no store at ${databasePath(config)}. ${advice}`)
}

/** What to do where a service has lost its store; the end of a sentence about it. */
export function lostStoreAdvice({ dataDirectory, environment }: StoreConfig): string {
  const staging = environment === 'staging' ? ' --environment staging' : ''
  return `is its disk mounted? If it is lost, restore a backup: sudo petstore backup restore FILE --data ${dataDirectory}${staging}`
}

/** A line on the store that a command has created or changed; undefined for a change of the default store. */
export function describeStore(config: StoreConfig, isNew: boolean): string | undefined {
  const path = databasePath(config)
  if (isNew) return `Created a new store: ${path}`
  const defaultPath = databasePath({ dataDirectory: resolve('data'), environment: 'production' })
  return path !== defaultPath ? `The store is ${path}` : undefined
}

/**
 * Creates the data directory, readable by its owner alone. Returns the first directory that it created, or undefined if all are there.
 * Throws `storage_unavailable` if that fails.
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
