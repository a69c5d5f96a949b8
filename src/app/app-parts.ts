/** Creates the parts of a running store, in an order in which each needs only earlier ones. */

import { findStoreAccount } from '../access/accounts/store-account.ts'
import { createFollowers } from '../access/events/stream.ts'
import { createAuthenticator } from '../access/keys/authenticate.ts'
import { AddressLimiter } from '../access/limits/addresses.ts'
import { createSavedLimiter } from '../access/limits/saved-limiter.ts'
import { createGuesses } from '../access/owner/credentials/guesses.ts'
import { createPasswords } from '../access/owner/credentials/passwords.ts'
import { createDashboardTokens } from '../access/owner/credentials/tokens.ts'
import { createHold } from '../access/owner/hold.ts'
import { liveSessionIds } from '../access/owner/sessions.ts'
import { ClientNetworks } from '../api/client-networks.ts'
import { createCurrentRequest } from '../api/context.ts'
import { createCors } from '../api/cors.ts'
import { createIdempotency } from '../api/idempotency/replay.ts'
import { createBodyBudget } from '../api/input/body-budget.ts'
import type { EndpointParts } from '../api/route.ts'
import { createUploadTurns } from '../api/upload-turns.ts'
import type { BackupConfig } from '../config/backups.ts'
import type { BucketConfig } from '../config/bucket.ts'
import type { HostingConfig } from '../config/hosting.ts'
import type { MailConfig } from '../config/mail.ts'
import { createAnnouncements } from '../database/announcements.ts'
import { createFaultMonitor } from '../database/faults/monitor.ts'
import { createReadiness, createStorageProbe } from '../database/faults/readiness.ts'
import { createUnreadableCheck, watchStorage } from '../database/faults/watch.ts'
import { openLog } from '../database/log.ts'
import type { OpenDatabase } from '../database/open.ts'
import { createWriter } from '../database/writer.ts'
import { createDomainHosting, type DomainHosting, type TestDns } from '../hosting/domains/parts.ts'
import { noCertificate } from '../hosting/domains/state.ts'
import { createHostingParts, type HostingParts } from '../hosting/parts.ts'
import type { CertificateStatus } from '../hosting/projects/view.ts'
import { createLiveSites } from '../hosting/sites/live.ts'
import { createWebshop } from '../hosting/webshop/respond.ts'
import { noLookUps } from '../lib/cache-counts.ts'
import { type Clock, createCutoff } from '../lib/clock.ts'
import type { Container } from '../lib/container.ts'
import { createStoreFiles } from '../lib/contents/place.ts'
import type { Environment } from '../lib/environment.ts'
import { type Log, silentLog } from '../lib/log.ts'
import type { Network } from '../lib/network.ts'
import { createTurns } from '../lib/steps/turns.ts'
import { createSubprocesses } from '../lib/subprocess.ts'
import { createBackupCopies } from '../operate/backups/away/create.ts'
import { createBackupWork } from '../operate/backups/http/work.ts'
import { createBackupSchedule } from '../operate/backups/schedule/schedule.ts'
import type { ServicePort } from '../operate/doctor/machine.ts'
import { createMail } from '../operate/mail/create.ts'
import type { PublicConnections } from '../operate/metrics/collect.ts'
import { createDatabaseSize } from '../operate/metrics/database-size.ts'
import { createRequestMetrics } from '../operate/metrics/requests.ts'
import { createAttention } from '../operate/overview/attention.ts'
import { createStorageAttention } from '../operate/overview/machine.ts'
import type { RunsAs } from '../operate/system/schemas.ts'
import { createWebhooks } from '../operate/webhooks/create.ts'
import type { Resolve } from '../operate/webhooks/destination.ts'
import { createLiveStreams } from '../owner/live.ts'
import { createExports } from '../shop/imports/export.ts'
import { createSpreadsheets } from '../shop/imports/spreadsheets/open.ts'
import { createCounter } from '../shop/orders/counter.ts'
import { createEncoder } from '../shop/photos/receive.ts'
import { createPhotoResponder } from '../shop/photos/serve.ts'
import { createStores } from './stores.ts'

