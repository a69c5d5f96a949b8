/** Where a request comes from, as far as it can be believed. */

import { type Address, contains, customerNetwork, type Network, parseAddress } from '../lib/network.ts'

/** What tells the address at the other end of a request's connection: `Bun.serve`'s server. */
export interface PeerSource {
  requestIP(request: Request): { readonly address: string } | null
}

/**
 * Gives the network a request is counted for: its client's IPv4 address or IPv6 /64. `X-Forwarded-For`
 * is read from its end, past trusted proxies only, since what lies before is the client's to invent.
 */
export class ClientNetworks {
  /** Set once the listener is there. */
  source: PeerSource | undefined
  readonly #trusted: readonly Network[]

  constructor(trusted: readonly Network[]) {
    this.#trusted = trusted
  }

  of(request: Request): string {
    const peer = parseAddress(this.source?.requestIP(request)?.address ?? '')
    if (!peer) return 'unknown'
    return customerNetwork(this.#client(peer, request.headers.get('x-forwarded-for')))
  }

  #client(peer: Address, forwardedFor: string | null): Address {
    let client = peer
    const hops = forwardedFor?.split(',') ?? []
    while (hops.length > 0 && this.#trusted.some((network) => contains(network, client))) {
      const hop = parseAddress(hops.pop()?.trim() ?? '')
      if (!hop) break
      client = hop
    }
    return client
  }
}
