/**
 * The addresses to which the checker may send: those that are globally reachable by the IANA special-purpose registries
 * (RFC 6890). Otherwise the owner of a zone could make the checker send packets into the private network of the
 * service.
 */

import ipaddr from 'ipaddr.js'

/** https://www.iana.org/assignments/iana-ipv4-special-registry, 2026-11; multicast from RFC 5771. */
const reservedV4 = [
  ['0.0.0.0/8', 'this network'],
  ['10.0.0.0/8', 'private'],
  ['100.64.0.0/10', 'shared by customers of a carrier'],
  ['127.0.0.0/8', 'loopback'],
  ['169.254.0.0/16', 'link-local'],
  ['172.16.0.0/12', 'private'],
  ['192.0.0.0/24', 'protocol assignments'],
  ['192.0.2.0/24', 'documentation'],
  ['192.88.99.0/24', '6to4 relay'],
  ['192.168.0.0/16', 'private'],
  ['198.18.0.0/15', 'benchmarking'],
  ['198.51.100.0/24', 'documentation'],
  ['203.0.113.0/24', 'documentation'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved'],
] as const
const exceptedV4 = ['192.0.0.9/32', '192.0.0.10/32']

/**
 * https://www.iana.org/assignments/iana-ipv6-special-registry, 2026-11; all else outside of 2000::/3 is unallocated.
 */
const reservedV6 = [
  ['::1/128', 'loopback'],
  ['::/128', 'unspecified'],
  ['::ffff:0:0/96', 'IPv4-mapped'],
  ['64:ff9b::/96', 'NAT64'],
  ['64:ff9b:1::/48', 'NAT64'],
  ['2001::/32', 'Teredo'],
  ['2001::/23', 'protocol assignments'],
  ['2001:db8::/32', 'documentation'],
  ['2002::/16', '6to4'],
  ['3fff::/20', 'documentation'],
  ['fc00::/7', 'private (ULA)'],
  ['fe80::/10', 'link-local'],
  ['ff00::/8', 'multicast'],
] as const
const exceptedV6 = [
  '2001:1::1/128',
  '2001:1::2/128',
  '2001:1::3/128',
  '2001:3::/32',
  '2001:4:112::/48',
  '2001:20::/28',
  '2001:30::/28',
]

type Block = readonly [ipaddr.IPv4 | ipaddr.IPv6, number]
const parse = (blocks: readonly string[]): Block[] => blocks.map((block) => ipaddr.parseCIDR(block))
const named = (blocks: readonly (readonly [string, string])[]) =>
  blocks.map(([block, use]) => [ipaddr.parseCIDR(block) as Block, use] as const)
const parseRegistries = () => ({
  reserved: [...named(reservedV4), ...named(reservedV6)],
  excepted: parse([...exceptedV4, ...exceptedV6]),
  globalUnicast: ipaddr.parseCIDR('2000::/3') as Block,
})
/** Parsed by the first check: parsing compiles large expressions, which a start would wait for. */
let registries: ReturnType<typeof parseRegistries> | undefined

/** An IPv4 or IPv6 address in the same form as in replies; undefined if `text` is not an address. */
export function canonicalAddress(text: string): string | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text).toString()
  return !text.includes('%') && ipaddr.IPv6.isValid(text) ? ipaddr.IPv6.parse(text).toString() : undefined
}

/**
 * The use for which an address is reserved, such as `private`, or undefined if it is globally reachable. NAT64 and 6to4
 * addresses are treated as reserved, because the IPv4 addresses inside them are not checked.
 */
export function reservedUse(text: string): string | undefined {
  const canonical = canonicalAddress(text)
  if (canonical === undefined) return 'not an address'
  registries ??= parseRegistries()
  const { reserved, excepted, globalUnicast } = registries
  const address = ipaddr.parse(canonical)
  if (excepted.some((block) => isIn(address, block))) return undefined
  const use = reserved.find(([block]) => isIn(address, block))?.[1]
  if (use !== undefined) return use
  return address instanceof ipaddr.IPv6 && !isIn(address, globalUnicast) ? 'not allocated' : undefined
}

function isIn(address: ipaddr.IPv4 | ipaddr.IPv6, [network, bits]: Block): boolean {
  return address.kind() === network.kind() && address.match(network as never, bits)
}
