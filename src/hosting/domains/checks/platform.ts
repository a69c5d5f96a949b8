/** The expectations that the domains of a service are compared with, from its hosting options. */

import { type HostingConfig, resolversOf } from '../../../config/hosting.ts'
import { checkHere, type DomainCheck } from '../../../dns/checker/start.ts'
import type { CaaExpectation, CheckOptions } from '../../../dns/request.ts'
import type { Platform } from './examine.ts'
import type { AddressProbe } from './probes.ts'

export interface PlatformOptions {
  /** Those that new records should have, and those that records may have. */
  readonly addresses: { current(): readonly string[]; accepted(): readonly string[] }
  readonly checkOptions: () => CheckOptions
  /** The identities that the certificate authority publishes; undefined while they are unknown. */
  readonly caa?: (() => CaaExpectation | undefined) | undefined
  /** Checks a name; by default in this process. */
  readonly check?: DomainCheck | undefined
  readonly probe?: AddressProbe | undefined
  readonly hasCertificate?: Platform['hasCertificate']
}

export function createPlatform(hosting: HostingConfig, options: PlatformOptions): Platform {
  const { addresses, checkOptions, caa, check = checkHere, probe, hasCertificate } = options
  const { platformDomain, sitesDomain, caaIdentities } = hosting
  const given = caaIdentities.length > 0 ? { identities: caaIdentities, method: 'http-01' } : undefined
  return {
    platformDomain,
    sitesDomain,
    publicAddresses: addresses.current,
    acceptedAddresses: addresses.accepted,
    caa: () => caa?.() ?? given,
    checkOptions,
    check,
    probe,
    hasCertificate,
  }
}

/** How servers are queried by these options. */
export function queryOptions(hosting: HostingConfig): CheckOptions {
  return { resolvers: resolversOf(hosting), allowPrivateAddresses: hosting.allowPrivateAddresses }
}
