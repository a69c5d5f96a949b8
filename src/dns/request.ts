/** The input of the checker: a name, the records that the platform expects of it, and the way to the DNS. */

import type { Clock } from '../lib/clock.ts'
import type { HttpProbe } from './probe.ts'
import type { Limits, Pacer } from './wire/budget.ts'
import type { Endpoint } from './wire/endpoint.ts'

export interface CaaExpectation {
  /** Names of the certificate authority in CAA records, such as `letsencrypt.org`. */
  readonly identities: readonly string[]
  /** The ACME account, for `accounturi` (RFC 8657); without it such a parameter can't be judged. */
  readonly accountUri?: string
  /** For `validationmethods` (RFC 8657). */
  readonly method: string
}

export interface CheckRequest {
  /** As somebody typed it. */
  readonly hostname: string
  /**
   * What a CNAME may point at. `*` as the first label stands for any one label. None: the checker judges no values and
   * reports only the faults that are faults wherever the name leads.
   */
  readonly cnameTargets?: readonly string[]
  /** The addresses that an apex may resolve to: those of this machine as the world sees them. */
  readonly publicAddresses?: readonly string[]
  /** The value that a TXT record at `_petstore-verify.<hostname>` must have; none: not needed. */
  readonly ownershipToken?: string
  /** Names at or below these are the platform's own. */
  readonly platformDomains?: readonly string[]
  readonly caa?: CaaExpectation
}

/** Where a name server's packets go; tests map addresses to other ones and ports. */
export type Connector = (address: string) => Endpoint

export interface CheckOptions {
  /** Recursive resolvers. They may have private addresses. */
  readonly resolvers: readonly Endpoint[]
  /** Lets the checker send to private and loopback addresses that it learns from the DNS. */
  readonly allowPrivateAddresses?: boolean
  /** Authoritative servers are asked at port 53 unless told otherwise. */
  readonly connect?: Connector
  readonly limits?: Partial<Limits>
  readonly clock?: Clock
  readonly signal?: AbortSignal
  /** Shared by the checks of a server: lets the event loop serve requests between their queries. */
  readonly pacer?: Pacer
  /** Fetches a page from the public addresses; none: no HTTP is sent. */
  readonly probe?: HttpProbe
}
