/** The store of `--store-id`: a service must neither take another store for its own nor begin a new one. */

import { readStoreId } from '../access/owner/store-id.ts'
import type { ServeConfig } from '../config/config.ts'
import { databasePath } from '../database/environment.ts'
import { AppError } from '../lib/error.ts'
import { lostStoreAdvice, missingStore, storeExists } from './store.ts'

/** Throws `not_found` if no store is there, and `conflict` if it is another one. */
export function assertExpectedStore(config: ServeConfig): void {
  const { storeId, environment } = config
  if (storeId === undefined) return
  const staging = environment === 'staging' ? ' --environment staging' : ''
  if (!storeExists(config)) {
    throw missingStore(config, `The store ${storeId} is expected there: ${lostStoreAdvice(config)}`)
  }
  const path = databasePath(config)
  const found = readStoreId(path)
  if (found === storeId) return
  throw new AppError(
    'conflict',
    `${path} is the store ${found}, and ${storeId} is expected there: is the right disk mounted? If this store is meant, run: sudo petstore service install${staging}`,
  )
}
