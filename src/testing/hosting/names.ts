/**
 * The DNS of the end-to-end tests: a registry, the platform `stores.example`, and the zones of two shops. It is
 * served by PowerDNS and unbound, or by servers in this process if these are missing.
 */

import { startDnsServer } from '../../dns/testing/dns-server.ts'
import { authoritativeReply, recursiveReply } from '../../dns/testing/world.ts'
import { type TestZone, zone } from '../../dns/testing/zone.ts'
import { freeDnsAddress } from '../peers/peer.ts'
import { hasPowerDns, startPowerDns } from '../peers/powerdns.ts'
import { hasUnbound, startUnbound } from '../peers/unbound.ts'

export interface Names {
  /** The address of the recursive resolver. */
  readonly resolver: string
  /** Replaces the records of a zone, which are lines such as `www 1 CNAME target.example.`. */
  change(zone: string, records: readonly string[]): Promise<void>
  stop(): Promise<void>
}

export const hasDnsPeers = hasPowerDns && hasUnbound

const [authority, resolver, service] = await Promise.all([freeDnsAddress(53), freeDnsAddress(54), freeDnsAddress(80)])
/** The public address of the service. */
export const serviceAddress = service ?? ''
/** Whether this process may listen on port 53: name servers are queried at no other. */
export const canServeNames = authority !== undefined && resolver !== undefined && service !== undefined

const shops = ['kiosk.example', 'paws.example']

function initialZones(address: string): Record<string, readonly string[]> {
  const delegated = ['stores', 'kiosk', 'paws'].flatMap((name) => [
    `${name} 1 NS ns1.${name}`,
    `ns1.${name} 1 A ${address}`,
  ])
  return {
    '.': ['example. 1 NS ns1.example.', `ns1.example. 1 A ${address}`],
    example: delegated,
    'stores.example': ['@', '*', '*.edge'].map((name) => `${name} 1 A ${serviceAddress}`),
    ...Object.fromEntries(shops.map((name) => [name, []])),
  }
}

/** With PowerDNS, which replaces ALIAS records by the addresses of their targets, and unbound. */
export async function startPeerNames(): Promise<Names> {
  if (authority === undefined || resolver === undefined) throw new Error('port 53 cannot be used')
  const recursive = await startUnbound({ address: resolver, root: authority })
  const dns = await startPowerDns({ address: authority, resolver, zones: initialZones(authority) })
  return {
    resolver,
    async change(name, records) {
      await dns.change(name, records)
      await recursive.flush()
    },
    async stop() {
      await dns.stop()
      await recursive.stop()
    },
  }
}

/** With servers in this process. An ALIAS has the address of the platform. */
export async function startFakeNames(): Promise<Names> {
  if (authority === undefined || resolver === undefined) throw new Error('port 53 cannot be used')
  const zones = new Map<string, TestZone>()
  const set = (name: string, records: readonly string[]) => {
    const lines = records.map((line) => line.replace(/ ALIAS .*/, ` A ${serviceAddress}`))
    const own = ['@ 1 NS ns1', `ns1 1 A ${authority}`]
    zones.set(name, zone(name === '.' ? '' : name, [soa, ...own, ...lines].join('\n')))
  }
  for (const [name, records] of Object.entries(initialZones(authority))) set(name, records)
  const options = { port: 53 }
  const known = () => [...zones.values()]
  const servers = [
    await startDnsServer(authority, (query) => authoritativeReply(known(), query), options),
    await startDnsServer(resolver, (query) => recursiveReply(known(), query), options),
  ]
  return {
    resolver,
    async change(name, records) {
      set(name, records)
    },
    async stop() {
      for (const server of servers) server.close()
    },
  }
}

const soa = '@ 1 SOA ns1 hostmaster 1 3600 600 86400 1'
