/**
 * The headers that admission gives to every response of a request. They are a record instead of a dictionary, because its
 * members are compared with those of the response before without a look-up of names.
 */

import type { Principal } from '../principal.ts'

export class AdmissionHeaders {
  requestId: string | undefined = undefined
  /** The CORS headers; the same object for the same origin. */
  cors: Readonly<Record<string, string>> | undefined = undefined
  /** Of the window with fewer requests remaining. These are undefined until the request has been counted. */
  limit: number | undefined = undefined
  remaining: number | undefined = undefined
  reset: number | undefined = undefined
  /** The values of `RateLimit-Policy` and `RateLimit`. */
  policy: string | undefined = undefined
  rateLimit: string | undefined = undefined
}

/** Sets those that are known. */
export function setAdmissionHeaders(headers: Record<string, string | number>, admission: AdmissionHeaders): void {
  const { requestId, cors, limit, remaining, reset, policy, rateLimit } = admission
  if (requestId !== undefined) headers['X-Request-Id'] = requestId
  if (cors !== undefined) Object.assign(headers, cors)
  if (limit !== undefined) headers['X-RateLimit-Limit'] = limit
  if (remaining !== undefined) headers['X-RateLimit-Remaining'] = remaining
  if (reset !== undefined) headers['X-RateLimit-Reset'] = reset
  if (policy !== undefined) headers['RateLimit-Policy'] = policy
  if (rateLimit !== undefined) headers['RateLimit'] = rateLimit
}

/** The response to a request that is not admitted, without the headers of admission. */
export interface Rejected {
  readonly status: number
  readonly headers: Record<string, string | number>
  readonly body: string
}

/**
 * Completes `admission` and returns the principal of an admitted request or the response to a rejected one.
 * `authorization` is the `Authorization` header, or a substitute for it.
 */
export type Admit = (
  request: Request,
  admission: AdmissionHeaders,
  authorization?: string | null,
) => Principal | Rejected
