/**
 * Looks for records at the names where people put them by mistake, if the right name has no record or a wrong one, and
 * for those of wildcards, which answer for every such name.
 */

import { ownershipName } from '../target.ts'
import type { QueryType } from '../wire/record.ts'
import { isUsable, parentOf, queryServers, type ServerAnswer } from './answer.ts'
import type { Server, Session } from './session.ts'

export interface RecordStrays {
  /** The answer at the hostname with the zone appended twice. */
  readonly doubled: ServerAnswer | undefined
  /** Records of other types at the hostname itself, unless it is the zone's own name, which has some in any case. */
  readonly others: readonly ServerAnswer[]
}

/** Queries only one server, which is sufficient for a hint. */
export async function findRecordStrays(
  session: Session,
  server: Server,
  hostname: string,
  zone: string,
): Promise<RecordStrays> {
  const otherTypes = hostname === zone ? [] : (['MX', 'TXT', 'CAA'] as const)
  const [doubled, ...others] = await Promise.all([
    zone === '' ? undefined : queryOne(session, server, `${hostname}.${zone}`, 'A'),
    ...otherTypes.map((type) => queryOne(session, server, hostname, type)),
  ])
  const own = (answer: ServerAnswer) => withoutWildcard(session, server, answer)
  const [ownDoubled, ...ownOthers] = await Promise.all([
    doubled && (doubled.state === 'alias' || doubled.state === 'records') ? own(doubled) : undefined,
    ...others.flatMap((answer) => (answer?.state === 'records' ? own(answer) : [])),
  ])
  return { doubled: ownDoubled, others: ownOthers.flatMap((answer) => answer ?? []) }
}

/** The answer; undefined if it is that of a wildcard. */
async function withoutWildcard(session: Session, server: Server, answer: ServerAnswer) {
  const wildcard = await findWildcard(session, server, answer.name, [answer.type])
  return isOfWildcard([answer], wildcard) ? undefined : answer
}

/** Queries a random sibling name, which exists only by a wildcard. Resolves to the answers that are not empty. */
export async function findWildcard(
  session: Session,
  server: Server,
  name: string,
  types: readonly QueryType[],
): Promise<ServerAnswer[]> {
  const parent = parentOf(name)
  if (!parent) return []
  const sibling = `petstore-${crypto.randomUUID().slice(0, 8)}.${parent}`
  const answers = await Promise.all(types.map((type) => queryOne(session, server, sibling, type)))
  return answers.flatMap((answer) => (answer?.state === 'alias' || answer?.state === 'records' ? answer : []))
}

/**
 * Whether all answers that are not empty are those of a wildcard. Without DNSSEC an explicit record with the same
 * content looks the same.
 */
export function isOfWildcard(answers: readonly ServerAnswer[], wildcard: readonly ServerAnswer[]): boolean {
  const shown = answers.filter((answer) => valuesOf(answer) !== '')
  return shown.length > 0 && shown.every((answer) => wildcard.some((other) => isSame(answer, other)))
}

function isSame(answer: ServerAnswer, wildcard: ServerAnswer): boolean {
  return answer.type === wildcard.type && valuesOf(answer) === valuesOf(wildcard)
}

function valuesOf({ alias, records }: ServerAnswer): string {
  return [alias, ...records]
    .flatMap((record) => record?.value ?? [])
    .sort()
    .join()
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

async function queryOne(session: Session, server: Server, name: string, type: QueryType) {
  const [answer] = await queryServers(session, [server], name, type)
  return answer && isUsable(answer) ? answer : undefined
}
