/** Looks where people put records by mistake, once the right place has turned out empty or wrong. */

import { askServers, isUsable, parentOf, type ServerAnswer } from './answer.ts'
import type { Server, Session } from './session.ts'

/** Where the TXT record of a hostname belongs. */
export function ownershipName(hostname: string): string {
  return `_petstore-verify.${hostname}`
}

export interface RecordStrays {
  /** At the hostname with the zone appended once more. */
  readonly doubled: ServerAnswer | undefined
  /** Records of other types at the hostname itself. */
  readonly others: readonly ServerAnswer[]
}

/** Asks one server, which is enough for a hint. */
export async function findRecordStrays(
  session: Session,
  server: Server,
  hostname: string,
  zone: string,
): Promise<RecordStrays> {
  const [doubled, ...others] = await Promise.all([
    zone === '' ? undefined : askOne(session, server, `${hostname}.${zone}`, 'A'),
    ...(['MX', 'TXT', 'CAA'] as const).map((type) => askOne(session, server, hostname, type)),
  ])
  return {
    doubled: doubled && (doubled.state === 'alias' || doubled.state === 'records') ? doubled : undefined,
    others: others.filter((answer) => answer?.state === 'records').flatMap((answer) => answer ?? []),
  }
}

/** Asks for a sibling name that nobody created: only a wildcard gives it an answer. */
export async function findWildcard(
  session: Session,
  server: Server,
  hostname: string,
): Promise<ServerAnswer | undefined> {
  const parent = parentOf(hostname)
  if (!parent) return undefined
  const answer = await askOne(session, server, `petstore-${crypto.randomUUID().slice(0, 8)}.${parent}`, 'A')
  return answer && (answer.state === 'alias' || answer.state === 'records') ? answer : undefined
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
  const answers = await Promise.all([...names].map((name) => askOne(session, server, name, 'TXT')))
  return answers.flatMap((answer) => (answer?.records.some(({ value }) => value.includes(token)) ? answer : []))
}

async function askOne(session: Session, server: Server, name: string, type: 'A' | 'TXT' | 'MX' | 'CAA') {
  const [answer] = await askServers(session, [server], name, type)
  return answer && isUsable(answer) ? answer : undefined
}
