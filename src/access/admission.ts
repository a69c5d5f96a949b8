/**
 * Admission: assigns a request its id, authenticates its key and applies the limits, before its query and body are
 * parsed. A rejected request receives its response here; an admitted request receives its `principal`.
 */

import type { ClientNetworks } from '../api/client-networks.ts'
import { contextOf, type RequestContext } from '../api/context.ts'
import type { Cors } from '../api/cors.ts'
import { errorResponse } from '../api/errors.ts'
import type { Admit, Admitted, Principal } from '../api/principal.ts'
import { type Scope, scopes } from '../api/scopes.ts'
import type { OperationHeaders } from '../api/unrouted.ts'
import type { Followers } from './events/stream.ts'
import type { Authenticator, Rejection } from './keys/authenticate.ts'
import type { AddressLimiter } from './limits/addresses.ts'
import type { LimitErrorCode, Limiter } from './limits/limiter.ts'

export interface AdmissionOptions {
  readonly authenticator: Authenticator
  readonly limiter: Limiter
  readonly followers: Pick<Followers, 'isReopening'>
  readonly addresses: AddressLimiter
  readonly cors: Cors | undefined
  readonly networks: ClientNetworks
  /** Where the API is published. */
  readonly listening: { readonly address: string | null }
  /** The id of the store's own account; 0 if there is none. */
  readonly ownAccountId: () => number
  /** Returns the headers that every response of the request's operation has, errors included. */
  readonly operationHeaders: OperationHeaders
}

export function createAdmission(options: AdmissionOptions): Admit {
  const { authenticator, limiter, followers, addresses, cors, networks, listening, ownAccountId, operationHeaders } =
    options
  const nextRequestId = requestIds()

  type Code = Rejection['code'] | LimitErrorCode | 'invalid_parameter' | 'https_required'

  type Headers = Readonly<Record<string, string>>

  function reject(request: Request, admitted: Admitted, code: Code, message: string, own: Headers = {}): Response {
    const headers = { ...admitted.headers, ...operationHeaders(request.method, request.url), ...own }
    return errorResponse(request, code, message, headers)
  }

  /** The origin over HTTPS that a request has to use and does not: without encryption, others could read its key. */
  function requiredOriginOf(request: Request, context: RequestContext | undefined): string | undefined {
    if (context?.requiredOrigin !== undefined) return context.requiredOrigin
    const { address } = listening
    const isPublished = address?.startsWith('https:') && networks.isForwardedInClear(request, context?.peer)
    return isPublished ? (address ?? undefined) : undefined
  }

  /** Rejects a request without a valid key: with its error or, if its address has sent too many, with a 429. */
  function rejectUnknown(
    request: Request,
    admitted: Admitted,
    { code, message }: { readonly code: Code; readonly message: string },
  ): Response {
    const isWithinLimit = addresses.admit(networks.of(request, contextOf(request)?.peer))
    const { limit, remaining, reset, resetInSeconds, retryAfterSeconds } = addresses.status
    const { headers } = admitted
    headers['X-RateLimit-Limit'] = String(limit)
    headers['X-RateLimit-Remaining'] = String(remaining)
    headers['X-RateLimit-Reset'] = String(reset)
    headers['RateLimit-Policy'] = `"address";q=${limit};w=60`
    headers['RateLimit'] = `"address";r=${remaining};t=${resetInSeconds}`
    if (isWithinLimit) return reject(request, admitted, code, message)
    const excess = addressLimitMessage(limit, retryAfterSeconds)
    return reject(request, admitted, 'rate_limit_exceeded', excess, { 'Retry-After': String(retryAfterSeconds) })
  }

  return (request, admitted, authorization = request.headers.get('authorization')) => {
    const context = contextOf(request)
    const { headers } = admitted
    const requestId = nextRequestId()
    headers['X-Request-Id'] = requestId
    if (context) context.requestId = requestId
    if (cors) {
      Object.assign(headers, cors.headersFor(request))
      const preflight = cors.preflight(request)
      if (preflight) return new Response(null, { status: 204, headers: { ...headers, ...preflight } })
    }
    const requiredOrigin = requiredOriginOf(request, context)
    if (requiredOrigin !== undefined) {
      const message = `Use ${requiredOrigin}: over http:// others can read the key on its way. Replace a key that was sent this way.`
      return rejectUnknown(request, admitted, { code: 'https_required', message })
    }
    if (context?.isCommand === true) {
      admitted.principal = commandPrincipal(ownAccountId())
      return undefined
    }
    const principal = authenticator.authenticate(authorization)
    if ('code' in principal) {
      return rejectUnknown(request, admitted, principal)
    }
    if (context) context.keyId = principal.keyId
    const isCounted = !followers.isReopening(request, principal) || limiter.isBanned(principal)
    const error = isCounted ? limiter.admit(principal) : limiter.describe(principal)
    const { status } = limiter
    headers['X-RateLimit-Limit'] = String(status.limit)
    headers['X-RateLimit-Remaining'] = String(status.remaining)
    headers['X-RateLimit-Reset'] = String(status.reset)
    headers['RateLimit-Policy'] = principal.policy
    headers['RateLimit'] =
      `"minute";r=${status.minuteRemaining};t=${status.minuteResetInSeconds}, "day";r=${status.dayRemaining};t=${status.dayResetInSeconds}`
    if (error !== undefined) {
      const message = limitMessage(error, principal, status.retryAfterSeconds)
      return reject(request, admitted, error, message, { 'Retry-After': String(status.retryAfterSeconds) })
    }
    if (context?.hasInvalidHost) return reject(request, admitted, 'invalid_parameter', invalidHostMessage)
    admitted.principal = principal
    return undefined
  }
}

const allScopes: ReadonlySet<Scope> = new Set(scopes)

/**
 * The principal of the commands on this machine: whoever may open the socket or the files of the store may do
 * everything.
 */
const commandPrincipal = (ownAccountId: number): Principal => ({
  actor: 'command',
  accountId: 0,
  ownAccountId,
  plan: 'enterprise',
  // No limit counts its requests.
  allowance: { perMinute: 0, perDay: 0 },
  policy: '',
  scopes: allScopes,
  keyId: undefined,
  keyName: 'Command',
  expiresAtMs: Number.POSITIVE_INFINITY,
})

const invalidHostMessage =
  'Send exactly one Host header with a host name and, if needed, a port (RFC 9112 section 3.2).'

/** Returns a function that creates ids. They are unique across restarts: random bits of this run, then a count. */
function requestIds(): () => string {
  const run = Buffer.from(crypto.getRandomValues(new Uint8Array(8))).toString('hex')
  let count = 0
  return () => `req_${run}${(++count).toString(36)}`
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
