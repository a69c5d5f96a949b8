/**
 * Admission: assigns a request its id, authenticates its key and applies the limits, before its query and body are
 * parsed. A rejected request receives its response here; an admitted request receives its `principal`.
 */

import type { Authenticator, Rejection } from '../keys/authenticate.ts'
import type { Principal } from '../keys/principal.ts'
import type { AddressLimiter } from '../limits/addresses.ts'
import type { ClientNetworks } from '../limits/client-networks.ts'
import type { LimitErrorCode, Limiter } from '../limits/limiter.ts'
import type { ResponseHead } from './conditions.ts'
import { contextOf, setErrorCode } from './context.ts'
import { type Cors, isPreflight } from './cors.ts'
import { errorBody, statusOf } from './errors.ts'

export interface AdmissionOptions {
  readonly authenticator: Authenticator
  readonly limiter: Limiter
  readonly addresses: AddressLimiter
  readonly cors: Cors | undefined
  readonly networks: ClientNetworks
  /** Returns the headers that every response of the request's operation has, errors included. */
  readonly operationHeaders: (method: string, url: string) => Readonly<Record<string, string>> | undefined
}

/**
 * Creates the request hook: it returns the principal of an admitted request or the response body of a rejected one.
 * `authorization` is the `Authorization` header, or a substitute for it.
 */
export function createAdmission(options: AdmissionOptions) {
  const { authenticator, limiter, addresses, cors, networks, operationHeaders } = options
  const nextRequestId = requestIds()

  type Code = Rejection['code'] | LimitErrorCode | 'invalid_parameter'

  function reject(request: Request, head: ResponseHead, code: Code, message: string): string {
    setErrorCode(request, code)
    head.status = statusOf[code]
    head.headers['content-type'] = 'application/json'
    head.headers['cache-control'] = 'no-store'
    Object.assign(head.headers, operationHeaders(request.method, request.url))
    return errorBody(code, message)
  }

  function rejectUnauthenticated(request: Request, head: ResponseHead, { code, message }: Rejection): string {
    const { headers } = head
    const { status } = addresses
    const admitted = addresses.admit(networks.of(request, contextOf(request)?.peer))
    headers['X-RateLimit-Limit'] = status.limit
    headers['X-RateLimit-Remaining'] = status.remaining
    headers['X-RateLimit-Reset'] = status.reset
    headers['RateLimit-Policy'] = `"address";q=${status.limit};w=60`
    headers['RateLimit'] = `"address";r=${status.remaining};t=${status.resetInSeconds}`
    if (!admitted) {
      headers['Retry-After'] = status.retryAfterSeconds
      return reject(request, head, 'rate_limit_exceeded', addressLimitMessage(status.limit, status.retryAfterSeconds))
    }
    headers['WWW-Authenticate'] =
      code === 'missing_api_key'
        ? 'Bearer realm="petstore"'
        : `Bearer realm="petstore", error="invalid_token", error_description="${errorDescriptions[code]}"`
    return reject(request, head, code, message)
  }

  function rejectLimited(request: Request, head: ResponseHead, principal: Principal, code: LimitErrorCode): string {
    const { retryAfterSeconds } = limiter.status
    head.headers['Retry-After'] = retryAfterSeconds
    return reject(request, head, code, limitMessage(code, principal, retryAfterSeconds))
  }

  return (
    request: Request,
    head: ResponseHead,
    authorization = request.headers.get('authorization'),
  ): Principal | string => {
    const { headers } = head
    const context = contextOf(request)
    const requestId = nextRequestId()
    headers['X-Request-Id'] = requestId
    if (context) context.requestId = requestId
    if (cors?.allow(request, head) && isPreflight(request)) {
      cors.preflight(head)
      head.status = 204
      return ''
    }
    const principal = authenticator.authenticate(authorization)
    if ('code' in principal) return rejectUnauthenticated(request, head, principal)
    if (context) context.keyId = principal.keyId
    const error = limiter.admit(principal)
    const { status } = limiter
    headers['X-RateLimit-Limit'] = status.limit
    headers['X-RateLimit-Remaining'] = status.remaining
    headers['X-RateLimit-Reset'] = status.reset
    headers['RateLimit-Policy'] = principal.policy
    headers['RateLimit'] =
      `"minute";r=${status.minuteRemaining};t=${status.minuteResetInSeconds}, "day";r=${status.dayRemaining};t=${status.dayResetInSeconds}`
    if (error !== undefined) return rejectLimited(request, head, principal, error)
    if (context?.hasInvalidHost) return reject(request, head, 'invalid_parameter', invalidHostMessage)
    return principal
  }
}

const invalidHostMessage =
  'Send exactly one Host header with a host name and, if needed, a port (RFC 9112 section 3.2).'

/** Returns a function that creates ids. They are unique across restarts: random bits of this run, then a count. */
function requestIds(): () => string {
  const run = Buffer.from(crypto.getRandomValues(new Uint8Array(8))).toString('hex')
  let count = 0
  return () => `req_${run}${(++count).toString(36)}`
}

const errorDescriptions: Record<Exclude<Rejection['code'], 'missing_api_key'>, string> = {
  invalid_api_key: 'The API key is invalid',
  expired_api_key: 'The API key has expired',
  revoked_api_key: 'The API key has been revoked',
}

function addressLimitMessage(limit: number, seconds: number): string {
  return `More than ${limit} requests without a valid API key in 60 seconds. Try again in ${inSeconds(seconds)}.`
}

function limitMessage(code: LimitErrorCode, { allowance }: Principal, seconds: number): string {
  switch (code) {
    case 'rate_limit_exceeded':
      return `More than ${allowance.perMinute} requests in 60 seconds. Try again in ${inSeconds(seconds)}.`
    case 'daily_quota_exceeded':
      return `More than ${allowance.perDay} requests today (UTC). Try again in ${inSeconds(seconds)}.`
    case 'key_banned':
      return `This API key is banned because it kept sending requests after a 429. Try again in ${inSeconds(seconds)}.`
  }
}

function inSeconds(seconds: number): string {
  return seconds === 1 ? '1 second' : `${seconds} seconds`
}
