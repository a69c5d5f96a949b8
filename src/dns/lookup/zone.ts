/**
 * Finds the zone of a name, from its top-level domain downwards: each parent's servers refer to the servers of the child,
 * and the zone's own servers return its SOA. Only the servers of the top-level domain and the addresses of name servers are
 * queried at resolvers, and may therefore be cached.
 */

import { parse } from 'tldts'
import { isUsable, isWithin, parentOf, queryServers, type ServerAnswer } from './answer.ts'
import { locateServers, type NameserverSet, nsNamesOf } from './nameservers.ts'
import type { Session } from './session.ts'

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
  readonly reason: 'not_registered' | 'broken' | 'servfail' | 'no_reply' | 'no_resolver' | 'reserved'
  readonly at: string
  readonly nameservers: NameserverSet
  readonly answers: readonly ServerAnswer[]
}

/** `path` has the zones from the public suffix, or the closest zone above it, to the name's own. */
export type ZoneResult = { readonly path: readonly Zone[]; readonly fault?: ZoneFault }

// Deeper delegations exist only to waste the checker's time.
const maximumDepth = 12

export async function findZone(session: Session, name: string): Promise<ZoneResult> {
  const start = await startZone(session, name)
  if ('reason' in start) return { path: [], fault: start }
  const path: Zone[] = [start]
  for (let zone = start; path.length < maximumDepth; ) {
    const step = await descend(session, zone, name)
    if ('reason' in step) return { path, fault: step }
    if (step === zone) return { path }
    path.push(step)
    zone = step
  }
  return { path, fault: faultAt(path[path.length - 1] ?? start, [], 'broken') }
}

/** The closest zone at or above the public suffix for which the resolvers return servers. */
async function startZone(session: Session, name: string): Promise<Zone | ZoneFault> {
  const { publicSuffix } = parse(name, { allowPrivateDomains: false, extractHostname: false })
  const nobody = { names: [], servers: [], unresolved: [] }
  let candidate: string | undefined = publicSuffix ?? ''
  while (candidate !== undefined) {
    const outcome = await session.resolve(candidate, 'NS')
    if (outcome.kind === 'failure') return { reason: 'no_resolver', at: candidate, nameservers: nobody, answers: [] }
    const names = nsNamesOf(outcome, candidate)
    if (names.length > 0) {
      const nameservers = await locateServers(session, names.slice(0, 3), outcome.additionals, '')
      if (nameservers.servers.length > 0) return { name: candidate, nameservers, delegated: undefined, own: names }
    }
    candidate = parentOf(candidate)
  }
  return { reason: 'no_resolver', at: '', nameservers: nobody, answers: [] }
}

/** One level down: the child zone, or `zone` itself if the name is in it, or the fault. */
async function descend(session: Session, zone: Zone, name: string): Promise<Zone | ZoneFault> {
  const answers = await querySome(session, zone, name)
  const referral = answers.find((answer) => referredZone(answer, zone.name) !== undefined)
  if (referral) return delegatedZone(session, zone, referral)
  const usable = answers.find(isUsable)
  if (!usable) return faultAt(zone, answers, reasonOf(answers))
  // A CNAME at the zone's own name may hide its SOA.
  const owner = usable.zone ?? (name === zone.name ? name : await climb(session, usable, zone.name))
  if (owner === undefined || !isWithin(owner, zone.name)) return faultAt(zone, answers, 'broken')
  if (owner !== zone.name) return ownZone(session, owner, usable, zone)
  return usable.alias && name !== zone.name && name === registeredDomain(name)
    ? ownZone(session, name, usable, zone)
    : isUnregistered(session, zone, name, usable)
}

/** Queries three servers, and the others only if those have no usable answer. */
async function querySome(session: Session, zone: Zone, name: string): Promise<ServerAnswer[]> {
  const { servers } = zone.nameservers
  const first = await queryServers(session, servers.slice(0, 3), name, 'SOA')
  const isUseful = (answer: ServerAnswer) => isUsable(answer) || referredZone(answer, zone.name) !== undefined
  if (first.some(isUseful)) return first
  return [...first, ...(await queryServers(session, servers.slice(3), name, 'SOA'))]
}

/** The child zone of a referral: below the queried zone, at or above the name. */
function referredZone({ outcome, name, state }: ServerAnswer, zone: string): string | undefined {
  if (outcome.kind !== 'reply' || state !== 'lame' || outcome.rcode !== 'NOERROR') return undefined
  return outcome.authorities.find(
    (record) =>
      record.type === 'NS' && record.name !== zone && isWithin(record.name, zone) && isWithin(name, record.name),
  )?.name
}

