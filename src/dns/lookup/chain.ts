/** Follows CNAMEs hop by hop, with queries to the servers of each zone. */

import { matchesTarget } from '../target.ts'
import { isSendable } from '../wire/query.ts'
import { isUsable, isWithin, queryInTurn, queryServers, type ServerAnswer } from './answer.ts'
import type { Session } from './session.ts'
import { findZone, serversPerHop, type Zone, type ZoneFault, type ZoneResult } from './zone.ts'

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
   * `unknown`: its servers did not reply.
   */
  readonly end: 'target' | 'records' | 'empty' | 'loop' | 'too_long' | 'unknown'
  /** The zone of the last name; undefined if it was not found or not needed. */
  readonly zone: string | undefined
  /** The answers of the last name's servers for A and AAAA. */
  readonly last: readonly ServerAnswer[]
  /** Why the zone of the last name was not found, if it was not. */
  readonly fault: ZoneFault | undefined
  /** Whether servers of a zone on the way have different answers. */
  readonly isDisputed: boolean
}

export interface ChainStart {
  readonly hop: Hop
  /** Zones that are already known, whose servers are queried first. */
  readonly zones: readonly Zone[]
  readonly targets: readonly string[]
}

export async function followChain(session: Session, { hop, zones: known, targets }: ChainStart): Promise<Chain> {
  const hops: Hop[] = [hop]
  const visited = new Set([hop.name])
  let isDisputed = false
  let zones = known
  let zone: string | undefined
  const ended = (end: Chain['end'], last: readonly ServerAnswer[] = [], fault?: ZoneFault): Chain => {
    return { hops, end, last, zone, fault, isDisputed }
  }
  for (let name = hop.target; ; ) {
    if (targets.some((target) => matchesTarget(name, target))) return ended('target')
    if (visited.has(name)) return ended('loop')
    if (hops.length >= maximumHops) return ended('too_long')
    visited.add(name)
    // The name has octets that no hostname has, and so no address.
    if (!isSendable(name)) return ended('empty')
    const { path, fault } = await zoneOf(session, name, zones)
    if (fault) return ended(fault.reason === 'not_registered' ? 'empty' : 'unknown', [], fault)
    zones = path
    zone = path.at(-1)?.name
    const queryAt = (type: 'A' | 'AAAA') =>
      queryInTurn(session, path.at(-1)?.nameservers.servers ?? [], name, type, { count: serversPerHop, proof: true })
    const answers = await queryAt('A')
    const usable = answers.filter(isUsable)
    const alias = usable.find((answer) => answer.alias)?.alias
    if (usable.length === 0) return ended('unknown', answers)
    if (!alias) {
      const last = [...answers, ...(await queryAt('AAAA'))]
      if (last.some(({ state }) => state === 'records')) return ended('records', last)
      return ended(last.slice(answers.length).some(isUsable) ? 'empty' : 'unknown', last)
    }
    isDisputed ||= usable.some((answer) => answer.alias?.value !== alias.value)
    hops.push({ name, target: alias.value })
    name = alias.value
  }
}

/** The zone of a name: one of the known zones, unless a name below it is delegated to another zone. */
export async function zoneOf(session: Session, name: string, zones: readonly Zone[]): Promise<ZoneResult> {
  const known = zones.at(-1)
  const isBelow = known !== undefined && known.name !== '' && isWithin(name, known.name)
  // If the name is delegated to another zone, the servers of the known zone reply as lame.
  if (isBelow) {
    const servers = known.nameservers.servers.slice(0, serversPerHop)
    const answers = await queryServers(session, servers, name, 'A', { proof: true })
    if (answers.some(isUsable)) return { path: zones }
  }
  const result = await findZone(session, name, 'few')
  // The other servers may have an answer.
  return result.fault ? findZone(session, name) : result
}
