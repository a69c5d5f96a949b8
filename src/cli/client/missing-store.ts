/** The errors of commands where there is no store, or only what is left of one that has lost its database. */

import { resolve } from 'node:path'
import type { StoreConfig } from '../../config/config.ts'
import { databasePath } from '../../database/environment.ts'
import { AppError } from '../../lib/error.ts'
import { environmentOption } from '../../lib/shell-words.ts'
import { findLoss, type LostStore, newestBackup } from '../../operate/backups/lost.ts'
import { findService } from '../service/installed.ts'
import { isStoreThere, placeOf, storeExists } from './store.ts'

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
