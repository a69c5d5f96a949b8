/** The composition root: everything a running store consists of, put together once and taken apart in reverse. */

import { createAccountStore } from './accounts/store.ts'
import { createAuditStore } from './audit/store.ts'
import { watchChanges } from './database/changes.ts'
import { type OpenDatabase, openDatabase } from './database/open.ts'
import { createReadiness } from './database/readiness.ts'
import { createWriter } from './database/writer.ts'
import { createApi } from './http/api.ts'
import { ClientNetworks } from './http/client-address.ts'
import { createCors } from './http/cors.ts'
import { createAuthenticator } from './keys/authenticate.ts'
import type { Environment } from './keys/rules.ts'
import { createKeyStore } from './keys/store.ts'
import type { Clock } from './lib/clock.ts'
import type { Log } from './lib/log.ts'
import type { Network } from './lib/network.ts'
import { schedule } from './lib/scheduler.ts'
import { AddressLimiter } from './limits/addresses.ts'
import { Limiter } from './limits/limiter.ts'
import { createPetStore } from './pets/store.ts'

export interface AppConfig {
  readonly environment: Environment
  /** Path of the database file, `:memory:` for none. */
  readonly databasePath: string
  readonly corsOrigins: readonly string[]
  readonly trustedProxies: readonly Network[]
}

/** What features are made of; each names in its signature what it takes of this. */
export type App = ReturnType<typeof createParts>

function createParts(config: AppConfig, clock: Clock, log: Log, database: OpenDatabase) {
  const { tables, connection } = database
  const keys = createKeyStore(tables)
  const networks = new ClientNetworks(config.trustedProxies)
  const writer = createWriter(connection, clock)
  return {
    environment: config.environment,
    clock,
    log,
    connection,
    writer,
    readiness: createReadiness(tables, writer, clock),
    audit: createAuditStore(tables),
    accounts: createAccountStore(tables),
    keys,
    authenticator: createAuthenticator(keys, config.environment, clock.now),
    limiter: new Limiter({ clock, days: { find: () => 0 }, onBan: () => {} }),
    addresses: new AddressLimiter(clock),
    networks,
    networkOf: (request: Request) => networks.of(request),
    cors: createCors(config.corsOrigins),
    pets: createPetStore(tables),
  }
}

/** Throws `storage_unavailable` if the database can't be used. */
export function createApp(config: AppConfig, clock: Clock, log: Log) {
  const database = openDatabase(config.databasePath, 0)
  const parts = createParts(config, clock, log, database)
  const onForeignChange = () => {
    parts.authenticator.forget()
    parts.pets.changed()
  }
  const stopJobs = schedule([watchChanges(database.connection, onForeignChange)], clock, log)

  return {
    ...parts,
    api: createApi(parts),
    close(): void {
      stopJobs()
      parts.writer.flush()
      database.close()
    },
  }
}
