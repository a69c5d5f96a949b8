/**
 * The errors of the service: a closed set of codes, independent of HTTP. `api/errors.ts` maps each code to a status.
 * Any error that is not an `AppError` is an internal error.
 */

export type ErrorCode =
  | 'malformed_json'
  | 'invalid_body'
  | 'invalid_parameter'
  | 'invalid_cursor'
  | 'missing_api_key'
  | 'invalid_api_key'
  | 'expired_api_key'
  | 'revoked_api_key'
  | 'plan_required'
  | 'insufficient_scope'
  | 'https_required'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'invalid_status_transition'
  | 'pet_not_available'
  | 'idempotency_in_progress'
  | 'no_successful_deploy'
  | 'domain_taken'
  | 'endpoint_removed'
  | 'events_expired'
  | 'precondition_failed'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'idempotency_key_reused'
  | 'rate_limit_exceeded'
  | 'daily_quota_exceeded'
  | 'key_banned'
  | 'too_many_streams'
  | 'internal_error'
  | 'storage_unavailable'
  | 'too_busy'

export interface AppErrorOptions {
  readonly cause?: unknown
  /** Whole seconds after which the same request may succeed. */
  readonly retryAfterSeconds?: number
}

/** An error whose message may be shown to the client: it names the field and the rule, never a secret. */
export class AppError extends Error {
  override readonly name = 'AppError'
  readonly code: ErrorCode
  readonly retryAfterSeconds: number | undefined

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}

/** The message of a thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
