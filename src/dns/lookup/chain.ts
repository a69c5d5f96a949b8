/** Follows CNAMEs, one hop after the other, each asked of the servers of the zone that holds it. */

import { matchesTarget } from '../target.ts'
import { isSendable } from '../wire/query.ts'
import { askServers, isUsable, isWithin, type ServerAnswer } from './answer.ts'
import type { Session } from './session.ts'
import { findZone, type Zone, type ZoneFault, type ZoneResult } from './zone.ts'

/** RFC 1034 sets no limit; resolvers give up after 8 to 16. */
export const maximumHops = 8

export interface Hop {
  readonly name: string
  readonly target: string
}

export interface Chain {
  readonly hops: readonly Hop[]
  /**
   * `target`: a hop leads to an expected target. `records`: the last name has addresses. `empty`: it has none.
   * `unknown`: its servers could not be asked.
   */
  readonly end: 'target' | 'records' | 'empty' | 'loop' | 'too_long' | 'unknown'
  /** The zone of the last name; undefined if it was not found or none was asked. */
  readonly zone: string | undefined
  /** The A and AAAA answers of the last name's servers. */
  readonly last: readonly ServerAnswer[]
  /** Why the zone of the last name could not be found, if it could not. */
  readonly fault: ZoneFault | undefined
  /** Whether some server on the way said something else than the others. */
  readonly isDisputed: boolean
}

export interface ChainStart {
  readonly hop: Hop
  /** Zones found already, to be asked first. */
  readonly zones: readonly Zone[]
  readonly targets: readonly string[]
}

// Each hop may lie in a zone of its own; asking some of its servers bounds the cost of a chain.
const serversPerHop = 4

export async function followChain(session: Session, { hop, zones, targets }: ChainStart): Promise<Chain> {
  const hops: Hop[] = [hop]
  const visited = new Set([hop.name])
  let isDisputed = false
  let zone: string | undefined
  const ended = (end: Chain['end'], last: readonly ServerAnswer[] = [], fault?: ZoneFault): Chain => {
    return { hops, end, last, zone, fault, isDisputed }
  }
  for (let name = hop.target; ; ) {
    if (targets.some((target) => matchesTarget(name, target))) return ended('target')
    if (visited.has(name)) return ended('loop')
    if (hops.length >= maximumHops) return ended('too_long')
    visited.add(name)
    // Octets that no hostname has: there is nothing to be found.
    if (!isSendable(name)) return ended('empty')
    const { path, fault } = await zoneOf(session, name, zones)
    if (fault) return ended(fault.reason === 'not_registered' ? 'empty' : 'unknown', [], fault)
    zone = path.at(-1)?.name
    const answers = await askAddresses(session, name, path.at(-1))
    const usable = answers.filter(isUsable)
    const alias = usable.find((answer) => answer.alias)?.alias
    if (usable.length === 0) return ended('unknown', answers)
    if (!alias) return ended(usable.some(({ state }) => state === 'records') ? 'records' : 'empty', answers)
    isDisputed ||= usable.some((answer) => answer.alias?.value !== alias.value)
    hops.push({ name, target: alias.value })
    name = alias.value
  }
}

async function askAddresses(session: Session, name: string, zone: Zone | undefined): Promise<ServerAnswer[]> {
  const servers = zone?.nameservers.servers.slice(0, serversPerHop) ?? []
  const options = { proof: true }
  const [a, aaaa] = await Promise.all([
    askServers(session, servers, name, 'A', options),
    askServers(session, servers, name, 'AAAA', options),
  ])
  return [...a, ...aaaa]
}

/** The zone of a name that may lie in one of those found already, unless something below them is delegated away. */
export async function zoneOf(session: Session, name: string, zones: readonly Zone[]): Promise<ZoneResult> {
  const known = zones.at(-1)
  const isBelow = known !== undefined && known.name !== '' && isWithin(name, known.name)
  // A name directly below a known zone can be cut off only by its own delegation, which answers as lame here.
  if (isBelow) {
    const answers = await askServers(session, known.nameservers.servers.slice(0, 2), name, 'A', { proof: true })
    if (answers.some(isUsable)) return { path: zones }
  }
  return findZone(session, name)
}
