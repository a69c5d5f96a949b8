/** Maps errors to HTTP: the status of every error code, the error body, and the error hook of the API. */

import { AppError, type ErrorCode } from '../lib/error.ts'
import type { Log } from '../lib/log.ts'
import type { Admitted } from './admitted.ts'
import { setErrorCode } from './context.ts'
import { UnsupportedMediaType } from './input/body.ts'
import { InsufficientScope } from './principal.ts'
import { Unroutable } from './route.ts'
import { RangeNotSatisfiable } from './sent-file.ts'
import { pathOf } from './target.ts'
import type { OperationHeaders, Unrouted } from './unrouted.ts'

export const statusOf = {
  malformed_json: 400,
  invalid_body: 400,
  invalid_parameter: 400,
  invalid_cursor: 400,
  missing_api_key: 401,
  invalid_api_key: 401,
  expired_api_key: 401,
  revoked_api_key: 401,
  plan_required: 402,
  insufficient_scope: 403,
  https_required: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  invalid_status_transition: 409,
  pet_not_available: 409,
  idempotency_in_progress: 409,
  no_successful_deploy: 409,
  domain_taken: 409,
  endpoint_removed: 410,
  precondition_failed: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  idempotency_key_reused: 422,
  rate_limit_exceeded: 429,
  daily_quota_exceeded: 429,
  key_banned: 429,
  internal_error: 500,
  storage_unavailable: 503,
  too_busy: 503,
} satisfies Record<ErrorCode, number>

const internalErrorMessage =
  'Something went wrong in the service. If it persists, report the X-Request-Id of this response.'

/** The error body: exactly `code`, `message` and `status`. */
export function errorBody(code: ErrorCode, message: string): string {
  return JSON.stringify({ code, message, status: statusOf[code] })
}

/** The response with an error. `headers` are those that it has besides the ones of every error. */
export function errorResponse(
  request: Request,
  code: ErrorCode,
  message: string,
  headers: Readonly<Record<string, string>>,
): Response {
  setErrorCode(request, code)
  return new Response(errorBody(code, message), {
    status: statusOf[code],
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
  })
}

/** The arguments of Elysia's error hook that are used here. */
interface Failure {
  readonly error: unknown
  readonly code: unknown
  readonly request: Request
  readonly admitted: Admitted
}

export interface ErrorHandlerOptions {
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
      headers['WWW-Authenticate'] = `Bearer realm="petstore", error="insufficient_scope", scope="${error.scope}"`
    }
    if (error instanceof RangeNotSatisfiable) headers['Content-Range'] = `bytes */${error.bytes}`
    if (error.retryAfterSeconds !== undefined) headers['Retry-After'] = String(error.retryAfterSeconds)
    return errorResponse(request, error.code, error.message, headers)
  }

  function errorOf(thrown: unknown, elysiaCode: unknown, { method, url }: Request): Unrouted {
    if (elysiaCode === 'NOT_FOUND' || thrown instanceof Unroutable) return unrouted(method, url)
    if (thrown instanceof AppError) return { error: thrown }
    return { error: storageError(thrown) ?? new AppError('internal_error', internalErrorMessage) }
  }
}
