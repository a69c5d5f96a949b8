/**
 * Certificates of the platform, of projects and of custom domains: ordered, renewed and kept for the listeners. The
 * composition root creates one of these while HTTPS is on.
 */

import type { Announcements } from '../../database/announcements.ts'
import type { Tables } from '../../database/open.ts'
import type { Writer } from '../../database/writer.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { Job } from '../../lib/scheduler.ts'
import { createAccounts } from './account.ts'
import { createAuthorityClock } from './acme/authority-clock.ts'
import { createAcmeClient } from './acme/client.ts'
import type { EabCredentials } from './acme/jose.ts'
import { createTransport, hostOf } from './acme/transport.ts'
import type { NameOwner } from './attempt.ts'
import { createKeyFiles } from './files/key-files.ts'
import { createServed } from './files/served.ts'
import { reconcile, retryNow, serve, type WantedNames } from './names.ts'
import { createOrderQueue } from './queue.ts'
import { queryRenewals } from './renewal.ts'
import { createFindingsReader, createStatusReader } from './status.ts'
import { createCertificateStore } from './store.ts'

export interface CertificatesOptions {
  readonly tables: Tables
  readonly writer: Pick<Writer, 'write'>
  readonly announcements: Pick<Announcements, 'declare'>
  readonly clock: Clock
  readonly log: Log
  /** Absolute path of the directory of keys and certificates; it is created with the first file. */
  readonly filesDirectory: string
  readonly acmeDirectory: string
  readonly acmeEmail?: string | undefined
  readonly acmeEab?: EabCredentials | undefined
  /** From 0 to 1; for tests. */
  readonly random?: () => number
}

/** The certificate authority, as its directory and the account at it describe it. */
export interface Authority {
  readonly termsOfService: string | undefined
  /** The names that CAA records must allow; empty if the authority has not been contacted or publishes none. */
  readonly caaIdentities: readonly string[]
  /** The URL of the account, for the CAA parameter `accounturi`. */
  readonly accountUri: string | undefined
}

/** The names that get certificates, with the checks and the history of their owners. */
export interface CertificateNames extends NameOwner {
  readonly wanted: WantedNames
}

export type Certificates = ReturnType<typeof createCertificates>

/** The names are compared with the wanted ones after `wake`, and this often. */
const reconcileMs = 60_000
/** A queue in which nothing could be started is looked at again after this time. */
const idleMs = 5_000
const hourMs = 3_600_000

