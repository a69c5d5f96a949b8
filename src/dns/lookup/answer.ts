/** Reads the reply of one authoritative server about one name and type. */

import type { Observation } from '../report.ts'
import type { DnsRecord, Outcome, QueryType } from '../wire/record.ts'
import type { Server, Session } from './session.ts'

/**
 * `lame`: the server replied without authority for the name. `refused`: it replied with REFUSED or another error.
 * `silent`: it did not reply. `not_sent`: no query was sent (no route, reserved address, limits).
 */
export type AnswerState =
  | 'records'
  | 'alias'
  | 'nodata'
  | 'nxdomain'
  | 'lame'
  | 'refused'
  | 'servfail'
  | 'silent'
  | 'not_sent'

export interface ServerAnswer {
  readonly server: Server
  readonly name: string
  readonly type: QueryType
  readonly state: AnswerState
  readonly outcome: Outcome
  /** The records of the type at the name. Beside an alias they are a conflict. */
  readonly records: readonly DnsRecord[]
  /** The CNAME at the name. */
  readonly alias: DnsRecord | undefined
  /** The seconds for which an empty answer may be cached. */
  readonly negativeTtl: number | undefined
  /** The owner of the SOA record in the reply: the zone. */
  readonly zone: string | undefined
}

export interface QueryOptions {
  /** Whether the answer proves something: the query is then sent over TCP if the server accepts it. */
  readonly proof?: boolean
}

export interface TurnOptions extends QueryOptions {
  readonly count: number
  /** By default, whether the server is an authority for the name. */
  readonly isUseful?: (answer: ServerAnswer) => boolean
}

/** Sends a query to all servers simultaneously. */
export function queryServers(
  session: Session,
  servers: readonly Server[],
  name: string,
  type: QueryType,
  options?: QueryOptions,
): Promise<ServerAnswer[]> {
  return Promise.all(servers.map((server) => queryServer(session, server, name, type, options)))
}

/** Queries the first `count` servers, and the others only if none of these has a useful answer. */
export async function queryInTurn(
  session: Session,
  servers: readonly Server[],
  name: string,
  type: QueryType,
  { count, isUseful = isUsable, ...options }: TurnOptions,
): Promise<ServerAnswer[]> {
  const first = await queryServers(session, servers.slice(0, count), name, type, options)
  if (first.some(isUseful)) return first
  return [...first, ...(await queryServers(session, servers.slice(count), name, type, options))]
}

export async function queryServer(
  session: Session,
  server: Server,
  name: string,
  type: QueryType,
  options?: QueryOptions,
): Promise<ServerAnswer> {
  const answer = readAnswer(server, name, type, await session.query(server, name, type, options))
  if (answer.state !== 'servfail' || type === 'CNAME' || type === 'NS') return answer
  // PowerDNS and others follow CNAMEs themselves, and fail if those loop or have no target. The CNAME itself can be
  // queried.
  const outcome = await session.query(server, name, 'CNAME', options)
  const [alias] = readAnswer(server, name, 'CNAME', outcome).records
  return alias ? { ...answer, outcome, alias, state: 'alias' } : answer
}

export function readAnswer(server: Server, name: string, type: QueryType, outcome: Outcome): ServerAnswer {
  const answers = outcome.kind === 'reply' ? outcome.answers.filter((record) => record.name === name) : []
  const records = answers.filter((record) => record.type === type)
  const alias = type === 'CNAME' ? undefined : answers.find((record) => record.type === 'CNAME')
  const all = outcome.kind === 'reply' ? [...outcome.answers, ...outcome.authorities] : []
  // Beside an alias it may be that of the zone in which the alias ends (RFC 2308, section 2.1).
  const isOfName = (owner: string) => (alias ? owner === name : isWithin(name, owner))
  const soa = all.find((record) => record.type === 'SOA' && isOfName(record.name))
  return {
    server,
    name,
    type,
    outcome,
    records,
    alias,
    state: stateOf(outcome, records.length > 0, alias !== undefined),
    negativeTtl: soa && Math.min(soa.ttl, soa.minimum ?? soa.ttl),
    zone: soa?.name,
  }
}

