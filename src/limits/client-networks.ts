/** The network address that a request is counted for: the peer's, or the one that a trusted proxy has added. */

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

/**
 * Returns the network that a request is counted for: its client's IPv4 address or IPv6 /64. `X-Forwarded-For`
 * is read from its end and only past trusted proxies, because the client can invent everything before. Empty elements
 * are ignored (RFC 9110 section 5.6.1); an element that is no address ends the list.
 */
export class ClientNetworks {
  readonly #trusted: readonly Network[]

  constructor(trusted: readonly Network[]) {
    this.#trusted = trusted
  }

  /** The network of a request that `source` received; without a source, as in tests, `unknown`. */
  of(request: Request, source: PeerSource | undefined): string {
    const peer = parseAddress(source?.requestIP(request)?.address ?? '')
    if (!peer) return 'unknown'
    return customerNetwork(this.#client(peer, request.headers.get('x-forwarded-for')))
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
