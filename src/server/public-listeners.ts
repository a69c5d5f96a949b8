/** The public listeners: HTTP and, unless a proxy ends TLS, HTTPS. Each is a front with inner servers of its own. */

import { readFileSync } from 'node:fs'
import type { HostingConfig } from '../config/hosting.ts'
import { badRequestPage, methodNotAllowedPage, misdirectedPage } from '../hosting/sites/pages.ts'
import type { Network } from '../lib/network.ts'
import { schedule } from '../lib/scheduler.ts'
import { createFront, type Front, type PublicConnections } from './front/front.ts'
import { createInnerServer } from './front/inner.ts'
import { createInnerServers } from './front/inner-servers.ts'
import { createConnectionLimits } from './front/limits.ts'
import { createSocketDirectory } from './front/sockets.ts'
import { createSecureContexts } from './front/tls/contexts.ts'
import { createTlsOpening } from './front/tls/opening.ts'
import type { Certificate } from './front/tls/secure.ts'
import type { HandlerParts, Site } from './handle.ts'

export interface PublicListenersOptions extends HandlerParts {
  readonly hosting: Pick<HostingConfig, 'publicHost' | 'httpPort' | 'httpsPort' | 'platformDomain'>
  /** Their addresses have no limit of connections. */
  readonly trustedProxies: readonly Network[]
  /** Directory of the unix sockets; it is created and removed. */
  readonly socketDirectory: string
  /** The site for a request to the HTTP port. */
  readonly plainSiteOf: (host: string | undefined, request: Request) => Site
  /** The site of a name over HTTPS. */
  readonly secureSiteOf: (name: string) => Site | undefined
  readonly certificateOf: (name: string) => Certificate | undefined
}

export interface PublicListeners {
  /** The address that they listen on. */
  readonly host: string
  readonly httpPort: number
  /** Undefined if a proxy ends TLS. */
  readonly httpsPort: number | undefined
  readonly connections: () => PublicConnections
  /** To be called when sites or certificates have changed. */
  update(): void
  /** Stops accepting, waits for the requests in flight, then closes the connections that are left. */
  stop(): Promise<void>
}

/** A failure to listen, with the option that chooses the port. */
export class ListenError extends Error {
  override readonly name = 'ListenError'
  readonly host: string
  readonly port: number
  readonly option: 'http-port' | 'https-port'

  constructor(host: string, port: number, option: 'http-port' | 'https-port', cause: unknown) {
    super(`can't listen on port ${port}`, { cause })
    this.host = host
    this.port = port
    this.option = option
  }
}

/** Browsers open six connections to a host; whole offices and mobile networks share an address. */
const connectionsPerNetwork = 256

/** Connections of all clients together, if there are descriptors enough: each needs three. */
const connectionsInAll = 5_000
const descriptorsOfConnection = 3
/** Inner servers without connections that are kept, if there are descriptors enough. */
const keptServers = 256
/** Descriptors for everything else. */
const otherDescriptors = 200

/** How long the last bytes of responses may take when the listeners stop, in milliseconds. */
const flushMs = 2_000

const misdirected: Site = () => misdirectedPage()
const badRequest: Site = () => badRequestPage()
const methodNotAllowed: Site = () => methodNotAllowedPage()

/** CONNECT is for proxies. Its target is an authority, so its URL has neither a path nor the Host. */
function withoutConnect(siteOf: PublicListenersOptions['plainSiteOf']): PublicListenersOptions['plainSiteOf'] {
  return (host, request) => (request.method === 'CONNECT' ? methodNotAllowed : siteOf(host, request))
}

