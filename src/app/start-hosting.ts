/** Starts hosting: the public listeners with the sites, domains and certificates of a running store. */

import type { Certificate, Site } from '../api/host.ts'
import type { HostingConfig } from '../config/hosting.ts'
import { createPlatformCertificate, type Wildcard } from '../hosting/certificates/platform-certificate.ts'
import { createPlatformCheck } from '../hosting/domains/checks/platform.ts'
import { createHosts } from '../hosting/hosts.ts'
import { contains, type Network, parseAddress } from '../lib/network.ts'
import { schedule } from '../lib/scheduler.ts'
import type { HandlerParts } from '../server/handle.ts'
import { type PublicListeners, startPublicListeners } from '../server/public-listeners.ts'
import type { App } from './app-parts.ts'

export type HostingApp = Pick<
  App,
  'hostingParts' | 'domainHosting' | 'projects' | 'domains' | 'sites' | 'announcements' | 'listening' | 'log' | 'clock'
>

export interface HostingOptions {
  readonly hosting: HostingConfig
  readonly trustedProxies: readonly Network[]
  /** The API and its pages. */
  readonly platform: Site
  readonly handler: HandlerParts
}

export type Hosting = Omit<PublicListeners, 'update'>

/**
 * Throws `ListenError` if a port can't be used, and `storage_unavailable` if the platform's certificate can't. To be
 * stopped before the app is closed.
 */
export async function startHosting(app: HostingApp, options: HostingOptions): Promise<Hosting> {
  const { hosting, trustedProxies, platform, handler } = options
  const { hostingParts, domainHosting, sites, announcements, log, clock } = app
  const { certificates, directories, probeText } = hostingParts
  if (!directories) throw new Error('hosting is off')

  const { platformCert, platformKey } = hosting
  let wildcard: Wildcard | undefined
  const platformCertificate =
    platformCert !== undefined && platformKey !== undefined
      ? createPlatformCertificate({
          platformCert,
          platformKey,
          log,
          use(next) {
            wildcard = next
            certificates?.setCovered(next.covers)
          },
        })
      : undefined
  await platformCertificate?.open()
  await certificates?.open()

  /** A name's own certificate takes precedence over the wildcard certificate. */
  function certificateOf(name: string): Certificate | undefined {
    return certificates?.findUsable(name) ?? (wildcard?.covers(name) ? wildcard : undefined)
  }

  const hosts = createHosts({
    platformDomain: hosting.platformDomain,
    sitesDomain: hosting.sitesDomain,
    isProxied: hosting.httpsPort === 'off' && !hosting.isLocal,
    isLocal: hosting.isLocal ?? false,
    httpsPort: () => listeners.httpsPort ?? 443,
    platform,
    sites,
    routes: domainHosting.routes,
    certificateOf,
    challengeResponse: (name, token) => certificates?.challengeResponse(name, token),
    probeText,
    isTrusted(address) {
      const parsed = parseAddress(address)
      return parsed !== undefined && trustedProxies.some((network) => contains(network, parsed))
    },
  })
  const listeners = startPublicListeners({
    ...handler,
    hosts,
    publicHost: hosting.publicHost,
    httpPort: hosting.httpPort,
    httpsPort: hosting.httpsPort,
    trustedProxies,
    socketDirectory: directories.sockets,
    // The API limits rejected requests by address.
    needsAddresses: (name) => log.isDebug || name === `api.${hosting.platformDomain}`,
  })
  app.listening.connections = listeners.connections
  const { host, httpPort, httpsPort } = listeners
  app.listening.ports = [
    ...app.listening.ports,
    { host, port: httpPort, use: 'HTTP' },
    ...(httpsPort === undefined ? [] : [{ host, port: httpsPort, use: 'HTTPS' } as const]),
  ]
  // The routes have subscribed first, so they are up to date by then.
  const unsubscribe = announcements.subscribe(['projects', 'routing', 'certificates'], listeners.update)
  const { platform: names } = domainHosting
  const platformCheck = names ? [createPlatformCheck({ hosting, platform: names, clock, log })] : []
  const jobs = schedule([...platformCheck, ...(platformCertificate ? [platformCertificate.job] : [])], clock, log)
  return {
    ...listeners,
    async stop() {
      unsubscribe()
      await Promise.all([jobs.stop(), listeners.stop()])
    },
  }
}
