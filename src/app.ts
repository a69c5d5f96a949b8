/** The composition root: everything a running store consists of, put together once and taken apart in reverse. */

import { createAnnouncements } from './database/announcements.ts'
import { watchChanges } from './database/changes.ts'
import { storageJobs } from './database/faults/jobs.ts'
import { createFaultMonitor } from './database/faults/monitor.ts'
import { isUnreadable, watchStorage } from './database/faults/watch.ts'
import { type OpenDatabase, openDatabase } from './database/open.ts'
import { createReadiness } from './database/readiness.ts'
import { createWriter } from './database/writer.ts'
import type { Environment } from './environment.ts'
import { createApi } from './http/api.ts'
import { createCors } from './http/cors.ts'
import { idempotencyJobs } from './idempotency/jobs.ts'
import { createPosting } from './idempotency/post.ts'
import { createAuthenticator, keyJobs, saveUses } from './keys/authenticate.ts'
import type { Clock } from './lib/clock.ts'
import type { Log } from './lib/log.ts'
import type { Network } from './lib/network.ts'
import { schedule } from './lib/scheduler.ts'
import { AddressLimiter } from './limits/addresses.ts'
import { ClientNetworks } from './limits/client-networks.ts'
import { Limiter } from './limits/limiter.ts'
import { limitJobs } from './limits/storage/jobs.ts'
import { loadBans, loadLimits } from './limits/storage/load-limits.ts'
import { type LimitParts, StoredLimits } from './limits/storage/parts.ts'
import { banHandler, saveBans } from './limits/storage/save-bans.ts'
import { saveCounts } from './limits/storage/save-counts.ts'
import { petJobs } from './pets/jobs.ts'
import { createStores } from './stores.ts'

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
  const announcements = createAnnouncements(log)
  const stores = createStores(database, announcements.declare)
  const networks = new ClientNetworks(config.trustedProxies)
  const faults = createFaultMonitor({ log, clock, isUnreadable: () => isUnreadable(database.connection) })
  const watch = watchStorage(database.connection, config.databasePath, faults)
  const writer = createWriter(database.connection, clock, announcements.transaction, { ...faults, ...watch })
  const limiter: Limiter = new Limiter({
    clock,
    days: stores.limits,
    onBan: banHandler(() => limitParts),
  })
  const limitParts: LimitParts = { ...stores, limiter, writer, clock, log, storedLimits: new StoredLimits() }
  return {
    ...stores,
    ...limitParts,
    environment: config.environment,
    announcements,
    faults,
    watch,
    readiness: createReadiness({ tables: database.tables, writer, faults, clock }),
    authenticator: createAuthenticator(stores.keys, config.environment, clock.now),
    addresses: new AddressLimiter(clock),
    networks,
    cors: createCors(config.corsOrigins),
    posting: createPosting({ ...stores, writer, clock }),
  }
}

/** Throws `storage_unavailable` if the database can't be used. */
export function createApp(config: AppConfig, clock: Clock, log: Log) {
  const database = openDatabase(config.databasePath, 0)
  const app = createParts(config, clock, log, database)
  loadLimits(app)
  app.announcements.subscribe(['keys', 'accounts'], () => app.authenticator.forget())
  app.announcements.subscribe(['bans'], () => loadBans(app))
  const jobs = schedule(
    [
      watchChanges(database.connection, app.announcements),
      ...limitJobs(app),
      ...keyJobs(app),
      ...petJobs(app),
      ...idempotencyJobs(app),
      ...storageJobs(app),
    ].map(app.faults.guard),
    clock,
    log,
  )

  return {
    ...app,
    api: createApi(app),
    /**
     * Waits for the jobs in progress, stores what is only in memory and closes the database; to be called once the
     * listener has stopped.
     */
    async close(): Promise<void> {
      await jobs.stop()
      const saves = [saveCounts(app), saveBans(app), saveUses(app)]
      app.writer.flush()
      for (const save of await Promise.allSettled(saves)) {
        if (save.status === 'rejected') log.error('the last counts could not be stored', { error: save.reason })
      }
      database.close()
    },
  }
}
