/** The input of the checker: a name, the records that the platform expects of it, and the resolvers and limits. */

import type { Clock } from '../lib/clock.ts'
import type { Limits } from './wire/budget.ts'
import type { Endpoint } from './wire/endpoint.ts'

export interface CaaExpectation {
  /** Names of the certificate authority in CAA records, such as `letsencrypt.org`. */
  readonly identities: readonly string[]
  /** The ACME account, for `accounturi` (RFC 8657); without it such a parameter can't be evaluated. */
  readonly accountUri?: string
  /** For `validationmethods` (RFC 8657). */
  readonly method: string
}

export interface CheckRequest {
  /** As it was typed. */
  readonly hostname: string
  /**
   * The allowed targets of a CNAME. `*` as the first label matches any one label. Without targets the checker does not
   * compare values, and reports only faults that are independent of where the name leads.
   */
  readonly cnameTargets?: readonly string[]
  /** The addresses to which an apex may resolve: the public addresses of this machine. */
  readonly publicAddresses?: readonly string[]
  /**
   * Those that it may have at present, if there are more: a replaced address stays in caches. Fixes never name them.
   */
  readonly acceptedAddresses?: readonly string[]
  /** The required value of a TXT record at `_petstore-verify.<hostname>`; without it none is required. */
  readonly ownershipToken?: string
  /** The platform's own domains: names at or below these are rejected. */
  readonly platformDomains?: readonly string[]
  readonly caa?: CaaExpectation
}

/** The endpoint for the address of a name server; tests map addresses to other addresses and ports. */
export type Connector = (address: string) => Endpoint

export interface CheckOptions {
  /** Recursive resolvers. They may have private addresses. */
  readonly resolvers: readonly Endpoint[]
  /** Whether the checker may send to private and loopback addresses of the DNS. */
  readonly allowPrivateAddresses?: boolean
  /** The endpoint of an authoritative server; by default port 53 of its address. */
  readonly connect?: Connector
  readonly limits?: Partial<Limits>
  readonly clock?: Clock
  readonly signal?: AbortSignal
}
