/**
 * A small internet for tests: authoritative servers with addresses that look public, and a recursive resolver that
 * knows them all. A connector leads each address to a loopback one, so that no packet leaves the machine.
 */

import { networkInterfaces } from 'node:os'
import type { Answer } from 'dns-packet'
import { isWithin } from '../lookup/answer.ts'
import type { CheckOptions, Connector } from '../request.ts'
import type { Limits } from '../wire/budget.ts'
import type { Endpoint } from '../wire/endpoint.ts'
import {
  type Handler,
  type ServerOptions,
  startDnsServer,
  type TestQuery,
  type TestReply,
  type TestServer,
} from './dns-server.ts'
import { answerFrom, type TestZone } from './zone.ts'

export interface WorldServer extends ServerOptions {
  /** The address that name servers' names resolve to; no packet is sent there. */
  readonly address: string
  readonly zones?: readonly TestZone[]
  /** Answers instead of the zones; undefined leaves a query to them. */
  readonly handle?: (query: TestQuery) => ReturnType<Handler> | undefined
}

/**
 * Timeouts that only silence runs into: client and servers share one process, which a loaded machine may hold up for
 * seconds.
 */
export const patientLimits = { udpTimeoutsMs: [20_000, 20_000], tcpTimeoutMs: 20_000, totalMs: 50_000 } as const

/** Timeouts for tests in which a server is silent. */
export const shortLimits = { udpTimeoutsMs: [1_000, 1_000], tcpTimeoutMs: 1_500, totalMs: 50_000 } as const

export interface World {
  /** Options for `checkDomain` in this world. */
  readonly options: CheckOptions & { readonly limits: Partial<Limits>; readonly connect: Connector }
  readonly resolver: TestServer
  readonly servers: ReadonlyMap<string, TestServer>
  close(): void
}

export interface WorldOptions {
  /** Answers of the resolver that differ from what the zones say: an old cache, a failure. */
  readonly resolve?: (query: TestQuery) => ReturnType<Handler> | undefined
  readonly limits?: Partial<Limits>
}

/** Whether this machine has the address at which a world's servers with IPv6 addresses listen. */
export const hasIpv6Loopback = Object.values(networkInterfaces()).some((at) =>
  at?.some(({ address }) => address === '::1'),
)

const rcodes = { NOERROR: 0, SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 } as const
const recursionAvailable = 1 << 7

export async function createWorld(
  described: readonly WorldServer[],
  { resolve, limits }: WorldOptions = {},
): Promise<World> {
  const servers = new Map<string, TestServer>()
  for (const [i, { address, zones = [], handle, ...options }] of described.entries()) {
    const answer: Handler = (query) => handle?.(query) ?? authoritativeReply(zones, query)
    const loopback = address.includes(':') ? '::1' : `127.0.1.${i + 1}`
    servers.set(address, await startDnsServer(loopback, answer, options))
  }
  // A test may change the zones of a server.
  const zones = () => described.flatMap((server) => server.zones ?? [])
  const resolver = await startDnsServer('127.0.1.200', (query) => resolve?.(query) ?? recursiveReply(zones(), query))
  const endpoint: Endpoint = { address: resolver.address, port: resolver.port }
  // Where nobody listens: a mistake in a test must not send anything out.
  const nowhere: Endpoint = { address: '127.0.1.250', port: 9 }
  return {
    options: {
      resolvers: [endpoint],
      connect: (address) => servers.get(address) ?? nowhere,
      limits: limits ?? patientLimits,
    },
    resolver,
    servers,
    close() {
      for (const server of servers.values()) server.close()
      resolver.close()
    },
  }
}

export function authoritativeReply(zones: readonly TestZone[], { name, type }: TestQuery): TestReply {
  const { rcode, ...answer } = answerFrom(zones, name, type)
  return { ...answer, rcode: rcodes[rcode] }
}

/** Follows CNAMEs over all zones, as if every delegation were in order. */
export function recursiveReply(zones: readonly TestZone[], { name, type }: TestQuery): TestReply {
  const answers: Answer[] = []
  let current = name
  for (let hops = 0; hops < 12; hops++) {
    const owned = zones.filter((zone) => isWithin(current, zone.name))
    const found = answerFrom(owned, current, type)
    answers.push(...found.answers)
    const last = found.answers.at(-1)
    if (last?.type !== 'CNAME' || type === 'CNAME') {
      const rcode = found.rcode === 'REFUSED' ? rcodes.NXDOMAIN : rcodes[found.rcode]
      return { rcode, flags: recursionAvailable, answers, authorities: found.authorities }
    }
    current = last.data
  }
  return { rcode: rcodes.SERVFAIL, flags: recursionAvailable, answers: [] }
}
