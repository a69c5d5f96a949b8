/** Queries the recursive resolvers, which show the answers that visitors get now, and whether DNSSEC validates. */

import type { Endpoint } from '../wire/endpoint.ts'
import type { DnsRecord, Outcome } from '../wire/record.ts'
import type { Session } from './session.ts'

export interface ResolverView {
  /** Its address, with the port if that is not 53. */
  readonly resolver: string
  readonly a: Outcome
  readonly aaaa: Outcome
  /** The answer without validation; queried only after a SERVFAIL. */
  readonly unvalidated: Outcome | undefined
}

export function queryResolvers(session: Session, name: string): Promise<ResolverView[]> {
  return Promise.all(session.resolvers.map((resolver) => view(session, resolver, name)))
}

async function view(session: Session, resolver: Endpoint, name: string): Promise<ResolverView> {
  const [a, aaaa] = await Promise.all([
    session.queryResolver(resolver, name, 'A'),
    session.queryResolver(resolver, name, 'AAAA'),
  ])
  const failed = [a, aaaa].some((outcome) => outcome.kind === 'reply' && outcome.rcode === 'SERVFAIL')
  const unvalidated = failed ? await session.queryResolver(resolver, name, 'A', true) : undefined
  return { resolver: resolverLabel(resolver), a, aaaa, unvalidated }
}

export function resolverLabel({ address, port }: Endpoint): string {
  if (port === 53) return address
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`
}

/** RFC 8914: DNSSEC Bogus, Signature Expired, Not Yet Valid, DNSKEY Missing, RRSIGs Missing, No Zone Key Bit, NSEC Missing. */
const bogusErrors = new Set([6, 7, 8, 9, 10, 11, 12])

/** Whether the resolver rejects the name because of invalid signatures. */
export function isBogus({ a, aaaa, unvalidated }: ResolverView): boolean {
  const failures = [a, aaaa].filter((outcome) => outcome.kind === 'reply' && outcome.rcode === 'SERVFAIL')
  if (failures.length === 0) return false
  const named = failures.some(
    (reply) => reply.kind === 'reply' && reply.extendedErrors.some((code) => bogusErrors.has(code)),
  )
  return named || (unvalidated?.kind === 'reply' && unvalidated.rcode !== 'SERVFAIL')
}

/** CNAMEs and addresses of a reply, in its order. */
export function routingRecords(...outcomes: readonly Outcome[]): DnsRecord[] {
  const records = outcomes.flatMap((outcome) => (outcome.kind === 'reply' ? outcome.answers : []))
  const unique = new Map(records.map((record) => [`${record.name} ${record.type} ${record.value}`, record]))
  return [...unique.values()].filter(({ type }) => type === 'CNAME' || type === 'A' || type === 'AAAA')
}
