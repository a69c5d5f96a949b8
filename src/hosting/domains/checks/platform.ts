/** The expectations that the domains of a service are compared with: its hosting options and public addresses. */

import { type HostingConfig, resolversOf } from '../../../config/hosting.ts'
import type { HttpProbe } from '../../../dns/http-probe.ts'
import type { CaaExpectation, CheckOptions } from '../../../dns/request.ts'
import { addressType } from '../../../dns/target.ts'
import { canonicalAddress } from '../../../dns/wire/global-address.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Log } from '../../../lib/log.ts'
import type { Job } from '../../../lib/scheduler.ts'

/** The expectations that every domain is compared with, and how servers are queried. */
export interface Platform {
  readonly platformDomain: string
  readonly sitesDomain: string
  /** The public addresses of this machine. */
  readonly publicAddresses: () => readonly string[]
  /** Looks the public addresses up if they are not known yet. */
  readonly learnAddresses: (signal: AbortSignal) => Promise<void>
  /** Those that records may have: a replaced address is accepted for an hour. */
  readonly acceptedAddresses: () => readonly string[]
  /** The certificate authority that CAA records must allow; undefined while it is unknown. */
  readonly caa: () => CaaExpectation | undefined
  readonly checkOptions: () => CheckOptions
  /** Undefined in the process of a command, where no service listens. */
  readonly probe?: HttpProbe | undefined
  /** Whether a hostname has a valid certificate; undefined if the service orders none. */
  readonly hasCertificate?: ((hostname: string) => boolean) | undefined
}

/** The platform, and the job that resolves its public addresses. */
export function createPlatform(
  parts: Parameters<typeof createPublicAddresses>[0] &
    Pick<Platform, 'probe' | 'hasCertificate'> & {
      readonly hosting: HostingConfig
      /** The authority as it is known; without it, that of the options. */
      readonly caa?: (() => CaaExpectation | undefined) | undefined
    },
): { readonly platform: Platform; readonly jobs: readonly Job[] } {
  const { hosting, checkOptions, caa, probe, hasCertificate } = parts
  const { platformDomain, sitesDomain, caaIdentities: identities } = hosting
  const fromOptions = identities.length > 0 ? { identities, method: 'http-01' } : undefined
  const addresses = createPublicAddresses(parts)
  const platform: Platform = {
    platformDomain,
    sitesDomain,
    publicAddresses: addresses.current,
    learnAddresses: addresses.learn,
    acceptedAddresses: addresses.accepted,
    caa: () => caa?.() ?? fromOptions,
    checkOptions,
    probe,
    hasCertificate,
  }
  return { platform, jobs: addresses.jobs }
}

/** How servers are queried by these options. */
export function queryOptions(hosting: HostingConfig): CheckOptions {
  return { resolvers: resolversOf(hosting), allowPrivateAddresses: hosting.allowPrivateAddresses }
}

const resolveEveryMs = 5 * 60_000
/** How long a replaced address is accepted. */
const acceptedMs = 60 * 60_000

/**
 * The addresses of this machine as the world sees them: given ones, or those of the platform domain, which are resolved
 * every five minutes. They are not known until both types have been looked up once. An address that was replaced stays
 * accepted for an hour, while caches still have it.
 */
