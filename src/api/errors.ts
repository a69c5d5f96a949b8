/** Errors in HTTP: the table of all codes, the response with an error, and the error hook of the API. */

import { AppError, type ErrorCode } from '../lib/error.ts'
import type { Log } from '../lib/log.ts'
import { setErrorCode } from './context.ts'
import { UnsupportedMediaType } from './input/body.ts'
import { type Admitted, InsufficientScope } from './principal.ts'
import { Unroutable } from './route.ts'
import { pathOf } from './target.ts'
import type { OperationHeaders, Unrouted } from './unrouted.ts'

/** Every error code: the status of its response, and an example of a message. */
export const errorCodes = {
  malformed_json: { status: 400, example: 'The body is not well-formed JSON in UTF-8.' },
  invalid_body: { status: 400, example: 'name is required.' },
  invalid_parameter: { status: 400, example: '`staus`: did you mean `status`?' },
  invalid_cursor: { status: 400, example: 'cursor is not from this list: start again without it.' },
  missing_api_key: {
    status: 401,
    example: 'Send your API key in the Authorization header: "Authorization: Bearer <API_KEY>".',
  },
  invalid_api_key: { status: 401, example: 'This API key is not known here. It may belong to another installation.' },
  expired_api_key: { status: 401, example: 'This API key has expired. Ask for a new one.' },
  revoked_api_key: { status: 401, example: 'This API key has been revoked. Ask for a new one.' },
  plan_required: { status: 402, example: 'Custom domains need the plan pro or above; account 2 is on free.' },
  insufficient_scope: { status: 403, example: 'This API key lacks the scope that this operation needs.' },
  https_required: {
    status: 403,
    example: 'Use https://api.stores.example: over http:// others can read the key on its way.',
  },
  not_found: { status: 404, example: 'There is nothing at this address.' },
  method_not_allowed: { status: 405, example: 'DELETE is not allowed here.' },
  conflict: { status: 409, example: 'The record is in use.' },
  invalid_status_transition: { status: 409, example: 'An order that is delivered cannot become cancelled.' },
  pet_not_available: { status: 409, example: 'Animal 42 is not available.' },
  idempotency_in_progress: { status: 409, example: 'A request with this Idempotency-Key is still running.' },
  no_successful_deploy: { status: 409, example: 'This project has no successful deploy: deploy it first.' },
  domain_taken: {
    status: 409,
    example: 'www.shop.example is in use by another project, and its records still lead there.',
  },
  endpoint_removed: {
    status: 410,
    example: 'This endpoint was removed on 5 December 2030. Use GET /v1/pets?ids= instead.',
  },
  events_expired: {
    status: 410,
    example:
      'The events after event 1795169700000000 are no longer kept: take the id of the newest event (order=desc&limit=1), read the records again, then continue after that id.',
  },
  precondition_failed: {
    status: 412,
    example: 'The record is not in the state that If-Match or If-None-Match requires: fetch it again.',
  },
  payload_too_large: { status: 413, example: 'The body has more than 1048576 bytes.' },
  unsupported_media_type: { status: 415, example: 'Send the body as Content-Type: application/json.' },
  idempotency_key_reused: { status: 422, example: 'This Idempotency-Key was used for another request.' },
  rate_limit_exceeded: { status: 429, example: 'More than 60 requests in 60 seconds. Try again in 12 seconds.' },
  daily_quota_exceeded: { status: 429, example: 'More than 1000 requests today (UTC). Try again in 3600 seconds.' },
  key_banned: {
    status: 429,
    example: 'This API key is banned because it kept sending requests after a 429. Try again in 600 seconds.',
  },
  too_many_streams: {
    status: 429,
    example:
      'Too many streams of events are open: 10 of an account, 200 in all. Close one, or try again in 42 seconds.',
  },
  internal_error: {
    status: 500,
    example: 'Something went wrong in the service. If it persists, report the X-Request-Id of this response.',
  },
  storage_unavailable: {
    status: 503,
    example: 'The disk of the database is full. Nothing was changed; free some space on it and try again.',
  },
  too_busy: {
    status: 503,
    example: 'Too many large bodies of this key are arriving at the same time. Nothing was changed; try again.',
  },
} as const satisfies Record<ErrorCode, { readonly status: number; readonly example: string }>

const internalErrorMessage = errorCodes.internal_error.example

/** The error body: exactly `code`, `message` and `status`. */
export function errorBody(code: ErrorCode, message: string): string {
  return JSON.stringify({ code, message, status: errorCodes[code].status })
}

const realm = 'Bearer realm="petstore"'

/** The `WWW-Authenticate` header of each 401. */
const challenges: Partial<Record<ErrorCode, string>> = {
  missing_api_key: realm,
  invalid_api_key: `${realm}, error="invalid_token", error_description="The API key is invalid"`,
  expired_api_key: `${realm}, error="invalid_token", error_description="The API key has expired"`,
  revoked_api_key: `${realm}, error="invalid_token", error_description="The API key has been revoked"`,
}

/** The response with an error. `headers` are those that it has besides the ones of every error. */
export function errorResponse(
  request: Request,
  code: ErrorCode,
  message: string,
  headers: Readonly<Record<string, string>>,
): Response {
  setErrorCode(request, code)
  const challenge = challenges[code]
  const own = challenge === undefined ? headers : { ...headers, 'WWW-Authenticate': challenge }
  return new Response(errorBody(code, message), {
    status: errorCodes[code].status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...own },
  })
}

/** The arguments of Elysia's error hook that are used here. */
interface Failure {
  readonly error: unknown
  readonly code: unknown
  readonly request: Request
  readonly admitted: Admitted
}

interface ErrorHandlerOptions {
  readonly log: Log
  /** Records a failure of the storage and returns its error; returns undefined for any other failure. */
  readonly storageError: (error: unknown) => AppError | undefined
  /** Returns the error for a path and method without a route. */
  readonly unrouted: (method: string, url: string) => Unrouted
  /** Returns the headers that every response of the request's operation has, errors included. */
  readonly operationHeaders: OperationHeaders
}

/** Creates the error hook: it returns the response to a request that failed. */
export function createErrorHandler({ log, storageError, unrouted, operationHeaders }: ErrorHandlerOptions) {
  return ({ error: thrown, code, request, admitted }: Failure): Response => {
    const { method, url } = request
    const { error, allow } = errorOf(thrown, code, request)
    const headers: Record<string, string> = { ...admitted.headers, ...operationHeaders(method, url) }
    if (error.code === 'internal_error') {
      log.error('a request failed', { requestId: headers['X-Request-Id'], method, path: pathOf(url), error: thrown })
    }
    if (allow !== undefined) headers['Allow'] = allow
    if (error instanceof UnsupportedMediaType) Object.assign(headers, error.hint)
    if (error instanceof InsufficientScope) {
      headers['WWW-Authenticate'] = `${realm}, error="insufficient_scope", scope="${error.missing.join(' ')}"`
    }
    if (error.retryAfterSeconds !== undefined) headers['Retry-After'] = String(error.retryAfterSeconds)
    return errorResponse(request, error.code, error.message, headers)
  }

  function errorOf(thrown: unknown, elysiaCode: unknown, { method, url }: Request): Unrouted {
    if (elysiaCode === 'NOT_FOUND' || thrown instanceof Unroutable) return unrouted(method, url)
    if (thrown instanceof AppError) return { error: thrown }
    return { error: storageError(thrown) ?? new AppError('internal_error', internalErrorMessage) }
  }
}
