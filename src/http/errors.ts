/** The one place where refusals become HTTP: a status for every code and the body that all errors share. */

import { ParseError } from 'elysia'
import { InsufficientScope } from '../keys/scope.ts'
import { AppError, type ErrorCode } from '../lib/error.ts'
import type { Log } from '../lib/log.ts'
import { Unroutable } from './input.ts'
import { explain, isInvalid } from './validation.ts'

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
  idempotency_key_reused: 422,
  rate_limit_exceeded: 429,
  daily_quota_exceeded: 429,
  key_banned: 429,
  internal_error: 500,
  storage_unavailable: 503,
} satisfies Record<ErrorCode, number>

const internalErrorMessage = 'Something went wrong on our side. If it persists, report the X-Request-Id of this answer.'

/** The error body: exactly `code`, `message` and `status`. */
export function errorBody(code: ErrorCode, message: string): string {
  return JSON.stringify({ code, message, status: statusOf[code] })
}

/** What Elysia hands to its error hook, as far as it is used here. */
interface Failure {
  readonly error: unknown
  readonly code: unknown
  readonly set: { status?: number | string; headers: Record<string, string | number> }
  readonly request: Request
}

export interface ErrorHandlerOptions {
  readonly log: Log
  /** The error to respond with if the storage is to blame for a failure, which it notes. */
  readonly storageError: (error: unknown) => AppError | undefined
  /** The refusal for a path and method that no route takes. */
  readonly unrouted: (method: string, path: string) => Unrouted
}

/** The error hook: writes any failure as its status, headers and body. */
export function createErrorHandler({ log, storageError, unrouted }: ErrorHandlerOptions) {
  return ({ error, code, set, request }: Failure): string => {
    const refusal = refusalOf(error, code, request)
    if (refusal.code === 'internal_error') {
      log.error('a request failed', {
        requestId: set.headers['X-Request-Id'],
        method: request.method,
        path: new URL(request.url).pathname,
        error,
      })
    }
    set.status = statusOf[refusal.code]
    set.headers['content-type'] = 'application/json'
    set.headers['cache-control'] = 'no-store'
    if (refusal instanceof InsufficientScope) {
      set.headers['WWW-Authenticate'] = `Bearer realm="petstore", error="insufficient_scope", scope="${refusal.scope}"`
    }
    if (refusal.retryAfterSeconds !== undefined) set.headers['Retry-After'] = String(refusal.retryAfterSeconds)
    const body = errorBody(refusal.code, refusal.message)
    return body

    function refusalOf(thrown: unknown, elysiaCode: unknown, { method, url }: Request): AppError {
      // What a parse hook throws arrives as the cause of Elysia's own error.
      const cause = thrown instanceof ParseError ? thrown.cause : thrown
      if (elysiaCode === 'NOT_FOUND' || cause instanceof Unroutable) {
        const { refusal: absence, allow } = unrouted(method, new URL(url).pathname)
        if (allow !== undefined) set.headers['Allow'] = allow
        return absence
      }
      if (cause instanceof AppError) return cause
      if (isInvalid(cause)) return explain(cause)
      return storageError(cause) ?? new AppError('internal_error', internalErrorMessage)
    }
  }
}

export interface RouteShape {
  readonly method: string
  /** As Elysia writes it: `/v1/pets/:petId`. */
  readonly path: string
}

export interface Unrouted {
  readonly refusal: AppError
  /** The `Allow` header of a 405. */
  readonly allow?: string
}

export function createUnrouted(routes: readonly RouteShape[]): (method: string, path: string) => Unrouted {
  const known = routes.map(({ method, path }) => ({
    method,
    expression: new RegExp(`^${path.replace(/:[^/]+/g, '[1-9][0-9]{0,15}')}$`),
  }))
  return (method, path) => {
    const methods = new Set(known.filter(({ expression }) => expression.test(path)).map((route) => route.method))
    if (methods.has('GET')) methods.add('HEAD')
    // A route that takes this method can only have refused the id.
    if (methods.size === 0 || methods.has(method))
      return { refusal: new AppError('not_found', 'There is nothing at this address.') }
    const allow = [...methods].sort().join(', ')
    return {
      refusal: new AppError('method_not_allowed', `${method} is not allowed here, but ${allow}.`),
      allow,
    }
  }
}
