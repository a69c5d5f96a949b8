/** The DNS records that the owner of a domain has to create. The one that leads visitors here comes first. */

import { addressType, ownershipName, relativeName } from '../../dns/target.ts'

export const recordPurposes = ['routing', 'routing_alternative', 'ownership'] as const

export interface DnsRecord {
  readonly type: 'CNAME' | 'ALIAS' | 'A' | 'AAAA' | 'TXT'
  /** As providers' forms expect it: the labels below the zone, `@` for the zone itself. */
  readonly name: string
  readonly fqdn: string
  readonly value: string
  /** Seconds. */
  readonly ttl: number
  readonly purpose: (typeof recordPurposes)[number]
  /** A hint about this record for the owner; null if there is none. */
  readonly note: string | null
}

export interface RecordFacts {
  readonly hostname: string
  readonly zone: string
  readonly cnameTarget: string
  readonly publicAddresses: readonly string[]
  /** The token of the account, where the proof by TXT is needed. */
  readonly token: string | undefined
}

const ttl = 3_600

export function recordsFor({ hostname, zone, cnameTarget, publicAddresses, token }: RecordFacts): DnsRecord[] {
  const routing =
    hostname === zone
      ? apexRecords(hostname, cnameTarget, publicAddresses)
      : [
          {
            type: 'CNAME' as const,
            name: relativeName(hostname, zone),
            fqdn: hostname,
            value: cnameTarget,
            ttl,
            purpose: 'routing' as const,
            note: null,
          },
        ]
  if (token === undefined) return routing
  const fqdn = ownershipName(hostname)
  const note = 'It must remain, because every later check looks for it.'
  return [
    ...routing,
    { type: 'TXT', name: relativeName(fqdn, zone), fqdn, value: token, ttl, purpose: 'ownership', note },
  ]
}

function apexRecords(hostname: string, cnameTarget: string, publicAddresses: readonly string[]): DnsRecord[] {
  const common = { name: '@', fqdn: hostname, ttl } as const
  const types = [...new Set(publicAddresses.map(addressType))].sort()
  const records = `${types.join(' and ')} ${publicAddresses.length === 1 ? 'record' : 'records'}`
  const instead = types.length === 0 ? '' : `create the ${records} instead, or `
  const note = `Your provider may call it ANAME or CNAME flattening. If it offers neither, ${instead}use www.${hostname} and redirect ${hostname} to it at your provider.`
  return [
    { ...common, type: 'ALIAS', value: cnameTarget, purpose: 'routing', note },
    ...publicAddresses.map((value) => ({
      ...common,
      type: addressType(value),
      value,
      purpose: 'routing_alternative' as const,
      note: `Only if your provider has no ALIAS record. Create ${publicAddresses.length === 1 ? 'this record' : `all ${records}`}, and no others of type A or AAAA.`,
    })),
  ]
}