export interface AppConfig {
  readonly environment: Environment
  /** Path of the database file; `:memory:` for a database in memory. */
  readonly databasePath: string
  readonly corsOrigins: readonly string[]
  readonly trustedProxies: readonly Network[]
  /** The address of the API that the operator has given, ending in `/v1`, for `Link` and `Location`. */
  readonly givenUrl?: string | undefined
  /** The command line that runs petstore, without its arguments; undefined if the process is another program. */
  readonly self?: readonly string[] | undefined
  /** Whether background work gives way to every other process. It does by default; tests turn that off. */
  readonly givesWay?: boolean
  /** The id of the process; undefined if it is another program. */
  readonly pid?: number | undefined
  /** Absolute path of the executable that runs; undefined if petstore runs from its source. */
  readonly executable?: string | undefined
  /** Who started this process; by default a person. */
  readonly runsAs?: RunsAs | undefined
  /** The container in which the service runs. */
  readonly container?: Container | undefined
  /** Whether the process is a command: then nothing runs periodically. */
  readonly isCommand?: boolean
  /** Undefined if hosting is off. */
  readonly hosting?: HostingConfig | undefined
  /** The mail server of the options; undefined if the settings name it, or none does. */
  readonly mail?: MailConfig | undefined
  /** The schedule of backups of the options. */
  readonly backups?: BackupConfig | undefined
  /** The networks besides the public internet to which webhooks may go. */
  readonly webhookNetworks?: readonly Network[] | undefined
  /** Replaces how the host names of webhooks are looked up, for tests. */
  readonly resolve?: Resolve | undefined
  /** The bucket of the options, to which backups are copied. */
  readonly bucket?: BucketConfig | undefined
  /** Whether streams of events end at a certain age. They do, except in a store whose clock is moved by tests. */
  readonly endsOldStreams?: boolean | undefined
  /** Replaces how DNS servers are queried, for tests. */
  readonly dns?: TestDns | undefined
  /** The memory that the hash of a password needs, in KiB: less for tests and for a store in memory. */
  readonly passwordMemoryKib?: number | undefined
  /** Replaces the state of certificates, for tests. */
  readonly certificateOf?: ((hostname: string, accountId?: number) => CertificateStatus) | undefined
}

/**
 * Every part of a running store. Only the composition knows this type: each feature declares the parts that it needs.
 */
export type App = ReturnType<typeof createParts>

export function createParts(config: AppConfig, clock: Clock, log: Log, database: OpenDatabase) {
  const base = createBase(config, clock, log, database)
  const hosting = createHosting(config, base)
  const operation = createOperation(config, base, hosting.hostingParts.certificates)
  return {
    ...base,
    ...createAccess(config, base),
    ...hosting,
    ...operation,
    endpointParts: createEndpointParts(base),
    counter: createCounter(base),
    // A checked file is in memory until it is added.
    importTurns: createUploadTurns('imports', 2, clock),
    spreadsheets: config.self && createSpreadsheets({ ...base, ...operation, files: hosting.files }),
    environment: config.environment,
    databasePath: config.databasePath,
    executable: config.executable,
    runsAs: config.runsAs ?? 'program',
    container: config.container,
    pid: config.pid,
    startedAt: clock.now(),
    givenUrl: config.givenUrl,
    /** Set when the listeners run. */
    listening: {
      address: null as string | null,
      url: null as string | null,
      ports: [] as readonly ServicePort[],
      connections: undefined as (() => PublicConnections) | undefined,
    },
  }
}

type Base = ReturnType<typeof createBase>

/** The stores and what reads and writes them. */
function createBase(config: AppConfig, clock: Clock, log: Log, database: OpenDatabase) {
  const announcements = createAnnouncements(log)
  const currentRequest = createCurrentRequest()
  const stores = createStores(database, announcements.declare, { clock, requestId: currentRequest.id })
  announcements.onFlushed(stores.events.flushed)
  // A command reports the fault that made it fail; other faults are not part of its output.
  const faultLog = config.isCommand ? silentLog : log
  const faults = createFaultMonitor({ log: faultLog, clock, isUnreadable: createUnreadableCheck(database) })
  const watch = watchStorage(database, faults)
  const turns = createTurns()
  // Exports read an old state of the database, so its log cannot begin anew.
  const exports = createExports({ ...config, database, turns, clock })
  const admissions = { count: 0 }
  const writeAheadLog = openLog(database, log, { onLowSpace: exports.stop, requests: () => admissions.count })
  const guard = { ...faults, ...watch }
  const writer = createWriter(database.connection, clock, announcements.transaction, guard, writeAheadLog)
  const storageProbe = createStorageProbe({ tables: database.tables, writer, faults, clock })
  return {
    ...stores,
    database,
    clock,
    log,
    announcements,
    currentRequest,
    faults,
    watch,
    /** The turns of long work that is divided into steps. */
    turns,
    exports,
    /** The requests that were admitted. */
    admissions,
    writeAheadLog,
    writer,
    storageProbe,
    readiness: createReadiness({ probe: storageProbe, faults, clock }),
    databaseSize: createDatabaseSize(database.connection),
    cutoff: createCutoff(clock),
    hold: createHold(stores.owner),
    ownAccountId: () => findStoreAccount(stores)?.id ?? 0,
  }
}

