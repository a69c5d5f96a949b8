/**
 * Finds the zone of a name, from its top-level domain downwards: each parent's servers refer to the servers of the
 * child, and the zone's own servers return its SOA. Only the servers of the top-level domain and the addresses of name
 * servers are queried at resolvers, and may therefore be cached.
 */

import { parse } from 'tldts'
import { addressType } from '../target.ts'
import type { DnsRecord, Outcome, Reply } from '../wire/record.ts'
import {
  isBeyondLimits,
  isUsable,
  isWithin,
  parentOf,
  queryInTurn,
  queryServer,
  queryServers,
  referredZone,
  type ServerAnswer,
  wasLeftOut,
} from './answer.ts'
import { isAnswer, type Server, type Session } from './session.ts'

/** The name servers of a zone. */
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

export interface Zone {
  readonly name: string
  /** The servers of the zone's own NS records and of the parent's delegation. */
  readonly nameservers: NameserverSet
  /** The names of the parent's delegation; undefined if the same server serves both zones and shows no delegation. */
  readonly delegated: readonly string[] | undefined
  /** The names of the zone's own NS records; undefined if no server returned them. */
  readonly own: readonly string[] | undefined
}

/** Why no zone was found. `at` is the zone whose servers were queried last. */
export interface ZoneFault {
  readonly reason:
    | 'not_registered'
    | 'broken'
    | 'servfail'
    | 'no_reply'
    | 'refused'
    | 'no_resolver'
    | 'no_route'
    | 'reserved'
    | 'limit_reached'
  readonly at: string
  readonly nameservers: NameserverSet
  readonly answers: readonly ServerAnswer[]
}

/** `path` has the zones from the public suffix, or the closest zone above it, to the name's own. */
export type ZoneResult = { readonly path: readonly Zone[]; readonly fault?: ZoneFault }

// Deeper delegations exist only to waste the checker's time.
const maximumDepth = 12

/**
 * `all`: every server of the zones is found, so that they can be compared. `few`: as few queries as possible, because
 * each name in a chain of CNAMEs may be in another zone.
 */
export type Extent = 'all' | 'few'

/** The number of servers of a zone in a chain of CNAMEs that are located and queried for addresses. */
export const serversPerHop = 2

/**
 * Finds the zone of a name. If this machine has no route to the IPv4 addresses of a zone's servers, the search is
 * repeated over IPv6, which the rest of the check prefers if it leads further.
 */
export async function findZone(session: Session, name: string, extent: Extent = 'all'): Promise<ZoneResult> {
  const result = await walk(session, name, extent)
  const { reason, answers = [] } = result.fault ?? {}
  const isWithoutIpv4 = reason === 'no_route' && answers.every(({ server }) => addressType(server.address) === 'A')
  if (!isWithoutIpv4) return result
  const overIpv6 = await walk({ ...session, prefersIpv6: true }, name, extent)
  const further = overIpv6.path.length - result.path.length
  // Without IPv6, the second search may already end at a zone above, which has no fault.
  if (further < 0 || (further === 0 && overIpv6.fault?.reason === 'no_route')) return result
  session.preferIpv6()
  return overIpv6
}

async function walk(session: Session, name: string, extent: Extent): Promise<ZoneResult> {
  const start = await startZone(session, name, extent)
  if ('reason' in start) return { path: [], fault: start }
  const path: Zone[] = [start]
  for (let zone = start; path.length < maximumDepth; ) {
    const step = await descend(session, zone, name, extent)
    if ('reason' in step) return { path, fault: step }
    if (step === zone) return { path }
    path.push(step)
    zone = step
  }
  return { path, fault: faultAt(path[path.length - 1] ?? start, [], 'broken') }
}

