/** Queries the recursive resolvers, which show the answers that visitors get now, and whether DNSSEC validates. */

import type { Endpoint } from '../wire/endpoint.ts'
import type { DnsRecord, Outcome, Reply } from '../wire/record.ts'
import type { Session } from './session.ts'

export interface ResolverView {
  /** Its address, with the port if that is not 53. */
  readonly resolver: string
  readonly a: Outcome
  readonly aaaa: Outcome
  /** The answer without validation for the type that failed; queried only after a SERVFAIL. */
  readonly unvalidated: Outcome | undefined
  /** The name's CNAME, if that alone validates after a SERVFAIL: its target failed. */
  readonly alias: DnsRecord | undefined
}

export function queryResolvers(session: Session, name: string): Promise<ResolverView[]> {
  return Promise.all(session.resolvers.map((resolver) => view(session, resolver, name)))
}

async function view(session: Session, resolver: Endpoint, name: string): Promise<ResolverView> {
  const [a, aaaa] = await Promise.all([
    session.queryResolver(resolver, name, 'A'),
    session.queryResolver(resolver, name, 'AAAA'),
  ])
  const label = resolverLabel(resolver)
  const failedType = isServfail(a) ? 'A' : isServfail(aaaa) ? 'AAAA' : undefined
  if (!failedType) return { resolver: label, a, aaaa, unvalidated: undefined, alias: undefined }
  const [unvalidated, own] = await Promise.all([
    session.queryResolver(resolver, name, failedType, true),
    session.queryResolver(resolver, name, 'CNAME'),
  ])
  const alias = own.kind === 'reply' ? own.answers.find(({ type }) => type === 'CNAME') : undefined
  return { resolver: label, a, aaaa, unvalidated, alias }
}

export function isServfail(outcome: Outcome): outcome is Reply {
  return outcome.kind === 'reply' && outcome.rcode === 'SERVFAIL'
}

export function resolverLabel({ address, port }: Endpoint): string {
  if (port === 53) return address
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`
}

/**
 * RFC 8914: DNSSEC Bogus, Signature Expired, Not Yet Valid, DNSKEY Missing, RRSIGs Missing, No Zone Key Bit, NSEC
 * Missing.
 */
const bogusErrors = new Set([6, 7, 8, 9, 10, 11, 12])

/** RFC 8914: Not Ready, Not Authoritative, Not Supported, No Reachable Authority, Network Error, Invalid Data. */
const otherErrors = new Set([14, 20, 21, 22, 23, 24])

/** Whether the resolver rejects the name because of invalid signatures. */
export function isBogus({ a, aaaa, unvalidated }: ResolverView): boolean {
  const codes = [a, aaaa].filter(isServfail).flatMap(({ extendedErrors }) => extendedErrors)
  if (codes.some((code) => bogusErrors.has(code))) return true
  if (codes.some((code) => otherErrors.has(code))) return false
  return unvalidated?.kind === 'reply' && unvalidated.rcode !== 'SERVFAIL'
}

/** CNAMEs and addresses of a reply, in its order. */
export function routingRecords(...outcomes: readonly Outcome[]): DnsRecord[] {
  const records = outcomes.flatMap((outcome) => (outcome.kind === 'reply' ? outcome.answers : []))
  const unique = new Map(records.map((record) => [`${record.name} ${record.type} ${record.value}`, record]))
  return [...unique.values()].filter(({ type }) => type === 'CNAME' || type === 'A' || type === 'AAAA')
}
