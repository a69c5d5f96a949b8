/** Addresses and ports of DNS servers, and the configured resolvers of this machine. */

import { canonicalAddress } from './global-address.ts'

export interface Endpoint {
  readonly address: string
  readonly port: number
}

const dnsPort = 53

/** `1.1.1.1`, `1.1.1.1:5353`, `2606:4700::1111` or `[2606:4700::1111]:5353`; undefined if `text` is none of these. */
export function parseEndpoint(text: string): Endpoint | undefined {
  const match = /^(?:\[([^\]]+)\]|([\d.]+|[^[\]]*:[^[\]]*:[^[\]]*))(?::(\d{1,5}))?$/.exec(text)
  const address = canonicalAddress(match?.[1] ?? match?.[2] ?? '')
  const port = Number(match?.[3] ?? dnsPort)
  return address !== undefined && port >= 1 && port <= 65_535 ? { address, port } : undefined
}

/** The configured resolvers of this machine. */
export function systemResolvers(): Endpoint[] {
  // Loaded here, because a start does not need it.
  const { getServers }: typeof import('node:dns') = require('node:dns')
  return getServers().flatMap((server) => parseEndpoint(server) ?? [])
}