/** The parts that decide who may send requests, and how many. */
function createAccess(config: AppConfig, base: Base) {
  const { announcements, owner, clock } = base
  const savedLimiter = createSavedLimiter(base)
  const { limiter } = savedLimiter
  const dashboardTokens = createDashboardTokens(clock)
  const authenticator = createAuthenticator({ ...base, dashboardTokens, environment: config.environment })
  return {
    savedLimiter,
    limiter,
    dashboardTokens,
    authenticator,
    passwords: createPasswords(config.passwordMemoryKib),
    guesses: createGuesses(clock),
    followers: createFollowers({
      ...base,
      endsOldStreams: config.endsOldStreams ?? true,
      mayFollow: (principal) => authenticator.isCurrent(principal) && !limiter.isBanned(principal),
    }),
    live: createLiveStreams({ announcements, clock, liveSessions: () => liveSessionIds(owner, clock.now()) }),
    addresses: new AddressLimiter(clock),
    networks: new ClientNetworks(config.trustedProxies),
    cors: createCors(config.corsOrigins),
  }
}

/** The parts that decide what is served for a host, and with which certificate. */
function createHosting(config: AppConfig, base: Base) {
  const { hosting } = config
  const hostingParts = createHostingParts({ ...base, tables: base.database.tables, hosting }, config)
  const { certificates } = hostingParts
  const domainHosting: DomainHosting = createDomainHosting({
    ...base,
    hosting,
    dns: config.dns,
    certificateOf: config.certificateOf ?? certificates?.certificateOf ?? (() => noCertificate),
    certificateFindings: certificates?.findingsOf,
    retryCertificate: certificates?.retry,
    releaseCertificate: certificates?.release,
    caa: certificates?.caa,
    probe: config.isCommand === true ? undefined : hostingParts.probe,
  })
  const files = createStoreFiles(config.databasePath)
  const photoResponder = createPhotoResponder({ ...base, files })
  const webshop = createWebshop({ ...base, hosting, routes: domainHosting.routes })
  return {
    hosting,
    hostingParts,
    domainHosting,
    /** The contents of deploys and photos. */
    files,
    deployTurns: createUploadTurns('deploys', 2, base.clock),
    photoResponder,
    photoTurns: createUploadTurns('photos', 1, base.clock),
    webshop,
    sites: createLiveSites({ ...base, files, photos: photoResponder, webshop }),
  }
}

/** The parts that operate the service: backups, mail, webhooks, metrics, and what needs attention. */
function createOperation(config: AppConfig, base: Base, certificates: HostingParts['certificates']) {
  const { backups, clock, faults } = base
  const clockWrongByMs = () => certificates?.clockWrongByMs()
  const attention = createAttention({ ...config, ...base, clockWrongByMs })
  if (certificates) attention.add(certificates.attention)
  const subprocesses = createSubprocesses(config.self, clock, config.givesWay)
  const backupWork = createBackupWork(config, subprocesses)
  const backupSchedule = createBackupSchedule({
    ...config,
    ...base,
    self: config.self,
    given: config.backups,
    backups,
    backupWork,
    attention,
  })
  const { webhookNetworks = [] } = config
  return {
    /** Features add their sources of things that need attention. */
    attention,
    subprocesses,
    encodePhoto: createEncoder({ ...base, self: config.self, subprocesses }),
    backupWork,
    backupSchedule,
    backupCopies: createBackupCopies({
      ...config,
      ...base,
      given: config.bucket,
      backups,
      keep: backupSchedule.keep,
      attention,
      subprocesses,
    }),
    mail: createMail({
      ...config,
      ...base,
      mailConfig: config.mail,
      attention,
      storageAttention: createStorageAttention(faults),
    }),
    webhookNetworks,
    webhookDelivery: createWebhooks({
      ...base,
      webhookNetworks,
      resolve: config.resolve,
      isCommand: config.isCommand === true,
      attention,
      clockWrongByMs,
    }),
    requestMetrics: createRequestMetrics(clock),
  }
}

/** The parts that every endpoint needs. */
function createEndpointParts(base: Base): EndpointParts {
  const { writer, announcements, currentRequest, clock, keys } = base
  return {
    writer,
    idempotency: createIdempotency(base),
    announcements,
    bodyBudget: createBodyBudget(),
    currentRequest,
    clock,
    isRevoked: ({ keyId }) => keyId !== undefined && keys.find(keyId)?.revokedAt !== null,
    pageCacheCounts: noLookUps(),
  }
}
