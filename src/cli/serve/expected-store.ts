/** The store that `serve` may serve: a service serves no other and no new one, and only `--new` replaces a lost one. */

import { rmSync, statSync } from 'node:fs'
import { readStoreId } from '../../access/owner/store-id.ts'
import type { ServeConfig } from '../../config/config.ts'
import { databasePath } from '../../database/environment.ts'
import { isOnReadOnlyDisk } from '../../database/permissions.ts'
import { AppError } from '../../lib/error.ts'
import { environmentOption } from '../../lib/shell-words.ts'
import { isLogLeft } from '../../operate/backups/previous.ts'
import { assertNotLost, lostStoreAdvice, missingStore, storeExists } from '../client/local.ts'

/** Throws `not_found` if no store is there, and `conflict` if it is another one. */
export function assertExpectedStore(config: ServeConfig): void {
  const { storeId, environment } = config
  if (storeId === undefined) return
  const install = `sudo petstore service install${environmentOption(environment)}`
  if (!storeExists(config)) {
    throw missingStore(config, `The store ${storeId} is expected there: ${lostStoreAdvice(config)}`)
  }
  assertNotLost(config)
  const path = databasePath(config)
  assertAccess(path, install)
  const found = readStoreId(path)
  if (found === storeId) return
  throw new AppError(
    'conflict',
    `${path} is the store ${found}, and ${storeId} is expected there: is the right disk mounted? If you want to serve this store, run: ${install}`,
  )
}

/** Throws `storage_unavailable` if the user of the service may not use the files. */
function assertAccess(path: string, install: string): void {
  try {
    isOnReadOnlyDisk(path)
  } catch (cause) {
    if (!(cause instanceof AppError)) throw cause
    const advice = `To give the whole store to the user of the service, run: ${install}`
    throw new AppError(cause.code, `${cause.message} ${advice}`, { cause })
  }
}

/**
 * Makes way for the new store of `--new`, which moves nothing of a lost one. The process must have the lock of the
 * store. Throws `conflict` if there is a store.
 */
export function makeWay(config: ServeConfig): void {
  const path = databasePath(config)
  const bytes = statSync(path, { throwIfNoEntry: false })?.size
  if (bytes !== undefined && bytes > 0) {
    throw new AppError('conflict', `There is a store at ${path}: leave out --new to serve it.`)
  }
  // A log may have content that is in no other file: opening the database says what to do with it.
  if (bytes === 0 && !isLogLeft(path)) rmSync(path)
}
