/**
 * Finds the relevant CAA records of a name by RFC 8659, section 3, from the servers of each zone on the way to the
 * root.
 */

import { isUsable, isWithin, parentOf, queryInTurn, type ServerAnswer } from './answer.ts'
import { maximumHops, zoneOf } from './chain.ts'
import type { Session } from './session.ts'
import type { Zone, ZoneFault } from './zone.ts'

export interface CaaLookup {
  /**
   * `records`: the relevant set was found. `none`: no name on the way to the root has one. `unknown`: servers of a
   * level did not reply.
   */
  readonly end: 'records' | 'none' | 'unknown'
  /** The name of the last answers. */
  readonly name: string
  /** The zone of the servers of these answers. */
  readonly zone: string
  readonly answers: readonly ServerAnswer[]
  /** Why the zone was not found, if it was not. */
  readonly fault?: ZoneFault
}

// A CA queries one server of its choice. Querying a few shows whether they agree. Behind a CNAME one has to do.
const serversPerLevel = 3

/** `path` has the zones from the public suffix, or one above it, to the name's zone. */
export async function findCaa(session: Session, hostname: string, path: readonly Zone[]): Promise<CaaLookup> {
  let last: CaaLookup = { end: 'unknown', name: hostname, zone: '', answers: [] }
  for (let name: string | undefined = hostname; name; name = parentOf(name)) {
    last = await lookUp(session, name, path)
    if (last.end !== 'none') return last
  }
  return last
}

/** CAA(X) of the RFC: aliases are followed, and the records of their targets are those of X. */
async function lookUp(session: Session, start: string, path: readonly Zone[]): Promise<CaaLookup> {
  let name = start
  let zones: readonly Zone[] = path.filter((zone) => isWithin(start, zone.name))
  for (let hops = 0; hops <= maximumHops; hops++) {
    // The path begins at the public suffix: above one of several labels, such as co.uk, the zone is not known yet.
    const isKnown = hops === 0 && zones.length > 0
    const located = isKnown ? { path: zones } : await zoneOf(session, name, zones)
    if (located.fault) {
      const { fault } = located
      const end = fault.reason === 'not_registered' ? 'none' : 'unknown'
      return { end, name, zone: fault.at, answers: fault.answers, fault }
    }
    zones = located.path
    const servers = zones.at(-1)?.nameservers.servers ?? []
    const zone = zones.at(-1)?.name ?? ''
    const answers = await queryInTurn(session, servers, name, 'CAA', { count: hops === 0 ? serversPerLevel : 1 })
    const usable = answers.filter(isUsable)
    const hasRecords = usable.some(({ state }) => state === 'records')
    if (hasRecords) return { end: 'records', name, zone, answers }
    const alias = usable.find((answer) => answer.alias)?.alias
    if (usable.length === 0) return { end: 'unknown', name, zone, answers }
    if (!alias) return { end: 'none', name, zone, answers }
    name = alias.value
  }
  // A loop has no CAA set. It is reported by another finding.
  return { end: 'none', name, zone: '', answers: [] }
}
