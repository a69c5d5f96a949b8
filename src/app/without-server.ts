/** The status and the checks of a store without a running server. They read its files and change none. */

import type { Database } from 'bun:sqlite'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import { createHold } from '../access/owner/hold.ts'
import type { Attention } from '../api/attention.ts'
import { serveConfig } from '../config/config.ts'
import { currentVersion, versionOf } from '../database/migrate.ts'
import { openForReading, type Tables } from '../database/open.ts'
import { createCertificateAttention } from '../hosting/certificates/attention.ts'
import { queryOptions } from '../hosting/domains/checks/platform.ts'
import { savedSettings, startOptions } from '../hosting/settings.ts'
import type { Clock } from '../lib/clock.ts'
import { AppError } from '../lib/error.ts'
import { isSystemError, systemReason } from '../lib/system-error.ts'
import type { StorePlace } from '../operate/backups/folder.ts'
import { resultAttention } from '../operate/backups/last-result.ts'
import { findLoss } from '../operate/backups/lost.ts'
import type { Check } from '../operate/doctor/check.ts'
import { checkStore } from '../operate/doctor/checks.ts'
import { examineStore } from '../operate/doctor/examine.ts'
import type { ServicePort } from '../operate/doctor/machine.ts'
import { storeStatus } from '../operate/doctor/routes.ts'
import { mailAttention } from '../operate/mail/create.ts'
import { createAttention } from '../operate/overview/attention.ts'
import { createWebhookAttention } from '../operate/webhooks/create.ts'
import { createStores, type Stores } from './stores.ts'

/** Returns what needs attention, and the backups. Throws `storage_unavailable` if the database cannot be read. */
export function statusWithoutServer(place: StorePlace, clock: Clock) {
  const loss = findLoss(place)
  if (loss) {
    const since = new Date(clock.now()).toISOString()
    const lost = {
      kind: 'database_lost',
      id: null,
      since,
      message: loss.message.replace(/\.$/, ''),
      advice: loss.advice,
    }
    return { ...storeStatus(place, { items: () => [] }, { nextAt: null, nowMs: clock.now() }), attention: [lost] }
  }
  return read(place, (database) =>
    storeStatus(place, attentionOf(place, database, clock), {
      storeId: storeIdOf(database),
      nextAt: null,
      nowMs: clock.now(),
    }),
  )
}

/** The lines of `petstore doctor`; `isRoot` says whether root runs the command. */
export async function checksWithoutServer(place: StorePlace, clock: Clock, isRoot: boolean): Promise<Check[]> {
  const config = configOf(place)
  const { hosting } = config
  const { resolveAddresses } = await import('../dns/platform.ts')
  const dns = () => (hosting ? queryOptions(hosting) : { resolvers: [] })
  return await checkStore({
    ...place,
    clock,
    storeId: () => read(place, storeIdOf),
    isRunning: false,
    isForOwner: isRoot,
    ports: portsOf(config),
    examine: async () => examineStore(place),
    attention: (nowMs) => read(place, (database) => attentionOf(place, database, clock).items(nowMs)),
    nextBackup: () => null,
    copies: () => undefined,
    smtp: () => read(place, ({ stores }) => stores.mails.settings()?.smtp ?? null),
    hosting,
    domainCounts: () => read(place, ({ stores }) => stores.domains.countsByStatus()),
    publicAddresses() {
      if (hosting === undefined || hosting.publicAddresses.length > 0) return hosting?.publicAddresses ?? []
      return resolveAddresses(hosting.platformDomain, dns())
    },
    dns,
  })
}

interface ReadDatabase {
  readonly connection: Database
  readonly tables: Tables
  readonly stores: Stores
}

const storeIdOf = ({ stores }: ReadDatabase) => stores.owner.installation().storeId

function read<T>({ databasePath }: StorePlace, use: (database: ReadDatabase) => T): T {
  let connection: Database | undefined
  try {
    connection = openForReading(databasePath)
    const version = versionOf(connection)
    if (version !== currentVersion) {
      throw unreadable(databasePath, `it has version ${version}, and this petstore reads version ${currentVersion}`)
    }
    const tables: Tables = drizzle(connection)
    return use({ connection, tables, stores: createStores({ tables, connection }) })
  } catch (cause) {
    if (!isSystemError(cause)) throw cause
    throw unreadable(databasePath, systemReason(cause), cause)
  } finally {
    connection?.close()
  }
}

function unreadable(path: string, reason: string, cause?: unknown): AppError {
  return new AppError('storage_unavailable', `The database ${path} can't be read: ${reason}. See: petstore doctor`, {
    cause,
  })
}

/** The options with which a server would start, without the stored ones if the database can't be read. */
function configOf(place: StorePlace) {
  const { environment } = place
  try {
    return serveConfig(
      startOptions(
        { environment },
        read(place, ({ tables }) => savedSettings(tables)),
      ).values,
    )
  } catch {
    return serveConfig({ environment })
  }
}

function portsOf({ host, port, hosting }: ReturnType<typeof configOf>): ServicePort[] {
  if (hosting === undefined) return [{ host, port, use: 'API' }]
  const { publicHost, httpPort, httpsPort } = hosting
  const https = httpsPort === 'off' ? [] : [{ host: publicHost, port: httpsPort, use: 'HTTPS' } as const]
  return [{ host, port, use: 'API' }, { host: publicHost, port: httpPort, use: 'HTTP' }, ...https]
}

function attentionOf(place: StorePlace, { tables, stores }: ReadDatabase, clock: Clock): Attention {
  const { mails, backups } = stores
  const hold = createHold(stores.owner)
  const { hosting } = configOf(place)
  const attention = createAttention({
    ...stores,
    ...place,
    clock,
    hold,
    hosting,
    faults: { lasting: () => undefined },
    clockWrongByMs: () => undefined,
  })
  if (hosting) attention.add(createCertificateAttention({ tables, ...stores }))
  attention.add(createWebhookAttention({ ...stores, hold }))
  attention.add(() => resultAttention(backups.result('copy')))
  attention.add(() => (backups.settings().at === 'off' ? [] : resultAttention(backups.result('schedule'))))
  attention.add(() => (mails.settings() && !hold.isOnHold() ? mailAttention(mails.all()) : []))
  return attention
}