/** Starts the listeners. Throws `ListenError` if a port can't be used. */
export function startPublicListeners(options: PublicListenersOptions): PublicListeners {
  const { hosting, log, clock, observe, beforeRequest } = options
  const sockets = createSocketDirectory(options.socketDirectory)
  const descriptors = shareDescriptors()
  const limits = createConnectionLimits({
    total: descriptors.connections,
    perNetwork: connectionsPerNetwork,
    exempt: options.trustedProxies,
  })
  const parts = { log, clock, observe, beforeRequest }
  const { plainSiteOf, secureSiteOf, certificateOf } = options
  const isServed = (name: string) => secureSiteOf(name) !== undefined
  const servers = { keptServers: descriptors.servers, nextSocketPath: sockets.next, log }
  // In the clear, the Host selects the site: all connections have the same inner server.
  const plain = createInnerServers({
    ...servers,
    start: (_, place) => createInnerServer({ ...parts, place, siteOf: withoutConnect(plainSiteOf) }),
    // The API limits rejected requests by address; behind a proxy the address decides whether its headers count.
    needsAddresses: () => true,
  })
  const secure = createInnerServers({
    ...servers,
    start(name, place) {
      const siteOf = (host: string | undefined) =>
        host === undefined ? badRequest : ((host === name ? secureSiteOf(name) : undefined) ?? misdirected)
      return createInnerServer({ ...parts, place, siteOf: withoutConnect(siteOf), isSecure: true })
    },
    needsAddresses: (name) => log.isDebug || name === `api.${hosting.platformDomain}`,
  })
  const contexts = createSecureContexts(certificateOf, log)
  const openTls = createTlsOpening({
    contextOf: (name) => (isServed(name) ? contexts.find(name) : undefined),
    target: (name, client) => (isServed(name) ? secure.target(name, client) : undefined),
  })
  const common = { limits, clock }

  const createHttp = (hostname: string): Front => {
    const target = (client: string) => plain.target('', client)
    return createFront({ ...common, hostname, port: hosting.httpPort, open: () => ({ target }) })
  }
  const createHttps = (hostname: string, port: number): Front =>
    createFront({ ...common, hostname, port, open: openTls })

  const fronts: Front[] = []
  let host = hosting.publicHost
  try {
    host = listenOn(host, hosting.httpPort, 'http-port', (hostname) => fronts.push(createHttp(hostname)))
    const { httpsPort } = hosting
    if (httpsPort !== 'off') {
      listenOn(host, httpsPort, 'https-port', (hostname) => fronts.push(createHttps(hostname, httpsPort)))
    }
  } catch (error) {
    for (const front of fronts) front.close()
    sockets.remove()
    throw error
  }
  const jobs = schedule(
    fronts.map(({ job }) => job),
    clock,
    log,
  )
  const [http, https] = fronts as [Front, Front | undefined]

  return {
    host,
    httpPort: http.port,
    httpsPort: https?.port,
    connections: () => ({ http: http.counts, https: https?.counts, open: limits.open }),
    update: () => secure.endExcept(isServed),
    async stop() {
      for (const front of fronts) front.stopAccepting()
      await jobs.stop()
      await Promise.all([plain.stop(), secure.stop()])
      const flushed = Promise.withResolvers<void>()
      const cancel = clock.after(flushMs, flushed.resolve)
      await Promise.race([Promise.all(fronts.map((front) => front.whenEmpty())), flushed.promise])
      cancel()
      for (const front of fronts) front.close()
      sockets.remove()
    },
  }
}

/** Throws `ListenError` as a start of the listeners would if a port can't be used. Leaves nothing open. */
export function tryPublicPorts({
  publicHost,
  httpPort,
  httpsPort,
}: Pick<HostingConfig, 'publicHost' | 'httpPort' | 'httpsPort'>): void {
  const opened: { stop(closeActive: boolean): void }[] = []
  const open = (port: number) => (hostname: string) =>
    void opened.push(Bun.listen({ hostname, port, socket: { data() {} } }))
  try {
    const host = listenOn(publicHost, httpPort, 'http-port', open(httpPort))
    if (httpsPort !== 'off') listenOn(host, httpsPort, 'https-port', open(httpsPort))
  } finally {
    for (const one of opened) one.stop(true)
  }
}

/** On Linux as many as the limit of open files allows. Without descriptors Bun would try to accept in a loop. */
function shareDescriptors(): { readonly connections: number; readonly servers: number } {
  const files = openFiles()
  const servers = Math.max(8, Math.min(keptServers, Math.floor(files / 16)))
  // In the clear and over HTTPS.
  const possible = Math.floor((files - otherDescriptors - 2 * servers) / descriptorsOfConnection)
  return { connections: Math.max(10, Math.min(connectionsInAll, possible)), servers }
}

function openFiles(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8')
    return Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

/** Listens on IPv4 alone where the machine has no IPv6. Returns the address in use. */
function listenOn(
  host: string,
  port: number,
  option: ListenError['option'],
  listen: (hostname: string) => void,
): string {
  try {
    listen(host)
    return host
  } catch (cause) {
    if (host !== '::' || !isWithoutIpv6(cause)) throw new ListenError(host, port, option, cause)
    return listenOn('0.0.0.0', port, option, listen)
  }
}

function isWithoutIpv6(cause: unknown): boolean {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  return ['EAFNOSUPPORT', 'EADDRNOTAVAIL', 'EINVAL', 'EPROTONOSUPPORT'].includes(code)
}
