/**
 * Recognises DNS providers by their name servers, so that a fix can name the provider and its record types, and
 * Cloudflare's proxy by its addresses.
 */

import { contains, type Network, parseAddress, parseNetwork } from '../../lib/network.ts'

export interface Provider {
  readonly name: string
  /** The provider's name for a flattened record at the apex; null if it has none for foreign targets. */
  readonly apexRecord: string | null
}

/** Providers by the endings of their name servers. `apexRecord` is from the providers' documentation. */
const known: readonly (readonly [RegExp, Provider])[] = [
  [/\.ns\.cloudflare\.com$/, { name: 'Cloudflare', apexRecord: 'CNAME (Cloudflare flattens it)' }],
  [/\.awsdns-\d+\.(com|net|org|co\.uk)$/, { name: 'Amazon Route 53', apexRecord: null }],
  [/\.domaincontrol\.com$/, { name: 'GoDaddy', apexRecord: null }],
  [/\.registrar-servers\.com$/, { name: 'Namecheap', apexRecord: 'ALIAS' }],
  [/\.dnsimple(-edge)?\.(com|net|org|info)$/, { name: 'DNSimple', apexRecord: 'ALIAS' }],
  [/\.porkbun\.com$/, { name: 'Porkbun', apexRecord: 'ALIAS' }],
  [/\.gandi\.net$/, { name: 'Gandi', apexRecord: 'ALIAS' }],
  [/\.dnsmadeeasy\.com$/, { name: 'DNS Made Easy', apexRecord: 'ANAME' }],
  [/\.name\.com$/, { name: 'Name.com', apexRecord: 'ANAME' }],
  [/\.(hetzner\.com|hetzner\.de|first-ns\.de|second-ns\.(de|com))$/, { name: 'Hetzner', apexRecord: null }],
  [/\.digitalocean\.com$/, { name: 'DigitalOcean', apexRecord: null }],
  [/\.(ovh\.net|anycast\.me)$/, { name: 'OVHcloud', apexRecord: null }],
  [/\.ui-dns\.(com|de|org|biz)$/, { name: 'IONOS', apexRecord: null }],
]

/** The provider of all of these name servers, or undefined if it is unknown or they belong to several. */
export function providerOf(nameservers: readonly string[]): Provider | undefined {
  const providers = nameservers.map((name) => known.find(([pattern]) => pattern.test(name))?.[1])
  return providers.every((provider) => provider === providers[0]) ? providers[0] : undefined
}

/** https://www.cloudflare.com/ips-v4 and https://www.cloudflare.com/ips-v6, the list of 28 September 2023. */
const cloudflareBlocks = [
  '173.245.48.0/20',
  '103.21.244.0/22',
  '103.22.200.0/22',
  '103.31.4.0/22',
  '141.101.64.0/18',
  '108.162.192.0/18',
  '190.93.240.0/20',
  '188.114.96.0/20',
  '197.234.240.0/22',
  '198.41.128.0/17',
  '162.158.0.0/15',
  '104.16.0.0/13',
  '104.24.0.0/14',
  '172.64.0.0/13',
  '131.0.72.0/22',
  '2400:cb00::/32',
  '2606:4700::/32',
  '2803:f800::/32',
  '2405:b500::/32',
  '2405:8100::/32',
  '2a06:98c0::/29',
  '2c0f:f248::/32',
]
const cloudflareNetworks: readonly Network[] = cloudflareBlocks.flatMap((block) => {
  const network = parseNetwork(block)
  return network ? [network] : []
})

/** Whether an address is that of Cloudflare's proxy: a proxied record resolves to these instead of to its value. */
export function isCloudflareProxy(text: string): boolean {
  const address = parseAddress(text)
  return address !== undefined && cloudflareNetworks.some((network) => contains(network, address))
}