export function createPublicAddresses(parts: {
  readonly hosting: Pick<HostingConfig, 'platformDomain' | 'publicAddresses'>
  readonly clock: Clock
  readonly log: Log
  readonly checkOptions: () => CheckOptions
}) {
  const { hosting, clock, log, checkOptions } = parts
  let current: readonly string[] = hosting.publicAddresses
  /** Replaced addresses, and the monotonic time until which they are accepted. */
  const replaced = new Map<string, number>()

  function replace(addresses: readonly string[]): void {
    const nowMs = clock.monotonic()
    for (const [address, untilMs] of replaced)
      if (untilMs <= nowMs || addresses.includes(address)) replaced.delete(address)
    for (const address of current) if (!addresses.includes(address)) replaced.set(address, nowMs + acceptedMs)
    if (addresses.join() !== current.join()) log.info('the public addresses are', { addresses: addresses.join(' ') })
    current = addresses
  }

  async function resolve(signal: AbortSignal): Promise<void> {
    const { findAddresses } = await import('../../../dns/platform.ts')
    const { A, AAAA } = await findAddresses(hosting.platformDomain, { ...checkOptions(), signal })
    if (signal.aborted) return
    // Records with an address that could not be looked up would seem wrong.
    if (current.length === 0 && !(A && AAAA)) return
    // Resolvers that fail are no reason to drop the addresses that are known.
    const kept = (type: string) => current.filter((address) => addressType(address) === type)
    const addresses = [...(A ?? kept('A')), ...(AAAA ?? kept('AAAA'))]
    if (addresses.length > 0) replace(addresses.map((address) => canonicalAddress(address) ?? address).toSorted())
  }

  let nextMs = Number.NEGATIVE_INFINITY
  const job: Job = {
    name: 'resolve the public addresses',
    everyMs: 1_000,
    idleMs: () => Math.max(0, nextMs - clock.monotonic()),
    async run(signal) {
      if (clock.monotonic() < nextMs) return
      nextMs = clock.monotonic() + resolveEveryMs
      await resolve(signal)
    },
  }

  return {
    /** Those that new records should have. */
    current: (): readonly string[] => current,
    /** Those that records may have: the current ones, and those replaced within the last hour. */
    accepted(): readonly string[] {
      const nowMs = clock.monotonic()
      return [...current, ...[...replaced].flatMap(([address, untilMs]) => (untilMs > nowMs ? [address] : []))]
    },
    /**
     * Looks them up if they are not known, as before the first run of the job, or in the process of a command, which
     * runs none.
     */
    async learn(signal: AbortSignal): Promise<void> {
      if (current.length === 0) await resolve(signal)
    },
    jobs: hosting.publicAddresses.length > 0 ? [] : [job],
  }
}

/** Once the records are right, and once they are not, they change seldom. */
const checkEveryMs = 60 * 60_000
/** The public addresses are resolved shortly after the start. */
const firstMs = 5_000

/**
 * A job that checks the platform's own records, without which no site works: logs each fault when it appears, and once
 * that all are corrected.
 */
export function createPlatformCheck(parts: {
  readonly hosting: Pick<HostingConfig, 'platformDomain' | 'sitesDomain'>
  readonly platform: Platform | undefined
  readonly clock: Pick<Clock, 'monotonic'>
  readonly log: Log
}): Job {
  const { hosting, platform, clock, log } = parts
  const { platformDomain, sitesDomain } = hosting
  let reported = ''
  let nextMs = clock.monotonic() + firstMs

  return {
    name: 'check the records of the platform',
    everyMs: 1_000,
    idleMs: () => Math.max(0, nextMs - clock.monotonic()),
    async run(signal) {
      if (platform === undefined || clock.monotonic() < nextMs) return
      nextMs = clock.monotonic() + checkEveryMs
      const addresses = platform.publicAddresses()
      if (addresses.length === 0) {
        log.warn(
          `the public addresses of this machine are not known: ${platformDomain} has none, or the lookup of A or AAAA fails. Point ${platformDomain}, *.${sitesDomain} and *.edge.${platformDomain} at this machine, or give --public-address`,
        )
        nextMs = clock.monotonic() + checkEveryMs / 12
        return
      }
      const { checkPlatform } = await import('../../../dns/platform.ts')
      const options = { ...platform.checkOptions(), signal }
      const findings = await checkPlatform(platformDomain, addresses, options, sitesDomain)
      if (signal.aborted) return
      const messages = findings.map(({ message }) => message).join()
      if (messages === reported) return
      for (const { message, fix } of findings) log.warn(`${message} ${fix}`)
      if (findings.length === 0) log.info('the records of the platform lead here', { platformDomain })
      reported = messages
    },
  }
}
