/**
 * Determines how a request reached the dashboard: over HTTPS, from this machine, or over plain HTTP through a network,
 * where others could read the password. It also derives the origin of our own pages, from which a change must come.
 */

import { DashboardError } from '../access/owner/error.ts'
import type { ClientNetworks } from '../api/client-networks.ts'
import { contextOf } from '../api/context.ts'
import { reservedUse } from '../dns/wire/global-address.ts'
import { customerNetwork } from '../lib/network.ts'

export const connectionKinds = ['https', 'this_machine', 'private_network', 'public', 'unknown_proxy'] as const
/** The last two are too dangerous for a password or a session. */
export type ConnectionKind = (typeof connectionKinds)[number]

export interface Connection {
  readonly kind: ConnectionKind
  /** The origin of our pages as the browser sees it, such as `https://api.shop.example`. */
  readonly origin: string
  /** The client's address: an IPv4 address, or the /64 of an IPv6 address. */
  readonly network: string
  /** The port of the `Host` header: it leads to the listener on the computer of the store. */
  readonly port: number
}

/** The warning of the sign-in page about a connection; null if it is safe. */
export function warningOf({ kind, origin, port }: Connection): string | null {
  if (kind === 'https' || kind === 'this_machine') return null
  return kind === 'public' ? publicWarning(origin, port) : warnings[kind]
}

function publicWarning(origin: string, port: number): string {
  // Other programs of the owner's computer may not listen below port 1024.
  const local = port < 1024 ? 8080 : port
  return `Signing in is not possible over plain HTTP from a public address, because others could read your password. Use HTTPS (petstore serve --platform-domain, or a proxy with --trusted-proxy), or an SSH tunnel: ssh -L ${local}:127.0.0.1:${port} USER@SERVER, then open the same address or set-up link with http://127.0.0.1:${local} instead of ${origin}.`
}

const warnings = {
  private_network:
    'This connection is not encrypted: others on this network could read your password. Use HTTPS or an SSH tunnel where you do not trust the network.',
  unknown_proxy:
    'Signing in is not possible through this proxy, because petstore does not know it. Start petstore with --trusted-proxy and the address of the proxy, and let the proxy send X-Forwarded-Proto: https.',
}

const forwardingHeaders = ['forwarded', 'x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host', 'x-real-ip', 'via']

/** Describes the connection of a request. A request that no listener received counts as public. */
export function connectionOf(request: Request, networks: ClientNetworks): Connection {
  const { headers } = request
  const context = contextOf(request)
  const from = networks.origin(request, context?.peer)
  const isForwarded = from?.isForwarded ?? false
  const host = headers.get('host') ?? ''
  const isHttps = networks.isHttps(request, context?.peer, context?.isSecure === true)
  const origin = originOf(isHttps ? 'https' : 'http', host)
  return {
    kind: isHttps ? 'https' : plainKind(),
    origin,
    network: from ? customerNetwork(from.client) : 'unknown',
    port: portOf(host),
  }

  function plainKind(): ConnectionKind {
    if (!from) return 'public'
    if (!isForwarded && (forwardingHeaders.some((name) => headers.has(name)) || hasOtherHost())) return 'unknown_proxy'
    return worse(reachOf(from.client.toString()), hostReach(host))
  }

  /**
   * Whether a proxy has replaced the Host: the browser sent this request from our own page, which has another origin.
   */
  function hasOtherHost(): boolean {
    const sender = headers.get('origin')
    return headers.get('sec-fetch-site') === 'same-origin' && sender !== null && sender.toLowerCase() !== origin
  }
}

/** Throws `https_required` for a connection that must not carry a password or a session. */
export function assertSafe(connection: Connection): void {
  if (connection.kind === 'public' || connection.kind === 'unknown_proxy') {
    throw new DashboardError('https_required', warningOf(connection) ?? '')
  }
}

/**
 * Throws `cross_site_request` unless a page of our own origin sent the request. The sites of tenants are same-site with
 * the dashboard, so browsers send them its cookie whatever its SameSite attribute is: `same-site` is rejected too.
 * A browser that sends no `Sec-Fetch-Site` sends `Origin` with each change. Scripts without a cookie gain nothing by
 * forging.
 */
export function assertSameOrigin({ headers }: Request, { origin }: Connection, isChange: boolean): void {
  const site = headers.get('sec-fetch-site')
  // `none`: opened from the address bar.
  if (site !== null && (site === 'same-origin' || (site === 'none' && !isChange))) return
  const sender = headers.get('origin')
  if (site === null && (sender === null ? !isChange : sender.toLowerCase() === origin)) return
  throw new DashboardError('cross_site_request', 'This request does not come from a page of the dashboard.')
}

/** The origin as browsers write it: in lower case, without the default port. */
function originOf(scheme: string, host: string): string {
  const url = `${scheme}://${host}`
  return URL.canParse(url) ? new URL(url).origin : 'null'
}

/** The port of a `Host` header of plain HTTP. */
function portOf(host: string): number {
  const url = `http://${host}`
  return Number((URL.canParse(url) ? new URL(url).port : '') || 80)
}

type Reach = Extract<ConnectionKind, 'this_machine' | 'private_network' | 'public'>

function worse(a: Reach, b: Reach): Reach {
  return connectionKinds.indexOf(a) > connectionKinds.indexOf(b) ? a : b
}

function reachOf(address: string): Reach {
  const use = reservedUse(address)
  if (use === undefined) return 'public'
  return use === 'loopback' ? 'this_machine' : 'private_network'
}

/** Names that do not exist in the public DNS: RFC 6761, RFC 6762, RFC 8375, and the names that routers use. */
const privateName = /^[^.]+$|\.(local|lan|home|internal|intranet|home\.arpa|test|localdomain|private)$/

function hostReach(header: string): Reach {
  const url = `http://${header}`
  const { hostname } = URL.canParse(url) ? new URL(url) : { hostname: '' }
  const name = hostname.replace(/\.$/, '')
  if (name === 'localhost' || name.endsWith('.localhost')) return 'this_machine'
  const address = name.replace(/^\[(.*)\]$/, '$1')
  if (reservedUse(address) !== 'not an address') return reachOf(address)
  return privateName.test(name) ? 'private_network' : 'public'
}