export function createCertificates(options: CertificatesOptions) {
  const { tables, writer, clock, log, acmeDirectory } = options
  const store = createCertificateStore(tables, options.announcements.declare)
  const lifetime = new AbortController()
  const authorityClock = createAuthorityClock(clock)
  const transport = createTransport({ clock, onDate: authorityClock.observe })
  const client = createAcmeClient(acmeDirectory, transport, clock)
  const files = createKeyFiles(options.filesDirectory)
  const served = createServed()
  const { acmeEmail: email, acmeEab: eab } = options
  const accounts = createAccounts({ client, store, writer, files, clock, email, eab, lifetime: lifetime.signal })
  const shared = { client, store, writer, files, clock, log, served, accounts, authorityClock }
  const queue = createOrderQueue(shared)
  /** Names that were removed or have moved to another account since the last comparison with the wanted ones. */
  const released = new Set<string>()
  let isWoken = true
  let reconciledMs = Number.NEGATIVE_INFINITY
  let startedMs = Number.NEGATIVE_INFINITY
  let wasClockWrong = false

  async function tick({ wanted, ...owner }: CertificateNames): Promise<void> {
    const nowMs = clock.monotonic()
    const isReconciled = !isWoken && nowMs - reconciledMs < reconcileMs
    if (isReconciled && nowMs - startedMs < idleMs) return
    isWoken = false
    if (!isReconciled) {
      const names = new Set(released)
      await reconcile({ ...shared, wanted, abort: queue.abort }, names)
      for (const name of names) released.delete(name)
      reconciledMs = nowMs
    }
    startedMs = nowMs
    queue.start(owner)
  }

  async function housekeeping(): Promise<void> {
    const nowMs = authorityClock.now()
    const unwanted = store.expired(nowMs)
    await writer.write(() => {
      for (const { hostname } of unwanted) store.remove(hostname)
      store.removeOldOrders(clock.now())
      store.removeLimits(clock.now())
    })
    for (const { file } of unwanted) if (file !== null) await files.remove(file)
  }

  async function checkClock(signal: AbortSignal): Promise<void> {
    if (authorityClock.needsMeasuring()) await client.get(acmeDirectory, signal).catch(() => {})
    const wrongByMs = authorityClock.wrongByMs()
    if ((wrongByMs !== undefined) === wasClockWrong) return
    wasClockWrong = wrongByMs !== undefined
    const fields = { authority: hostOf(acmeDirectory), seconds: Math.round((wrongByMs ?? 0) / 1000) }
    if (wasClockWrong) log.error("clock_wrong: this machine's clock differs from the authority's: set it", fields)
    else log.info("this machine's clock agrees with the authority's again", fields)
  }

  const jobs = (names: CertificateNames): readonly Job[] => [
    { name: 'order certificates', everyMs: 1_000, run: () => tick(names) },
    {
      name: 'query renewal information',
      everyMs: 60_000,
      async run(signal) {
        await queryRenewals({ client, store, writer, clock, random: options.random ?? Math.random }, signal)
        await checkClock(signal)
      },
    },
    { name: 'delete old certificates', everyMs: hourMs, run: housekeeping },
  ]

  return {
    /** What orders and renews the certificates of `names`. */
    jobs,
    /** Reads the certificates from disk. To be called before the listeners start and before the jobs. */
    async open(): Promise<void> {
      await files.sweep(store.files()).catch((error) => {
        log.warn('the unused files of certificates could not be deleted', { error })
      })
      const all = store.all()
      // An outage may have ended meanwhile, or options been corrected that the authority rejects.
      if (all.some(({ problem }) => problem?.source === 'unavailable' || problem?.source === 'account')) {
        await writer.write(() => store.retryShared(clock.now()))
      }
      const rows = all.filter(({ file, removedAt }) => file !== null && removedAt === null)
      await serve(shared, rows, ({ hostname }, error) => {
        log.error('a certificate is not in use until the next start: correct the reason', { hostname, error })
      })
    },
    /** The wanted names have changed: they are looked at within a second. */
    wake(): void {
      isWoken = true
    },
    /** A name was removed, or belongs to another account: its certificate and its challenge are out of use at once. */
    release(hostname: string): void {
      released.add(hostname)
      served.remove([hostname])
      isWoken = true
    },
    /**
     * Tries a name again at once, unless the authority has set a limit: its owner has corrected something. `present`:
     * the codes of the findings of a check that has just been made.
     */
    async retry(hostname: string, present: readonly string[]): Promise<void> {
      const row = store.find(hostname)
      if (row?.nextAttemptAt == null) return
      await writer.write(() => store.change(hostname, retryNow(row, present)))
      isWoken = true
    },
    certificateOf: createStatusReader({ store, acmeDirectory, clock }, queue.waitingBefore),
    findingsOf: createFindingsReader({ store, acmeDirectory, clock }, authorityClock.wrongByMs),
    /** The key authorization for a challenge of an open order for this very name. */
    challengeResponse(hostname: string, token: string): string | undefined {
      if (!/^[A-Za-z0-9_-]{16,500}$/.test(token) || released.has(hostname)) return undefined
      return store.keyAuthorization(hostname.toLowerCase(), token)
    },
    usable: served.usable,
    /** The certificate of a name that is in use; the same object until it changes. */
    findUsable: served.find,
    /** The authority as it was last reached, also while it can't be. */
    authority(): Authority {
      const row = store.account(acmeDirectory)
      const meta = client.lastDirectory()?.meta
      return {
        termsOfService: meta?.termsOfService ?? row?.termsOfService ?? undefined,
        caaIdentities: meta?.caaIdentities ?? row?.caaIdentities ?? [],
        accountUri: row?.url ?? undefined,
      }
    },
    /** Fetches what `authority` returns. Throws `AcmeProblem` or `AcmeUnavailable` if that fails. */
    async fetchAuthority(signal: AbortSignal): Promise<Omit<Authority, 'accountUri'>> {
      const { meta } = await client.directory(signal)
      return { termsOfService: meta?.termsOfService, caaIdentities: meta?.caaIdentities ?? [] }
    },
    /** By how much this machine's clock is ahead of the authority's, in milliseconds; undefined if it is not wrong. */
    clockWrongByMs: authorityClock.wrongByMs,
    /** Attempts by outcome since the start. */
    outcomes: queue.counts,
    counts: store.counts,
    expiringFirst: store.expiringFirst,
    /** Resolves when no order is running. */
    settled: queue.settled,
    /** Ends the running orders; they go on at the next start. */
    close(): Promise<void> {
      lifetime.abort()
      return queue.close()
    },
  }
}
