/**
 * The store on this machine that a command means: its directory, whether a store is there, and the errors where none
 * is, or only what is left of one that has lost its database.
 */

import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { type StoreConfig, storeConfig } from '../../config/config.ts'
import { type OptionValues, text } from '../../config/values.ts'
import { databasePath } from '../../database/environment.ts'
import { AppError } from '../../lib/error.ts'
import { makeDirectory } from '../../lib/file-owner.ts'
import { environmentOption, shellWord, storeOptions } from '../../lib/shell-words.ts'
import { codeOf, systemReason } from '../../lib/system-error.ts'
import type { StorePlace } from '../../operate/backups/folder.ts'
import { findLoss, type LostStore, newestBackup } from '../../operate/backups/lost.ts'
import { isLogLeft } from '../../operate/backups/previous.ts'
import { findService } from '../service/installed.ts'

/**
 * The options with the data directory of the store: that of `--data` or PETSTORE_DATA, else the one in `./data`, else
 * that of the service. `say` gets a line for standard error wherever another store could be expected. Throws
 * `storage_unavailable` if this user may not read the store of the service, and `not_found` if it is not there: no
 * command makes another one in its place.
 */
export function withStorePlace(values: OptionValues, say: (line: string) => unknown): OptionValues {
  if (values['data'] !== undefined || values['url'] !== undefined || values['ephemeral'] === true) return values
  const here = storeConfig(values)
  const service = findService(here.environment)
  if (service === undefined || service.dataDirectory === here.dataDirectory) return values
  const { name, dataDirectory } = service
  if (isStoreThere(here)) {
    say(`The store is in ${here.dataDirectory}, not that of the service: --data ${dataDirectory}`)
    return values
  }
  if (!isStoreThere(service))
    throw missingStore(service, `It is that of the service ${name}: ${lostStoreAdvice(service)}`)
  say(`The store is that of the service ${name}, in ${dataDirectory}.`)
  return { ...values, data: dataDirectory }
}

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

/** The loss of a store that has lost its database; undefined for any other, and where there is none. */
export const lossOf = (config: StoreConfig): LostStore | undefined => findLoss(placeOf(config))

/** Throws `storage_unavailable` if the store has lost its database: no other one may be made in its place. */
export function assertNotLost(config: StoreConfig): void {
  const loss = lossOf(config)
  if (loss) throw new AppError('storage_unavailable', `${loss.message} ${loss.advice}`)
}

/** Throws `not_found` if there is no store, and `storage_unavailable` if it has lost its database. */
export function assertStore(config: StoreConfig): void {
  const exists = storeExists(config)
  assertNotLost(config)
  if (!exists)
    throw missingStore(
      config,
      `${otherStores(config)}Check --data and --environment, or create a store with: petstore serve`,
    )
}

/** The error of a command that needs a store where there is none; `advice` says what to do. */
export function missingStore(config: StoreConfig, advice: string): AppError {
  return new AppError('not_found', `There is no store at ${databasePath(config)}. ${advice}`)
}

/**
 * Where other stores of the environment are, in sentences that end with a space: the one in `./data`, and that of the
 * service.
 */
function otherStores({ dataDirectory, environment }: StoreConfig): string {
  const here = { dataDirectory: resolve('data'), environment }
  const service = findService(environment)
  return [
    ...(here.dataDirectory !== dataDirectory && isStoreThere(here) ? [`There is one in ${here.dataDirectory}. `] : []),
    ...(service && service.dataDirectory !== dataDirectory
      ? [`That of the service ${service.name} is in ${service.dataDirectory}. `]
      : []),
  ].join('')
}

/** What to do where a service has lost its store; the end of a sentence about it. */
export function lostStoreAdvice(config: StoreConfig): string {
  const { dataDirectory, environment } = config
  const options = `--data ${dataDirectory}${environmentOption(environment)}`
  const backup = newestBackup(placeOf(config)) ?? 'FILE'
  return `is its disk mounted? If it is lost, restore a backup: sudo petstore backup restore ${backup} ${options}`
}

/** `command` with the options for the store of this invocation, to paste into a shell in the same directory. */
export function onStore(
  { values, remote }: { values: OptionValues; remote: object | undefined },
  command: string,
): string {
  const url = text(values, 'url')
  if (remote) return url === undefined ? command : `${command} --url ${shellWord(url)}`
  return `${command}${storeOptions(storeConfig(values))}`
}
