/**
 * Finds the network of the client of a request: from the peer address, or from the address that a trusted proxy
 * reports.
 */

import {
  type Address,
  contains,
  customerNetwork,
  type Network,
  parseAddress,
  parseForwardedAddress,
} from '../lib/network.ts'

/** Returns the peer address of a request's connection. The server of `Bun.serve` implements it. */
export interface PeerSource {
  requestIP(request: Request): { readonly address: string } | null
}

/** Where a request comes from. */
export interface Origin {
  readonly client: Address
  /** Whether the peer is a trusted proxy, so that its forwarding headers count. */
  readonly isForwarded: boolean
}

/**
 * The scheme that the client has used, as proxies report it: the first in `X-Forwarded-Proto`, to which
 * each further proxy appends its own. Only that of a trusted proxy counts.
 */
export function forwardedScheme({ headers }: Request): string | undefined {
  return headers.get('x-forwarded-proto')?.split(',')[0]?.trim().toLowerCase() || undefined
}

/**
 * Finds the network by which the requests of a client are counted: its IPv4 address or IPv6 /64. `X-Forwarded-For` is
 * read from its end, as long as the addresses are those of trusted proxies, because the client can forge all earlier
 * elements. Empty elements are ignored (RFC 9110 section 5.6.1); reading stops at an element that is not an address.
 */
export class ClientNetworks {
  readonly #trusted: readonly Network[]

  constructor(trusted: readonly Network[]) {
    this.#trusted = trusted
  }

  /** The network of the client of a request that `source` received; `unknown` without a source, as in tests. */
  of(request: Request, source: PeerSource | undefined): string {
    const peer = parseAddress(source?.requestIP(request)?.address ?? '')
    if (!peer) return 'unknown'
    return customerNetwork(this.#client(peer, request.headers.get('x-forwarded-for')))
  }

  /** The address of the client of a request that `source` received; undefined without a source. */
  origin(request: Request, source: PeerSource | undefined): Origin | undefined {
    const peer = parseAddress(source?.requestIP(request)?.address ?? '')
    if (!peer) return undefined
    const isForwarded = this.#trusted.some((network) => contains(network, peer))
    return { client: this.#client(peer, request.headers.get('x-forwarded-for')), isForwarded }
  }

  /** The scheme by which a trusted proxy has received the request; undefined if none reports it. */
  #forwardedScheme(request: Request, source: PeerSource | undefined): string | undefined {
    const scheme = this.#trusted.length === 0 ? undefined : forwardedScheme(request)
    return scheme !== undefined && this.origin(request, source)?.isForwarded === true ? scheme : undefined
  }

  /** Whether a trusted proxy reports that the client has sent the request over plain HTTP. */
  isForwardedInClear(request: Request, source: PeerSource | undefined): boolean {
    return this.#forwardedScheme(request, source) === 'http'
  }

  /** Whether the client has sent a request over HTTPS; `isSecure`: whether it arrived so. */
  isHttps(request: Request, source: PeerSource | undefined, isSecure: boolean): boolean {
    const forwarded = this.#forwardedScheme(request, source)
    return forwarded === undefined ? isSecure : forwarded === 'https'
  }

  #client(peer: Address, forwardedFor: string | null): Address {
    let client = peer
    const elements = forwardedFor?.split(',') ?? []
    while (elements.length > 0 && this.#trusted.some((network) => contains(network, client))) {
      const element = elements.pop()?.trim() ?? ''
      if (element === '') continue
      const address = parseForwardedAddress(element)
      if (!address) break
      client = address
    }
    return client
  }
}
