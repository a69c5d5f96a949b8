/** An internet of real servers on loopback addresses: PowerDNS holds every zone, unbound recurses, Pebble issues. */

import { hasPebble, startPebble } from './pebble.ts'
import { freeDnsAddress, freePort } from './peer.ts'
import { hasPowerDns, startPowerDns } from './powerdns.ts'
import { hasUnbound, startUnbound } from './unbound.ts'

/** The address of the service in this world. */
export const serviceAddress = '127.0.0.1'
export const platformDomain = 'stores.example'

const addresses =
  hasPebble && hasPowerDns && hasUnbound ? await Promise.all([freeDnsAddress(53), freeDnsAddress(54)]) : []
export const hasWorld = addresses.length === 2 && addresses.every((address) => address !== undefined)

/** `customers`: names of the zones of customers, below `example`. */
export async function startWorld(customers: readonly string[]) {
  const [authority = '', resolver = ''] = addresses
  const zones = [...customers, platformDomain]
  const recursive = await startUnbound({ address: resolver, root: authority })
  const dns = await startPowerDns({
    address: authority,
    resolver,
    zones: {
      '.': ['example. IN NS ns1.example.', `ns1.example. IN A ${authority}`],
      example: zones.flatMap((zone) => [`${zone}. IN NS ns1.${zone}.`, `ns1.${zone}. IN A ${authority}`]),
      [platformDomain]: ['@', '*', '*.edge'].map((name) => `${name} IN A ${serviceAddress}`),
      ...Object.fromEntries(customers.map((zone) => [zone, []])),
    },
  })
  const [httpPort, httpsPort] = [await freePort(serviceAddress), await freePort(serviceAddress)]
  const pebble = await startPebble({ httpPort, dnsServer: `${resolver}:53`, blocked: ['bank.example'] })
  return {
    authority,
    pebble,
    httpPort,
    httpsPort,
    /** Replaces the records of a customer's zone, also in the cache of the resolver. */
    async change(zone: string, records: readonly string[]): Promise<void> {
      await dns.change(zone, records)
      await recursive.flush()
    },
    /** The options of `serve` in this world, with the certificate authority at `acmeDirectory`. */
    options: (acmeDirectory: string, caaIdentity: string): string[] =>
      Object.entries({
        'platform-domain': platformDomain,
        'public-host': serviceAddress,
        'public-address': serviceAddress,
        'http-port': String(httpPort),
        'https-port': String(httpsPort),
        'dns-resolver': resolver,
        'acme-directory': acmeDirectory,
        'caa-identity': caaIdentity,
      })
        .flatMap(([name, value]) => [`--${name}`, value])
        .concat('--allow-private-addresses'),
    async stop(): Promise<void> {
      await pebble.stop()
      await dns.stop()
      await recursive.stop()
    },
  }
}
export type PeerWorld = Awaited<ReturnType<typeof startWorld>>
