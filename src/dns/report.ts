/** The result of a check: a report with findings, for the API, the dashboard and the command. */

/** Every code of a finding. New ones come last. */
export const findingCodes = [
  'invalid_hostname',
  'is_public_suffix',
  'platform_domain',
  'wildcard_unsupported',
  'domain_not_registered',
  'delegation_broken',
  'nameserver_lame',
  'nameservers_disagree',
  'dnssec_bogus',
  'dns_servfail',
  'dns_timeout',
  'record_missing',
  'record_wrong_value',
  'label_doubled',
  'target_doubled',
  'conflict_a',
  'conflict_aaaa',
  'conflict_other',
  'apex_needs_alias',
  'apex_partial_match',
  'aaaa_foreign',
  'cname_loop',
  'cname_too_long',
  'wildcard_matched',
  'proxied',
  'txt_missing',
  'txt_wrong_name',
  'txt_wrong_value',
  'caa_forbids',
  'caa_method',
  'caa_critical_unknown',
  'reserved_address',
  'http_unreachable',
  'wrong_server',
  'propagating',
  'acme_rate_limited',
  'ca_refused',
  'certificate_expiring',
  'clock_wrong',
  'nameservers_refuse',
  'name_taken',
] as const
export type FindingCode = (typeof findingCodes)[number]

/** `error`: the domain does not work until it is fixed. `warning`: it may fail for some visitors. `info`: no fault. */
export type Severity = 'error' | 'warning' | 'info'

/** The answer of one server. */
export interface Observation {
  /** Name and address, as in `ns1.shop.example (192.0.2.1)`, or the address of a resolver. */
  readonly server: string
  /** The code of the reply, or why there was none: `TIMEOUT`, `UNREACHABLE`, `MALFORMED`, `LIMIT_REACHED`. */
  readonly rcode: string
  readonly authoritative: boolean
  readonly values: readonly string[]
  /** Seconds; null if there are no values. */
  readonly ttl: number | null
}

export interface Finding {
  readonly code: FindingCode
  readonly severity: Severity
  /** The DNS name of the fault. */
  readonly name: string
  /** The record type; null if the fault has none. */
  readonly type: string | null
  readonly expected: readonly string[]
  readonly observed: readonly Observation[]
  /** The fault, in one or two sentences. */
  readonly message: string
  /** Instructions for the owner of the domain. */
  readonly fix: string
  /** RFC 3339: the time at which caches no longer have the wrong answer if it is corrected now; null if unknown. */
  readonly expiresAt: string | null
}

const severities: readonly Severity[] = ['error', 'warning', 'info']

/** The findings with the errors first, and those of the same severity in their order. */
export function bySeverity(findings: readonly Finding[]): Finding[] {
  return findings.toSorted((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity))
}

/** `unknown`: the servers did not respond, which is no proof that the domain does not work. */
export type Verdict = 'verified' | 'failed' | 'unknown' | 'not_checked'

/** The answers of all servers for one name and type. */
export interface Lookup {
  readonly name: string
  readonly type: string
  readonly source: 'authoritative' | 'recursive'
  readonly observed: readonly Observation[]
}

export interface Report {
  /** A-labels if the name is valid, else as given. */
  readonly hostname: string
  readonly unicodeHostname: string
  /** RFC 3339. */
  readonly checkedAt: string
  readonly elapsedMs: number
  readonly queries: number
  /** False if the limits of time or queries were reached before every query was sent. */
  readonly complete: boolean
  /** The zone of the name; null if it was not found. */
  readonly zone: string | null
  /** Whether the name is the zone's own; null if the zone was not found. */
  readonly isApex: boolean | null
  readonly nameservers: readonly string[]
  /** Whether the name leads here, by the answers of all authoritative servers. */
  readonly routing: Verdict
  /** The proof: a CNAME, or addresses (which prove nothing about the account). */
  readonly routedBy: 'cname' | 'address' | null
  /** Whether the TXT record with the token exists. */
  readonly ownership: Verdict
  /** Whether CAA records allow the certificate authority. */
  readonly caa: Verdict
  readonly findings: readonly Finding[]
  readonly lookups: readonly Lookup[]
}

/** A report without the responses of all servers; the findings have those that matter. */
export type Diagnosis = Omit<Report, 'lookups'>
