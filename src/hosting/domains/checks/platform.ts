/** The expectations that the domains of a service are compared with, from its hosting options. */

import { type HostingConfig, resolversOf } from '../../../config/hosting.ts'
import type { HttpProbe } from '../../../dns/http-probe.ts'
import type { CaaExpectation, CheckOptions } from '../../../dns/request.ts'

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

export interface PlatformOptions extends Omit<Platform, 'platformDomain' | 'sitesDomain' | 'caa'> {
  /** The authority as it is known; without it, that of the options. */
  readonly caa?: (() => CaaExpectation | undefined) | undefined
}

export function createPlatform(hosting: HostingConfig, { caa, ...options }: PlatformOptions): Platform {
  const { platformDomain, sitesDomain, caaIdentities: identities } = hosting
  const fromOptions = identities.length > 0 ? { identities, method: 'http-01' } : undefined
  return { ...options, platformDomain, sitesDomain, caa: () => caa?.() ?? fromOptions }
}

/** How servers are queried by these options. */
export function queryOptions(hosting: HostingConfig): CheckOptions {
  return { resolvers: resolversOf(hosting), allowPrivateAddresses: hosting.allowPrivateAddresses }
}
