/**
 * The store of this machine that a command means: that of `--data` or PETSTORE_DATA, else the one in `./data`, else
 * that of the service. Standard error has its path wherever another one could be expected.
 */

import { storeConfig } from '../../config/config.ts'
import type { OptionValues } from '../../config/values.ts'
import { lostStoreAdvice, missingStore } from '../client/missing-store.ts'
import { isStoreThere } from '../client/store.ts'
import { findService } from './installed.ts'

/**
 * The options with the data directory of the store. `say` gets a line for standard error. Throws `storage_unavailable`
 * if this user may not read the store of the service, and `not_found` if it is not there: no command makes another one
 * in its place.
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
