/** Decoded DNS records and replies. */

/** Types that the checker sends queries for. */
export type QueryType = 'A' | 'AAAA' | 'CNAME' | 'NS' | 'SOA' | 'TXT' | 'CAA' | 'MX'

/** The data of a CAA record (RFC 8659, section 4.1). */
export interface CaaProperty {
  readonly flags: number
  readonly tag: string
  readonly value: string
}

export interface DnsRecord {
  /** Lower case, without the final dot; the root is ''. Unusual octets are escaped as in zone files. */
  readonly name: string
  readonly type: string
  /** Seconds. */
  readonly ttl: number
  /** The data in the form in which people type it, names without the final dot. */
  readonly value: string
  /** Only of an SOA: the seconds for which a negative reply may be cached (RFC 2308). */
  readonly minimum?: number
  /** Only of a CAA record. */
  readonly caa?: CaaProperty
}

/** A reply that matches its query and could be decoded. */
export interface Reply {
  readonly kind: 'reply'
  /** `NOERROR`, `NXDOMAIN`, `SERVFAIL`… */
  readonly rcode: string
  readonly authoritative: boolean
  readonly truncated: boolean
  readonly answers: readonly DnsRecord[]
  readonly authorities: readonly DnsRecord[]
  readonly additionals: readonly DnsRecord[]
  /** Info codes of extended DNS errors (RFC 8914). */
  readonly extendedErrors: readonly number[]
}

/**
 * Why there is no reply. `refused`: the host rejects packets, or a router or firewall says that it is unreachable;
 * `no_route`: this machine has no route to the address (typically no IPv6); `reserved`: the address is not globally
 * reachable, so nothing was sent; `limit_reached`: the time or the number of queries of the check was used up before a
 * reply came.
 */
export type FailureReason = 'timeout' | 'refused' | 'no_route' | 'malformed' | 'reserved' | 'limit_reached'

export interface Failure {
  readonly kind: 'failure'
  readonly reason: FailureReason
}

export type Outcome = Reply | Failure

export function failure(reason: FailureReason): Failure {
  return { kind: 'failure', reason }
}

const rcodes: Readonly<Record<number, string>> = {
  0: 'NOERROR',
  1: 'FORMERR',
  2: 'SERVFAIL',
  3: 'NXDOMAIN',
  4: 'NOTIMP',
  5: 'REFUSED',
  9: 'NOTAUTH',
}

export function rcodeName(code: number): string {
  return rcodes[code] ?? `RCODE${code}`
}

const typeNumbers: Readonly<Record<string, number>> = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  PTR: 12,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  SRV: 33,
  DNAME: 39,
  OPT: 41,
  RRSIG: 46,

  CAA: 257,
}
const typeNames = new Map(Object.entries(typeNumbers).map(([name, number]) => [number, name]))

/** `TYPE123` for a type without a name here (RFC 3597). */
export function typeName(number: number): string {
  return typeNames.get(number) ?? `TYPE${number}`
}

export function typeNumber(type: QueryType): number {
  return typeNumbers[type] ?? 0
}
