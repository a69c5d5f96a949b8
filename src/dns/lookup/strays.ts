/** Looks for records at the names where people put them by mistake, if the right name has no record or a wrong one. */

import { ownershipName } from '../target.ts'
import { isUsable, parentOf, queryServers, type ServerAnswer } from './answer.ts'
import type { Server, Session } from './session.ts'

export interface RecordStrays {
  /** The answer at the hostname with the zone appended twice. */
  readonly doubled: ServerAnswer | undefined
  /** Records of other types at the hostname itself. */
  readonly others: readonly ServerAnswer[]
}

/** Queries only one server, which is sufficient for a hint. */
export async function findRecordStrays(
  session: Session,
  server: Server,
  hostname: string,
  zone: string,
): Promise<RecordStrays> {
  const [doubled, ...others] = await Promise.all([
    zone === '' ? undefined : queryOne(session, server, `${hostname}.${zone}`, 'A'),
    ...(['MX', 'TXT', 'CAA'] as const).map((type) => queryOne(session, server, hostname, type)),
  ])
  return {
    doubled: doubled && (doubled.state === 'alias' || doubled.state === 'records') ? doubled : undefined,
    others: others.filter((answer) => answer?.state === 'records').flatMap((answer) => answer ?? []),
  }
}

/** Queries a random sibling name, which exists only by a wildcard. Resolves to the answers that are not empty. */
export async function findWildcard(
  session: Session,
  server: Server,
  name: string,
  types: readonly StrayType[],
): Promise<ServerAnswer[]> {
  const parent = parentOf(name)
  if (!parent) return []
  const sibling = `petstore-${crypto.randomUUID().slice(0, 8)}.${parent}`
  const answers = await Promise.all(types.map((type) => queryOne(session, server, sibling, type)))
  return answers.flatMap((answer) => (answer?.state === 'alias' || answer?.state === 'records' ? answer : []))
}

/** TXT records with the token at names that are not the right one. */
export async function findTxtStrays(
  session: Session,
  server: Server,
  hostname: string,
  zone: string,
  token: string,
): Promise<ServerAnswer[]> {
  const right = ownershipName(hostname)
  const names = new Set([
    hostname,
    `${right}.${zone}`,
    ownershipName(zone),
    zone,
    `_petstore-verify.${parentOf(hostname)}`,
  ])
  names.delete(right)
  const answers = await Promise.all([...names].map((name) => queryOne(session, server, name, 'TXT')))
  return answers.flatMap((answer) => (answer?.records.some(({ value }) => value.includes(token)) ? answer : []))
}

type StrayType = 'A' | 'AAAA' | 'TXT' | 'MX' | 'CAA'

async function queryOne(session: Session, server: Server, name: string, type: StrayType) {
  const [answer] = await queryServers(session, [server], name, type)
  return answer && isUsable(answer) ? answer : undefined
}
