/** The input of all findings of one check, and phrases that their fixes share. */

import type { Facts } from '../collect.ts'
import { isUsable, listed, observe, type ServerAnswer } from '../lookup/answer.ts'
import type { CheckedName } from '../name.ts'
import type { Finding, Observation } from '../report.ts'
import type { CheckRequest } from '../request.ts'
import { addressType, relativeName, typesOf } from '../target.ts'
import { type Provider, providerOf } from './providers.ts'

export interface Context {
  readonly name: CheckedName
  readonly hostname: string
  /** The zone of the hostname, or the deepest zone that was found. */
  readonly zone: string
  readonly isApex: boolean
  /** Normalised. */
  readonly targets: readonly string[]
  /** Those that records should have. */
  readonly publicAddresses: readonly string[]
  /** Those that records may have. */
  readonly acceptedAddresses: readonly string[]
  readonly request: CheckRequest
  readonly allowPrivateAddresses: boolean
  readonly facts: Facts
  readonly nowMs: number
  readonly provider: Provider | undefined
  readonly nameservers: readonly string[]
}

export function createContext(
  given: Omit<Context, 'hostname' | 'zone' | 'isApex' | 'provider' | 'nameservers'>,
): Context {
  const zone = given.facts.path.at(-1)
  const nameservers = zone?.nameservers.names ?? []
  const { hostname } = given.name
  return {
    ...given,
    hostname,
    zone: zone?.name ?? '',
    isApex: zone?.name === hostname,
    nameservers,
    provider: providerOf(nameservers),
  }
}

export type Draft = Pick<Finding, 'code' | 'message' | 'fix'> & Partial<Finding>

/** A finding from a draft. By default it is an error about the hostname. */
export function finding(context: Context, draft: Draft): Finding {
  const defaults = { name: context.hostname, type: null, expected: [], observed: [], expiresAt: null } as const
  const { code, severity = 'error', message, fix, ...rest } = draft
  const { name, type, expected, observed, expiresAt } = { ...defaults, ...rest }
  return { code, severity, name, type, expected, observed, message, fix, expiresAt }
}

/**
 * A finding with answers as its evidence: their name and type, and the time at which the wrong ones expire in caches.
 */
export function findingFrom(
  context: Context,
  answers: readonly ServerAnswer[],
  draft: Draft,
  wrong: readonly ServerAnswer[] = answers,
): Finding {
  return finding(context, {
    name: answers[0]?.name ?? context.hostname,
    type: answers[0]?.type ?? null,
    observed: observeAll(answers),
    expiresAt: expiryOf(context.nowMs, wrong),
    ...draft,
  })
}

/** The observations of answers, without duplicates for several types. */
export function observeAll(answers: readonly ServerAnswer[]): Observation[] {
  const unique = new Map(answers.map(observe).map((observation) => [JSON.stringify(observation), observation]))
  return [...unique.values()]
}

/**
 * The time at which the last cache drops these answers if they change now: the longest TTL of a record, or of an empty
 * answer if all are empty.
 */
export function expiryOf(nowMs: number, answers: readonly ServerAnswer[]): string | null {
  const usable = answers.filter(isUsable)
  const seen = usable.flatMap(({ alias, records }) => [alias, ...records].flatMap((record) => record?.ttl ?? []))
  const ttls = seen.length > 0 ? seen : usable.flatMap(({ negativeTtl }) => negativeTtl ?? [])
  return ttls.length > 0 ? secondsFrom(nowMs, Math.max(...ttls)) : null
}

export function secondsFrom(nowMs: number, seconds: number): string {
  // Resolvers limit a TTL to a week (RFC 8767, section 4).
  return new Date(nowMs + Math.min(seconds, 604_800) * 1_000).toISOString()
}

/** `At Cloudflare`, or a description of an unknown provider. */
export function atProvider({
  provider,
  nameservers,
  zone,
}: Pick<Context, 'provider' | 'nameservers' | 'zone'>): string {
  if (provider) return `At ${provider.name}, where the DNS of ${zone} is managed,`
  const [first] = nameservers
  if (first === undefined) return `At the company where you manage the DNS of ${zone || 'this domain'},`
  return `At the company where you manage the DNS of ${zone} (its name servers are ${first}${nameservers.length > 1 ? ' and others' : ''}),`
}

/** The value for a CNAME, or a description if only its ending is known. */
export function targetWords(targets: readonly string[]): string {
  const [target] = targets
  if (target === undefined) return 'the value that your project shows'
  return target.startsWith('*.')
    ? `the value that your project shows (it ends in ${target.slice(1)})`
    : `the value ${target}`
}

/** For example: a CNAME record with the name "www" and the value token.edge.shop.example (TTL 3600). */
export function cnameWords({ hostname, zone, targets }: Context): string {
  return `a CNAME record with the name "${relativeName(hostname, zone)}" and ${targetWords(targets)} (TTL 3600)`
}

/** For example: an A record with the name "@" and the address 192.0.2.10. Undefined without addresses. */
export function addressWords(publicAddresses: readonly string[]): string | undefined {
  const [first, second] = publicAddresses
  if (first === undefined) return undefined
  const types = typesOf(publicAddresses).join(' and ')
  if (second === undefined) return `an ${types} record with the name "@" and the address ${first}`
  return `${types} records with the name "@" and the addresses ${publicAddresses.join(', ')}`
}

/** For example: the AAAA records with the name "@" and the value 2001:db8::10. */
export function recordsWith({ hostname, zone }: Context, addresses: readonly string[]): string {
  return `the ${typesOf(addresses).join(' and ')} records with the name "${relativeName(hostname, zone)}" and the value ${listed(addresses)}`
}

/** The A records to create at an apex that has none of this service: visitors without IPv6 would not reach the shop. */
export function missingIpv4({ publicAddresses, acceptedAddresses }: Context, shown: readonly string[]): string {
  const isIpv4 = (address: string) => addressType(address) === 'A'
  const isThere = shown.some((address) => isIpv4(address) && acceptedAddresses.includes(address))
  const missing = isThere ? undefined : addressWords(publicAddresses.filter(isIpv4))
  return missing === undefined ? '' : `, and create ${missing}`
}

/** The records to create at an apex, where a CNAME isn't allowed. */
export function apexWords(context: Context): string {
  const { targets, publicAddresses, provider, zone } = context
  const plain = addressWords(publicAddresses)
  if (provider?.apexRecord === null && plain !== undefined) {
    return `${plain}. (${provider.name} has no ALIAS record; or use www.${zone} with a CNAME and redirect ${zone} to it)`
  }
  const record = provider?.apexRecord ?? 'ALIAS (some providers call it ANAME)'
  const alias = `a record of type ${record} with the name "@" and ${targetWords(targets)}`
  if (provider?.apexRecord || plain === undefined) return alias
  return `${alias}; or, if your provider has no such type, ${plain}; or use www.${zone} with a CNAME and redirect ${zone} to it`
}