/** The CNAME records at the name: several break RFC 1034, section 3.6.2. */
export function aliasesOf({ alias, outcome, name }: ServerAnswer): DnsRecord[] {
  if (!alias || outcome.kind !== 'reply') return []
  return outcome.answers.filter((record) => record.type === 'CNAME' && record.name === name)
}

function stateOf(outcome: Outcome, hasRecords: boolean, isAlias: boolean): AnswerState {
  if (outcome.kind === 'failure') {
    return /^(no_route|reserved|limit_reached)$/.test(outcome.reason) ? 'not_sent' : 'silent'
  }
  if (outcome.rcode === 'SERVFAIL') return 'servfail'
  if (outcome.rcode !== 'NOERROR' && outcome.rcode !== 'NXDOMAIN') return 'refused'
  if (!outcome.authoritative) return 'lame'
  if (isAlias) return 'alias'
  if (hasRecords) return 'records'
  return outcome.rcode === 'NXDOMAIN' ? 'nxdomain' : 'nodata'
}

/** Whether the server is an authority for the name. Other answers are ignored. */
export function isUsable({ state }: ServerAnswer): boolean {
  return state === 'records' || state === 'alias' || state === 'nodata' || state === 'nxdomain'
}

/** The child zone of a referral: below the queried zone, at or above the name. */
export function referredZone({ outcome, name, state }: ServerAnswer, zone: string): string | undefined {
  if (outcome.kind !== 'reply' || state !== 'lame' || outcome.rcode !== 'NOERROR') return undefined
  return outcome.authorities.find(
    (record) =>
      record.type === 'NS' && record.name !== zone && isWithin(record.name, zone) && isWithin(name, record.name),
  )?.name
}

/** Whether the limits of the check were reached before the server replied. Its answer could have been different. */
export function wasLeftOut({ outcome }: ServerAnswer): boolean {
  return isBeyondLimits(outcome)
}

export function isBeyondLimits(outcome: Outcome): boolean {
  return outcome.kind === 'failure' && outcome.reason === 'limit_reached'
}

/** Whether `name` is `ancestor` or below it. */
export function isWithin(name: string, ancestor: string): boolean {
  return name === ancestor || ancestor === '' || name.endsWith(`.${ancestor}`)
}

/** The name without its first label; undefined for the root. */
export function parentOf(name: string): string | undefined {
  if (name === '') return undefined
  const dot = name.indexOf('.')
  return dot === -1 ? '' : name.slice(dot + 1)
}

const failureNames = {
  timeout: 'TIMEOUT',
  refused: 'CONNECTION_REFUSED',
  no_route: 'NO_ROUTE',
  malformed: 'MALFORMED',
  reserved: 'RESERVED_ADDRESS',
  limit_reached: 'LIMIT_REACHED',
} as const

export function observe(answer: ServerAnswer): Observation {
  const shown = [...aliasesOf(answer), ...answer.records]
  return observation(serverLabel(answer.server), answer.outcome, shown)
}

export function observation(server: string, outcome: Outcome, shown: readonly DnsRecord[]): Observation {
  return {
    server,
    rcode: outcome.kind === 'reply' ? outcome.rcode : failureNames[outcome.reason],
    authoritative: outcome.kind === 'reply' && outcome.authoritative,
    values: shown
      .slice(0, maximumValues)
      .map(({ type, value }) => shorten(type === 'CNAME' ? `CNAME ${value}` : value)),
    ttl: shown.length > 0 ? Math.max(...shown.map(({ ttl }) => ttl)) : null,
  }
}

// A name may have 60 kB of records. A report quotes only some of them.
const maximumValues = 20
const maximumValueLength = 300

function shorten(value: string): string {
  return value.length > maximumValueLength ? `${value.slice(0, maximumValueLength)}…` : value
}

/** The first four values, and the number of further ones. */
export function listed(values: readonly string[], separator = ', '): string {
  const first = values.slice(0, 4).map(shorten)
  const rest = values.length - first.length
  return `${first.join(separator)}${rest > 0 ? ` and ${rest} more` : ''}`
}

export function serverLabel({ name, address }: Server): string {
  return `${name} (${address})`
}
