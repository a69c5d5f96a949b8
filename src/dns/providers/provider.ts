/** Recognises DNS providers by their name servers, so that a fix can name the provider and its record types. */

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
  const found = nameservers.map((name) => known.find(([pattern]) => pattern.test(name))?.[1])
  return found.every((provider) => provider === found[0]) ? found[0] : undefined
}
