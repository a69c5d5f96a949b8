/** Collects the facts about a name from the DNS. `judge` in `check.ts` derives the report from these facts alone. */

import { isUsable, queryServers, type ServerAnswer } from './lookup/answer.ts'
import { type CaaLookup, findCaa } from './lookup/caa.ts'
import { type Chain, followChain } from './lookup/chain.ts'
import { queryResolvers, type ResolverView } from './lookup/recursive.ts'
import type { Session } from './lookup/session.ts'
import { findRecordStrays, findTxtStrays, findWildcard, type RecordStrays } from './lookup/strays.ts'
import { findZone, type Zone, type ZoneFault } from './lookup/zone.ts'
import type { CheckedName } from './name.ts'
import type { CheckRequest } from './request.ts'
import { matchesTarget, normalName, ownershipName } from './target.ts'

export interface Facts {
  readonly path: readonly Zone[]
  readonly fault: ZoneFault | undefined
  /** The answers of every server of the zone for A and AAAA at the hostname. */
  readonly addresses: readonly ServerAnswer[]
  /** The chain that begins with the first CNAME that is not the expected one. */
  readonly chain: Chain | undefined
  readonly strays: RecordStrays | undefined
  /** The answers for A and AAAA of a random name beside the hostname, if there are some: those of a wildcard. */
  readonly wildcard: readonly ServerAnswer[]
  /** The answers of every server for TXT at the ownership name; undefined if no token is expected. */
  readonly ownership: readonly ServerAnswer[] | undefined
  readonly txtStrays: readonly ServerAnswer[]
  /** The same of a name beside the ownership name, if that is an alias. */
  readonly txtWildcard: readonly ServerAnswer[]
  readonly caa: CaaLookup | undefined
  readonly resolvers: readonly ResolverView[]
}

export async function collect(session: Session, request: CheckRequest, { hostname }: CheckedName): Promise<Facts> {
  const resolving = queryResolvers(session, hostname)
  const { path, fault } = await findZone(session, hostname)
  const zone = path.at(-1)
  if (fault || !zone) {
    const nothing = { addresses: [], chain: undefined, strays: undefined, wildcard: [], ownership: undefined }
    const rest = { txtStrays: [], txtWildcard: [], caa: undefined, resolvers: await resolving }
    return { path, fault, ...nothing, ...rest }
  }
  const [routing, txt, caa] = await Promise.all([
    collectRouting(session, request, hostname, path),
    collectOwnership(session, request, hostname, zone),
    findCaa(session, hostname, path),
  ])
  return { path, fault, ...routing, ...txt, caa, resolvers: await resolving }
}

async function collectRouting(session: Session, request: CheckRequest, hostname: string, path: readonly Zone[]) {
  const zone = path.at(-1)
  const servers = zone?.nameservers.servers ?? []
  const options = { proof: true }
  const [a, aaaa] = await Promise.all([
    queryServers(session, servers, hostname, 'A', options),
    queryServers(session, servers, hostname, 'AAAA', options),
  ])
  const addresses = [...a, ...aaaa]
  const usable = addresses.filter(isUsable)
  const witness = usable[0]?.server
  const targets = (request.cnameTargets ?? []).map(normalName)
  const alias = usable
    .flatMap((answer) => answer.alias ?? [])
    .find(({ value }) => !targets.some((target) => matchesTarget(value, target)))
  const isEmpty = usable.some(({ state }) => state === 'nodata' || state === 'nxdomain')
  const isApex = zone?.name === hostname
  const [chain, strays, wildcard] = await Promise.all([
    alias && followChain(session, { hop: { name: hostname, target: alias.value }, zones: path, targets }),
    witness && zone && isEmpty ? findRecordStrays(session, witness, hostname, zone.name) : undefined,
    witness && !isApex ? findWildcard(session, witness, hostname, ['A', 'AAAA']) : [],
  ])
  return { addresses, chain, strays, wildcard }
}

async function collectOwnership(session: Session, { ownershipToken }: CheckRequest, hostname: string, zone: Zone) {
  if (ownershipToken === undefined) return { ownership: undefined, txtStrays: [], txtWildcard: [] }
  const { servers } = zone.nameservers
  const ownership = await queryServers(session, servers, ownershipName(hostname), 'TXT', { proof: true })
  const usable = ownership.filter(isUsable)
  const [first] = usable
  const isThere = usable.every(({ records }) => records.some(({ value }) => value === ownershipToken))
  const isAlias = usable.some(({ alias }) => alias)
  const [txtStrays, txtWildcard] = await Promise.all([
    first && !isThere ? findTxtStrays(session, first.server, hostname, zone.name, ownershipToken) : [],
    first && isAlias ? findWildcard(session, first.server, ownershipName(hostname), ['TXT']) : [],
  ])
  return { ownership, txtStrays, txtWildcard }
}