async function delegatedZone(session: Session, parent: Zone, referral: ServerAnswer): Promise<Zone | ZoneFault> {
  const name = referredZone(referral, parent.name)
  if (name === undefined || referral.outcome.kind !== 'reply') return faultAt(parent, [referral], 'broken')
  const delegated = nsNamesOf(referral.outcome, name)
  const byParent = await locateServers(session, delegated, referral.outcome.additionals, parent.name)
  const zone: Zone = { name, nameservers: byParent, delegated, own: undefined }
  if (byParent.servers.length === 0) return faultAt(zone, [], 'broken')
  return withOwnServers(session, zone)
}

/** Adds the servers that only the zone itself lists. */
async function withOwnServers(session: Session, zone: Zone): Promise<Zone> {
  const answers = await queryServers(session, zone.nameservers.servers.slice(0, 2), zone.name, 'NS')
  const reply = answers.find(({ state }) => state === 'records')?.outcome
  if (reply?.kind !== 'reply') return zone
  const own = nsNamesOf(reply, zone.name)
  const more = own.filter((name) => !zone.nameservers.names.includes(name))
  if (more.length === 0) return { ...zone, own }
  const found = await locateServers(session, more, reply.additionals, zone.name)
  const known = new Set(zone.nameservers.servers.map(({ address }) => address))
  const servers = [...zone.nameservers.servers, ...found.servers.filter(({ address }) => !known.has(address))]
  return {
    ...zone,
    own,
    nameservers: {
      names: [...zone.nameservers.names, ...more],
      servers: servers.slice(0, session.limits.nameservers),
      unresolved: [...zone.nameservers.unresolved, ...found.unresolved],
    },
  }
}

/** A zone on the same server as its parent, which shows no delegation. A CNAME at its name may hide its NS records. */
async function ownZone(session: Session, name: string, answer: ServerAnswer, parent: Zone): Promise<Zone | ZoneFault> {
  const [ns] = await queryServers(session, [answer.server], name, 'NS')
  const own = ns && isUsable(ns) && ns.outcome.kind === 'reply' ? nsNamesOf(ns.outcome, name) : []
  if (ns?.alias && own.length === 0) {
    const { server } = answer
    return {
      name,
      nameservers: { names: [server.name], servers: [server], unresolved: [] },
      delegated: undefined,
      own: undefined,
    }
  }
  if (ns?.outcome.kind !== 'reply' || own.length === 0) return faultAt(parent, ns ? [ns] : [], 'broken')
  const nameservers = await locateServers(session, own, ns.outcome.additionals, parent.name)
  const zone: Zone = { name, nameservers, delegated: undefined, own }
  return nameservers.servers.length === 0 ? faultAt(zone, [], 'broken') : zone
}

/** The owner of the SOA above a name. An alias at the name hides its SOA, so the names above are queried. */
async function climb(session: Session, { server, name }: ServerAnswer, zone: string): Promise<string | undefined> {
  for (let above = parentOf(name); above !== undefined && isWithin(above, zone); above = parentOf(above)) {
    const [answer] = await queryServers(session, [server], above, 'SOA')
    if (!answer || !isUsable(answer)) return undefined
    if (answer.zone !== undefined) return answer.zone
  }
  return undefined
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
  const answers = await queryServers(session, [server], domain, 'SOA')
  if (answers.some(({ state }) => state === 'nxdomain')) return faultAt(zone, answers, 'not_registered')
  return zone
}

function registeredDomain(name: string): string | null {
  return parse(name, { allowPrivateDomains: false, extractHostname: false }).domain
}

function faultAt(zone: Zone, answers: readonly ServerAnswer[], reason: ZoneFault['reason']): ZoneFault {
  return { reason, at: zone.name, nameservers: zone.nameservers, answers }
}

/** Replies without authority mean a broken delegation. Missing replies may be a temporary failure. */
function reasonOf(answers: readonly ServerAnswer[]): ZoneFault['reason'] {
  const has = (state: ServerAnswer['state']) => answers.some((answer) => answer.state === state)
  if (has('servfail')) return 'servfail'
  if (answers.every(({ outcome }) => outcome.kind === 'failure' && outcome.reason === 'reserved')) return 'reserved'
  if (has('silent') || has('refused') || has('not_sent')) return 'no_reply'
  return 'broken'
}