/** The closest zone at or above the public suffix for which the resolvers return servers. */
async function startZone(session: Session, name: string, extent: Extent): Promise<Zone | ZoneFault> {
  const { publicSuffix } = parse(name, { allowPrivateDomains: false, extractHostname: false })
  const nobody = { names: [], servers: [], unresolved: [], failures: [] }
  let candidate: string | undefined = publicSuffix ?? ''
  let isDenied = false
  while (candidate !== undefined) {
    const outcome = await session.resolve(candidate, 'NS')
    isDenied ||= isDeniedByRoot(outcome)
    if (outcome.kind === 'failure') {
      const reason = isBeyondLimits(outcome) ? 'limit_reached' : 'no_resolver'
      return { reason, at: candidate, nameservers: nobody, answers: [] }
    }
    const names = nsNamesOf(outcome, candidate)
    if (names.length > 0) {
      const located = names.slice(0, extent === 'few' ? serversPerHop : 3)
      const nameservers = await locateServers(session, located, outcome.additionals, '')
      if (nameservers.servers.length > 0) return { name: candidate, nameservers, delegated: undefined, own: names }
    }
    candidate = parentOf(candidate)
  }
  return { reason: isDenied ? 'not_registered' : 'no_resolver', at: '', nameservers: nobody, answers: [] }
}

/**
 * Whether a resolver's reply has the denial of the root, whose servers it does not name: there is no such top-level
 * domain.
 */
function isDeniedByRoot(outcome: Outcome): boolean {
  if (outcome.kind !== 'reply' || outcome.rcode !== 'NXDOMAIN') return false
  return outcome.authorities.some(({ type, name }) => type === 'SOA' && name === '')
}

/** One level down: the child zone, or `zone` itself if the name is in it, or the fault. */
async function descend(session: Session, zone: Zone, name: string, extent: Extent): Promise<Zone | ZoneFault> {
  const answers = await queryInTurn(session, zone.nameservers.servers, name, 'SOA', {
    count: extent === 'few' ? 1 : 3,
    isUseful: (answer) => isUsable(answer) || referredZone(answer, zone.name) !== undefined,
  })
  const referral = answers.find((answer) => referredZone(answer, zone.name) !== undefined)
  if (referral) return delegatedZone(session, zone, referral, extent)
  const usable = answers.find(isUsable)
  if (!usable) return faultAt(zone, answers, reasonOf(answers))
  // The server is an authority for the name, even if the name is in another of its zones.
  if (extent === 'few') return isUnregistered(session, zone, name, usable)
  // A CNAME at the zone's own name may hide its SOA.
  const named = usable.zone === undefined && name !== zone.name ? await climb(session, usable, zone.name) : usable
  const owner = named.zone ?? (name === zone.name ? name : undefined)
  if (owner === undefined || !isWithin(owner, zone.name)) {
    // A server of a registry may deny the name with the SOA of the root.
    const step = owner === '' ? await isUnregistered(session, zone, name, usable) : zone
    return step === zone ? faultAt(zone, answers, reasonOf([named])) : step
  }
  if (owner !== zone.name) return ownZone(session, owner, usable, zone)
  return usable.alias && name !== zone.name && name === registeredDomain(name)
    ? ownZone(session, name, usable, zone)
    : isUnregistered(session, zone, name, usable)
}

async function delegatedZone(
  session: Session,
  parent: Zone,
  referral: ServerAnswer,
  extent: Extent,
): Promise<Zone | ZoneFault> {
  const name = referredZone(referral, parent.name)
  if (name === undefined || referral.outcome.kind !== 'reply') return faultAt(parent, [referral], 'broken')
  const delegated = nsNamesOf(referral.outcome, name)
  const located = extent === 'few' ? delegated.slice(0, serversPerHop) : delegated
  const byParent = await locateServers(session, located, referral.outcome.additionals, parent.name)
  const zone: Zone = { name, nameservers: byParent, delegated, own: undefined }
  if (byParent.servers.length === 0) return withoutServers(zone)
  return extent === 'few' ? zone : withOwnServers(session, zone)
}

/** Adds the servers that only the zone itself lists. */
async function withOwnServers(session: Session, zone: Zone): Promise<Zone> {
  const answers = await queryServers(session, zone.nameservers.servers.slice(0, 2), zone.name, 'NS')
  const reply = answers.find(({ state }) => state === 'records')?.outcome
  if (reply?.kind !== 'reply') return zone
  const own = nsNamesOf(reply, zone.name)
  const more = own.filter((name) => !zone.nameservers.names.includes(name))
  if (more.length === 0) return { ...zone, own }
  const located = await locateServers(session, more, reply.additionals, zone.name)
  const known = new Set(zone.nameservers.servers.map(({ address }) => address))
  const servers = [...zone.nameservers.servers, ...located.servers.filter(({ address }) => !known.has(address))]
  return {
    ...zone,
    own,
    nameservers: {
      names: [...zone.nameservers.names, ...more],
      servers: servers.slice(0, session.limits.nameservers),
      unresolved: [...zone.nameservers.unresolved, ...located.unresolved],
      failures: [...zone.nameservers.failures, ...located.failures],
    },
  }
}

