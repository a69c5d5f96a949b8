/**
 * The public listeners: HTTP and, unless a proxy ends TLS, HTTPS. Each has a front; they share the inner servers.
 */

import type { Hosts } from '../api/host.ts'
import type { Network } from '../lib/network.ts'
import { schedule } from '../lib/scheduler.ts'
import { codeOf } from '../lib/system-error.ts'
import { createFront, type Front, type FrontCounts } from './front/front.ts'
import { createInnerServers } from './front/inner-servers.ts'
import { createConnectionLimits } from './front/limits.ts'
import { createTlsOpening } from './front/tls.ts'
import type { HandlerParts } from './handle.ts'

/** The address and ports to listen on. */
export interface PublicPorts {
  /** `::` is IPv4 and IPv6. */
  readonly publicHost: string
  readonly httpPort: number
  /** `off` if a proxy ends TLS. */
  readonly httpsPort: number | 'off'
}

export interface PublicListenersOptions extends HandlerParts, PublicPorts {
  readonly hosts: Hosts
  /** Proxies, whose addresses have no limit of connections. */
  readonly trustedProxies: readonly Network[]
  /** Directory of the unix sockets; it is created and removed. */
  readonly socketDirectory: string
  /**
   * Whether the site of a name needs the addresses of its clients over HTTPS. Over plain HTTP it always has them.
   */
  readonly needsAddresses: (name: string) => boolean
}

/** The connections of the public listeners. */
export interface PublicConnections {
  /** Open now, of all listeners. */
  readonly open: number
  readonly http: FrontCounts
  /** Undefined if a proxy ends TLS. */
  readonly https: FrontCounts | undefined
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

/** Connections of all clients together. Each needs up to four file descriptors. */
const connectionsInAll = 4_000

/** How long the last bytes of responses may take when the listeners stop, in milliseconds. */
const flushMs = 2_000

/** The name of the inner servers of HTTP, where the Host selects the site. */
const inClear = ''

/** Starts the listeners. Throws `ListenError` if a port can't be used. */
export function startPublicListeners(options: PublicListenersOptions): PublicListeners {
  const { hosts, publicHost, httpPort, httpsPort, log, clock, observe } = options
  const limits = createConnectionLimits({
    total: connectionsInAll,
    perNetwork: connectionsPerNetwork,
    exempt: options.trustedProxies,
  })
  const handler: HandlerParts = { log, clock, observe }
  const servers = createInnerServers({
    handlerOf: (name) =>
      name === inClear
        ? { ...handler, respond: hosts.respondInClear }
        : { ...handler, respond: (request, host) => hosts.respondOverHttps(request, name, host), isSecure: true },
    needsAddresses: (name) => name === inClear || options.needsAddresses(name),
    socketDirectory: options.socketDirectory,
    clock,
    log,
  })
  const isServed = (name: string) => name === inClear || hosts.certificate(name) !== undefined
  const openTls = createTlsOpening({
    certificateOf: hosts.certificate,
    target: (name, client) => (isServed(name) ? servers.target(name, client) : undefined),
    log,
  })

  const createHttp = (hostname: string): Front => {
    const target = (client: string) => servers.target(inClear, client)
    return createFront({ limits, clock, hostname, port: httpPort, open: () => ({ target }) })
  }
  const createHttps = (hostname: string, port: number): Front =>
    createFront({ limits, clock, hostname, port, open: openTls })

  const fronts: Front[] = []
  let host = publicHost
  try {
    host = listenOn(host, httpPort, 'http-port', (hostname) => fronts.push(createHttp(hostname)))
    if (httpsPort !== 'off') {
      listenOn(host, httpsPort, 'https-port', (hostname) => fronts.push(createHttps(hostname, httpsPort)))
    }
  } catch (error) {
    for (const front of fronts) front.close()
    void servers.stop()
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
    update: () => servers.endExcept(isServed),
    async stop() {
      for (const front of fronts) front.stopAccepting()
      await jobs.stop()
      await servers.stop()
      const flushed = Promise.withResolvers<void>()
      const cancel = clock.after(flushMs, flushed.resolve)
      await Promise.race([Promise.all(fronts.map((front) => front.whenEmpty())), flushed.promise])
      cancel()
      for (const front of fronts) front.close()
    },
  }
}

/** Throws `ListenError` as a start of the listeners would if a port can't be used. Leaves nothing open. */
export function tryPublicPorts({ publicHost, httpPort, httpsPort }: PublicPorts): void {
  const opened: { stop(closeActive: boolean): void }[] = []
  const open = (port: number) => (hostname: string) =>
    void opened.push(Bun.listen({ hostname, port, socket: { data() {} } }))
  try {
    const host = listenOn(publicHost, httpPort, 'http-port', open(httpPort))
    if (httpsPort !== 'off') listenOn(host, httpsPort, 'https-port', open(httpsPort))
  } finally {
    for (const listener of opened) listener.stop(true)
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
  return ['EAFNOSUPPORT', 'EADDRNOTAVAIL', 'EINVAL', 'EPROTONOSUPPORT'].includes(codeOf(cause))
}
