/**
 * Decides about every request before anything of it is parsed: its id, its key, its limits. Whoever
 * isn't admitted gets an answer from here; everybody else's request carries `caller` from here on.
 */

import type { Authenticator, Caller, Rejection } from '../keys/authenticate.ts'
import type { AddressLimiter } from '../limits/addresses.ts'
import type { ClientNetworks } from '../limits/client-networks.ts'
import type { LimitErrorCode, Limiter } from '../limits/limiter.ts'
import { type Cors, isPreflight } from './cors.ts'
import { errorBody, statusOf } from './errors.ts'
import type { Settable } from './representation.ts'

export interface AdmissionOptions {
  readonly authenticator: Authenticator
  readonly limiter: Limiter
  readonly addresses: AddressLimiter
  readonly cors: Cors | undefined
  readonly networks: ClientNetworks
  /** Headers that the refused operation carries on every answer. */
  readonly operationHeaders: (method: string, url: string) => Readonly<Record<string, string>> | undefined
}

/** The one request hook: gives the caller of an admitted request, or the body of a refusal. */
export function createAdmission(options: AdmissionOptions) {
  const { authenticator, limiter, addresses, cors, networks, operationHeaders } = options
  const nextRequestId = requestIds()

  function refuse(request: Request, set: Settable, code: Rejection['code'] | LimitErrorCode, message: string): string {
    set.status = statusOf[code]
    set.headers['content-type'] = 'application/json'
    set.headers['cache-control'] = 'no-store'
    Object.assign(set.headers, operationHeaders(request.method, request.url))
    return errorBody(code, message)
  }

  function turnAway(request: Request, set: Settable, { code, message }: Rejection): string {
    const { headers } = set
    const { status } = addresses
    const admitted = addresses.admit(networks.of(request))
    headers['X-RateLimit-Limit'] = status.limit
    headers['X-RateLimit-Remaining'] = status.remaining
    headers['X-RateLimit-Reset'] = status.reset
    headers['RateLimit-Policy'] = `"address";q=${status.limit};w=60`
    headers['RateLimit'] = `"address";r=${status.remaining};t=${status.resetInSeconds}`
    if (!admitted) {
      headers['Retry-After'] = status.retryAfterSeconds
      const message = tooManyWithoutKey(status.limit, status.retryAfterSeconds)
      return refuse(request, set, 'rate_limit_exceeded', message)
    }
    headers['WWW-Authenticate'] =
      code === 'missing_api_key'
        ? 'Bearer realm="petstore"'
        : `Bearer realm="petstore", error="invalid_token", error_description="${errorDescriptions[code]}"`
    return refuse(request, set, code, message)
  }

  function holdBack(request: Request, set: Settable, caller: Caller, code: LimitErrorCode): string {
    const { retryAfterSeconds } = limiter.status
    set.headers['Retry-After'] = retryAfterSeconds
    return refuse(request, set, code, limitMessage(code, caller, retryAfterSeconds))
  }

  return (request: Request, set: Settable): Caller | string => {
    const { headers } = set
    headers['X-Request-Id'] = nextRequestId()
    if (cors?.allow(request, set) && isPreflight(request)) {
      cors.preflight(set)
      set.status = 204
      return ''
    }
    const caller = authenticator.authenticate(request.headers.get('authorization'))
    if ('code' in caller) return turnAway(request, set, caller)
    const refusal = limiter.admit(caller)
    const { status } = limiter
    headers['X-RateLimit-Limit'] = status.limit
    headers['X-RateLimit-Remaining'] = status.remaining
    headers['X-RateLimit-Reset'] = status.reset
    headers['RateLimit-Policy'] = caller.policy
    headers['RateLimit'] =
      `"minute";r=${status.minuteRemaining};t=${status.minuteResetInSeconds}, "day";r=${status.dayRemaining};t=${status.dayResetInSeconds}`
    return refusal === undefined ? caller : holdBack(request, set, caller, refusal)
  }
}

/** Ids that are unique across restarts: 60 random bits of this run, then a count. */
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

function tooManyWithoutKey(limit: number, seconds: number): string {
  return `More than ${limit} requests without a valid API key in 60 seconds. Try again in ${inSeconds(seconds)}.`
}

function limitMessage(code: LimitErrorCode, { allowance }: Caller, seconds: number): string {
  switch (code) {
    case 'rate_limit_exceeded':
      return `More than ${allowance.perMinute} requests in 60 seconds. Try again in ${inSeconds(seconds)}.`
    case 'daily_quota_exceeded':
      return `More than ${allowance.perDay} requests today (UTC). Try again in ${inSeconds(seconds)}.`
    case 'key_banned':
      return `This API key is banned for asking on after 429. Try again in ${inSeconds(seconds)}.`
  }
}

function inSeconds(seconds: number): string {
  return seconds === 1 ? '1 second' : `${seconds} seconds`
}
