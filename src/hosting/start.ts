/** Starts hosting: the public listeners with the sites, domains and certificates of a running store. */

import type { App } from '../app/app-parts.ts'
import type { HostingConfig } from '../config/hosting.ts'
import { contains, type Network, parseAddress } from '../lib/network.ts'
import { schedule } from '../lib/scheduler.ts'
import type { HandlerParts, Site } from '../server/handle.ts'
import { type PublicListeners, startPublicListeners } from '../server/public-listeners.ts'
import { type CertificateSource, createCertificatesInUse } from './certificates/in-use.ts'
import { createPlatformCertificate } from './certificates/platform-certificate.ts'
import { createHosts } from './hosts.ts'
import { createPlatformCheck } from './platform-check.ts'
import { createPublicSites } from './public-sites.ts'

export type HostingApp = Pick<
  App,
  'hostingParts' | 'domainHosting' | 'projects' | 'sites' | 'announcements' | 'log' | 'clock'
>

export interface HostingOptions {
  readonly hosting: HostingConfig
  readonly trustedProxies: readonly Network[]
  /** The API and its pages. */
  readonly platform: Site
  readonly handler: HandlerParts
}

export type Hosting = Omit<PublicListeners, 'update'>

const noCertificates: CertificateSource = { usable: () => [], subscribe: () => () => {} }

/**
 * Throws `ListenError` if a port can't be used, and `storage_unavailable` if the platform's certificate can't. To be
 * stopped before the app is closed.
 */
export async function startHosting(app: HostingApp, options: HostingOptions): Promise<Hosting> {
  const { hosting, trustedProxies, platform, handler } = options
  const { hostingParts, domainHosting, projects, sites, announcements, log, clock } = app
  const { certificates, directories } = hostingParts
  if (!directories) throw new Error('hosting is off')
  let listeners: PublicListeners | undefined
  const onChange = () => listeners?.update()

  const find = createHosts({
    ...hosting,
    platform,
    projects,
    routes: domainHosting.routes,
    siteOfProject: sites.siteOfProject,
    announcements,
    clock,
    onChange,
  })
  const inUse = createCertificatesInUse(certificates ?? noCertificates, onChange)
  const { platformCert, platformKey } = hosting
  const platformCertificate =
    platformCert !== undefined && platformKey !== undefined
      ? createPlatformCertificate({
          platformCert,
          platformKey,
          log,
          use(wildcard) {
            inUse.setWildcard(wildcard)
            certificates?.setCovered(wildcard.covers)
          },
        })
      : undefined
  await platformCertificate?.open()
  await certificates?.open()
  const isProxied = hosting.httpsPort === 'off'
  const publicSites = createPublicSites({
    find,
    hasHttps: (name) => isProxied || inUse.find(name) !== undefined,
    httpsPort: () => listeners?.httpsPort ?? 443,
    challengeResponse: (name, token) => certificates?.challengeResponse(name, token),
    probeText: hostingParts.probeText,
    isTrusted(address) {
      const parsed = parseAddress(address)
      return parsed !== undefined && trustedProxies.some((network) => contains(network, parsed))
    },
  })
  const started = startPublicListeners({
    ...handler,
    hosting,
    trustedProxies,
    socketDirectory: directories.sockets,
    plainSiteOf: isProxied ? publicSites.proxied : publicSites.plain,
    secureSiteOf: publicSites.secure,
    certificateOf: inUse.find,
  })
  listeners = started
  hostingParts.connections = started.connections
  const platformCheck = createPlatformCheck({ hosting, platform: domainHosting.platform, clock, log })
  const jobs = schedule([platformCheck, ...(platformCertificate ? [platformCertificate.job] : [])], clock, log)
  return {
    ...started,
    async stop() {
      await Promise.all([jobs.stop(), started.stop()])
    },
  }
}
