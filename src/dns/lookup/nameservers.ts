/** Finds the addresses of name servers. */

import type { DnsRecord, Outcome, Reply } from '../wire/record.ts'
import { isWithin } from './answer.ts'
import { isAnswer, type Server, type Session } from './session.ts'

export interface NameserverSet {
  /** All names, in the order of the reply. */
  readonly names: readonly string[]
  /** At most the limit's number, spread over the names. */
  readonly servers: readonly Server[]
  /** Names without any address. */
  readonly unresolved: readonly string[]
  /** Of names whose addresses are unknown: what the resolvers gave instead of an answer. */
  readonly failures: readonly Outcome[]
}

/** The NS records of `zone` in any section of a reply. */
export function nsNamesOf({ answers, authorities }: Reply, zone: string): string[] {
  const names = [...answers, ...authorities].filter(({ type, name }) => type === 'NS' && name === zone)
  return [...new Set(names.map(({ value }) => value))]
}

/**
 * Finds the addresses in the reply's additional section for names within `bailiwick`, for which the replying server is
 * trusted, and otherwise by the recursive resolvers.
 */
export async function locateServers(
  session: Session,
  names: readonly string[],
  additionals: readonly DnsRecord[],
  bailiwick: string,
): Promise<NameserverSet> {
  // Limits the queries for a long list. Resolvers do not try all of them either.
  const queried = names.slice(0, session.limits.nameservers)
  const located = await Promise.all(
    queried.map(async (name) => {
      const glue = additionals.filter(
        (record) =>
          record.name === name && isWithin(name, bailiwick) && (record.type === 'A' || record.type === 'AAAA'),
      )
      const resolved = glue.length > 0 ? addressesOf(session, glue) : await resolveAddresses(session, name)
      return Array.isArray(resolved) ? { name, addresses: resolved } : { name, addresses: [], failure: resolved }
    }),
  )
  return {
    names,
    servers: spread(located, session.limits.nameservers),
    unresolved: located.filter(({ addresses, failure }) => addresses.length === 0 && !failure).map(({ name }) => name),
    failures: located.flatMap(({ failure }) => failure ?? []),
  }
}

function addressesOf({ prefersIpv6 }: Session, records: readonly DnsRecord[]): string[] {
  const byType = (wanted: string) => records.filter(({ type }) => type === wanted).map(({ value }) => value)
  const ipv6 = byType('AAAA')
  return prefersIpv6 && ipv6.length > 0 ? ipv6 : [...byType('A'), ...ipv6]
}

/**
 * Addresses of the preferred version, or of the other one if there are none; the last failure if the resolvers don't
 * know that there are none.
 */
async function resolveAddresses(session: Session, name: string): Promise<string[] | Outcome> {
  let failed: Outcome | undefined
  const types = ['A', 'AAAA'] as const
  for (const type of session.prefersIpv6 ? types.toReversed() : types) {
    const outcome = await session.resolve(name, type)
    if (!isAnswer(outcome)) failed = outcome
    const records = outcome.kind === 'reply' ? outcome.answers.filter((record) => record.type === type) : []
    if (records.length > 0) return addressesOf(session, records).slice(0, 2)
  }
  return failed ?? []
}

/** The first address of every name, then the second ones, up to `limit`, without duplicates. */
function spread(located: readonly { name: string; addresses: readonly string[] }[], limit: number): Server[] {
  const servers = new Map<string, Server>()
  const longest = Math.max(0, ...located.map(({ addresses }) => addresses.length))
  for (let i = 0; i < longest; i++) {
    for (const { name, addresses } of located) {
      const address = addresses[i]
      if (address !== undefined && !servers.has(address)) servers.set(address, { name, address })
    }
  }
  return [...servers.values()].slice(0, limit)
}
