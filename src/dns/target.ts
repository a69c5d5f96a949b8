/** The names of the records that a domain needs, and those that a CNAME may point at. */

/** Whether a name matches a target; `*` as a target's first label matches any one label. Both are in lower case. */
export function matchesTarget(name: string, target: string): boolean {
  if (!target.startsWith('*.')) return name === target
  const dot = name.indexOf('.')
  return dot > 0 && name.slice(dot + 1) === target.slice(2)
}

/** A domain name in the same form as in replies: lower case, without the final dot. */
export function normalName(name: string): string {
  return name.trim().toLowerCase().replace(/\.$/, '')
}

/**
 * The intended target of a name to which a provider has appended the zone because the final dot was missing:
 * `shop.edge.example.kiosk.example` for `shop.edge.example` in `kiosk.example`.
 */
export function withoutZone(name: string, zone: string, targets: readonly string[]): string | undefined {
  if (!name.endsWith(`.${zone}`)) return undefined
  const typed = name.slice(0, -zone.length - 1)
  return targets.some((target) => matchesTarget(typed, target)) ? typed : undefined
}

/** A record's name as providers' forms expect it: the labels in front of the zone, `@` for the zone itself. */
export function relativeName(name: string, zone: string): string {
  if (name === zone) return '@'
  return zone !== '' && name.endsWith(`.${zone}`) ? name.slice(0, -zone.length - 1) : name
}

/** The name of the TXT record of a hostname. */
export function ownershipName(hostname: string): string {
  return `_petstore-verify.${hostname}`
}

/** The type of the record that holds an address. */
export function addressType(address: string): 'A' | 'AAAA' {
  return address.includes(':') ? 'AAAA' : 'A'
}

/** The types of the records that hold these addresses, in alphabetical order. */
export function typesOf(addresses: readonly string[]): string[] {
  return [...new Set(addresses.map(addressType))].sort()
}

/** The type of a finding about addresses: AAAA if all of them are of IPv6. */
export function typeFor(addresses: readonly string[]): string {
  return typesOf(addresses)[0] ?? 'A'
}