/** A zone on the same server as its parent, which shows no delegation. A CNAME at its name may hide its NS records. */
async function ownZone(session: Session, name: string, answer: ServerAnswer, parent: Zone): Promise<Zone | ZoneFault> {
  const ns = await queryServer(session, answer.server, name, 'NS')
  const own = isUsable(ns) && ns.outcome.kind === 'reply' ? nsNamesOf(ns.outcome, name) : []
  if (ns.alias && own.length === 0) {
    const { server } = answer
    return {
      name,
      nameservers: { names: [server.name], servers: [server], unresolved: [], failures: [] },
      delegated: undefined,
      own: undefined,
    }
  }
  if (ns.outcome.kind !== 'reply' || own.length === 0) return faultAt(parent, [ns], reasonOf([ns]))
  const nameservers = await locateServers(session, own, ns.outcome.additionals, parent.name)
  const zone: Zone = { name, nameservers, delegated: undefined, own }
  return nameservers.servers.length === 0 ? withoutServers(zone) : zone
}

/** The answer with the SOA above a name, or without one the last answer. An alias at the name hides its SOA. */
async function climb(session: Session, answer: ServerAnswer, zone: string): Promise<ServerAnswer> {
  let last = answer
  for (let above = parentOf(answer.name); above !== undefined && isWithin(above, zone); above = parentOf(above)) {
    last = await queryServer(session, answer.server, above, 'SOA')
    if (!isUsable(last) || last.zone !== undefined) return last
  }
  return last
}

/** The fault `not_registered` if the registry's servers deny that the registrable domain exists; otherwise the zone. */
async function isUnregistered(
  session: Session,
  zone: Zone,
  name: string,
  { server }: ServerAnswer,
): Promise<Zone | ZoneFault> {
  const domain = registeredDomain(name)
  if (!domain || isWithin(zone.name, domain)) return zone
  const answer = await queryServer(session, server, domain, 'SOA')
  return answer.state === 'nxdomain' ? faultAt(zone, [answer], 'not_registered') : zone
}

function registeredDomain(name: string): string | null {
  return parse(name, { allowPrivateDomains: false, extractHostname: false }).domain
}

function faultAt(zone: Zone, answers: readonly ServerAnswer[], reason: ZoneFault['reason']): ZoneFault {
  return { reason, at: zone.name, nameservers: zone.nameservers, answers }
}

/** The fault of a zone for whose name servers no address is known. */
function withoutServers(zone: Zone): ZoneFault {
  const { failures } = zone.nameservers
  if (failures.length === 0) return faultAt(zone, [], 'broken')
  return faultAt(zone, [], failures.some(isBeyondLimits) ? 'limit_reached' : 'no_resolver')
}

/** Replies without authority mean a broken delegation. Missing replies may be a temporary failure. */
export function reasonOf(answers: readonly ServerAnswer[]): ZoneFault['reason'] {
  const has = (state: ServerAnswer['state']) => answers.some((answer) => answer.state === state)
  if (has('servfail')) return 'servfail'
  for (const reason of ['reserved', 'no_route'] as const) {
    const isAll = answers.every(({ outcome }) => outcome.kind === 'failure' && outcome.reason === reason)
    if (isAll && answers.length > 0) return reason
  }
  const isRefused = answers.some(({ outcome }) => outcome.kind === 'reply' && outcome.rcode === 'REFUSED')
  if (isRefused && !has('lame')) return 'refused'
  if (has('silent') || has('refused')) return 'no_reply'
  if (answers.some(wasLeftOut)) return 'limit_reached'
  return has('not_sent') ? 'no_reply' : 'broken'
}

/** The NS records of `zone` in any section of a reply. */
function nsNamesOf({ answers, authorities }: Reply, zone: string): string[] {
  const names = [...answers, ...authorities].filter(({ type, name }) => type === 'NS' && name === zone)
  return [...new Set(names.map(({ value }) => value))]
}

/**
 * Finds the addresses in the reply's additional section for names within `bailiwick`, for which the replying server is
 * trusted, and otherwise by the recursive resolvers.
 */
async function locateServers(
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
