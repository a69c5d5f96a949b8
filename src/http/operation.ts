/**
 * What the description says of an operation beyond its parameters and body: scope, stability, every
 * answer with its headers. The routes call this, so that code and description stand side by side.
 */

import type { TSchema } from '@sinclair/typebox'
import type { Scope } from '../keys/rules.ts'
import type { ErrorCode } from '../lib/error.ts'
import { statusOf } from './errors.ts'

/** Names of `components.headers`. */
export type HeaderName = 'ETag' | 'Link' | 'Location' | 'CacheControl' | 'Deprecation' | 'Sunset' | 'SuccessorLink'

export interface OperationOptions {
  readonly id: string
  readonly summary: string
  readonly description: string
  /** Undefined where any valid key will do. */
  readonly scope: Scope | undefined
  readonly status: 200 | 201 | 204
  readonly answer: string
  /** The body's schema; none for 204. */
  readonly schema?: TSchema
  /** A `get` that answers with an ETag, and so with 304. */
  readonly conditional?: boolean
  readonly headers?: readonly HeaderName[]
  /** Headers of every answer, refusals included. */
  readonly everyHeader?: readonly HeaderName[]
  /** The codes this operation can answer, beside those that any operation can. */
  readonly refusals?: readonly ErrorCode[]
  readonly deprecated?: boolean
  readonly stability?: 'beta' | 'experimental'
}

/** Codes that any operation can answer. */
const generalRefusals: readonly ErrorCode[] = [
  'missing_api_key',
  'invalid_api_key',
  'expired_api_key',
  'revoked_api_key',
  'rate_limit_exceeded',
  'daily_quota_exceeded',
  'key_banned',
  'internal_error',
]

/** Codes that any operation with a JSON body can answer. */
export const bodyRefusals = [
  'malformed_json',
  'invalid_body',
  'payload_too_large',
  'unsupported_media_type',
  'storage_unavailable',
] as const satisfies readonly ErrorCode[]

/** The `detail` of a route: an OpenAPI operation without what its schemas say. */
export function operation(options: OperationOptions) {
  const { scope, everyHeader = [] } = options
  const codes = [
    ...generalRefusals,
    ...(scope === undefined ? [] : (['insufficient_scope'] as const)),
    ...(options.refusals ?? []),
  ]
  return {
    operationId: options.id,
    summary: options.summary,
    description: scope === undefined ? options.description : `${options.description}\n\nNeeds the scope \`${scope}\`.`,
    security: [{ bearerAuth: scope === undefined ? [] : [scope] }],
    ...(options.deprecated ? { deprecated: true } : {}),
    ...(options.stability ? { 'x-stability': options.stability } : {}),
    responses: {
      [options.status]: {
        description: options.answer,
        headers: headerRefs([...standing, ...everyHeader, ...(options.headers ?? []), ...representation(options)]),
        ...(options.schema ? { content: { 'application/json': { schema: options.schema } } } : {}),
      },
      ...(options.conditional
        ? {
            304: {
              description: 'The client has this already: what its `If-None-Match` names is current.',
              headers: headerRefs([...standing, ...everyHeader, 'ETag', 'CacheControl']),
            },
          }
        : {}),
      ...refusalResponses(codes, everyHeader),
    },
  }
}

const standing = ['XRequestId', 'XRateLimitLimit', 'XRateLimitRemaining', 'XRateLimitReset']

function representation({ conditional }: OperationOptions): HeaderName[] {
  return conditional ? ['ETag', 'CacheControl'] : []
}

function refusalResponses(codes: readonly ErrorCode[], everyHeader: readonly HeaderName[]) {
  const statuses = [...new Set(codes.map((code) => statusOf[code]))].sort()
  return Object.fromEntries(
    statuses.map((status) => {
      const own = codes.filter((code) => statusOf[code] === status)
      return [status, refusalResponse(status, own, everyHeader)]
    }),
  )
}

function refusalResponse(status: number, codes: readonly ErrorCode[], everyHeader: readonly HeaderName[]) {
  const list = codes.map((code) => `\`${code}\``).join(', ')
  return {
    description: `${refusalMeanings[status]} \`code\` is ${codes.length > 1 ? `one of ${list}` : list}.`,
    headers: headerRefs([...standing, ...everyHeader, ...(statusHeaders[status] ?? [])]),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        examples: Object.fromEntries(
          codes.map((code) => [code, { value: { code, message: messageExamples[code], status } }]),
        ),
      },
    },
  }
}

function headerRefs(names: readonly string[]) {
  return Object.fromEntries(names.map((name) => [wireName[name] ?? name, { $ref: `#/components/headers/${name}` }]))
}

const wireName: Record<string, string> = {
  XRequestId: 'X-Request-Id',
  XRateLimitLimit: 'X-RateLimit-Limit',
  XRateLimitRemaining: 'X-RateLimit-Remaining',
  XRateLimitReset: 'X-RateLimit-Reset',
  CacheControl: 'Cache-Control',
  WWWAuthenticate: 'WWW-Authenticate',
  RetryAfter: 'Retry-After',
  SuccessorLink: 'Link',
}

const statusHeaders: Record<number, readonly string[]> = {
  401: ['WWWAuthenticate'],
  429: ['RetryAfter'],
  503: ['RetryAfter'],
}

const refusalMeanings: Record<number, string> = {
  400: 'The request holds something that is not allowed; the message names the field and the rule.',
  401: 'Missing or invalid API key.',
  402: 'The plan does not include this.',
  403: 'The API key lacks the scope.',
  404: 'The resource could not be found.',
  409: 'The state of the resource does not allow this.',
  410: 'The endpoint has been removed.',
  412: 'The resource has changed since it was read.',
  413: 'The body is too large.',
  415: 'The body is of a media type that is not taken here.',
  422: 'The request can not be repeated like this.',
  429: 'Too many requests: wait as `Retry-After` says, and back off exponentially if it happens again.',
  500: 'A fault of the service.',
  503: 'The database is busy or its disk full; nothing was changed.',
}

const messageExamples: Record<ErrorCode, string> = {
  malformed_json: 'The body is not well-formed JSON in UTF-8.',
  invalid_body: 'name is required.',
  invalid_parameter: 'limit must be an integer from 1 to 100.',
  invalid_cursor: 'cursor is not one that this list gave out: start again without it.',
  missing_api_key: 'Send your API key in the Authorization header: "Authorization: Bearer <API_KEY>".',
  invalid_api_key: 'This API key is not known here. It may belong to another installation.',
  expired_api_key: 'This API key has expired. Ask for a new one.',
  revoked_api_key: 'This API key has been revoked. Ask for a new one.',
  plan_required: 'This needs the Pro plan or above.',
  insufficient_scope: 'This API key lacks the scope pets:write.',
  https_required: 'Use https: no key travels in the clear.',
  not_found: 'There is nothing at this address.',
  method_not_allowed: 'DELETE is not allowed here.',
  conflict: 'The record is in use.',
  invalid_status_transition: 'An order that is delivered cannot become cancelled.',
  pet_not_available: 'Animal 42 is not available.',
  idempotency_in_progress: 'A request with this Idempotency-Key is still running.',
  no_successful_deploy: 'Deploy the project before adding a domain.',
  domain_taken: 'This domain is taken.',
  endpoint_removed: 'This endpoint was removed on 5 December 2030. Use GET /v1/pets.',
  precondition_failed: 'The record has changed since you read it: read it again.',
  payload_too_large: 'The body has more than 1048576 bytes.',
  unsupported_media_type: 'Send the body as Content-Type: application/json.',
  idempotency_key_reused: 'This Idempotency-Key was used for another request.',
  rate_limit_exceeded: 'More than 60 requests in 60 seconds. Try again in 12 seconds.',
  daily_quota_exceeded: 'More than 1000 requests today (UTC). Try again in 3600 seconds.',
  key_banned: 'This API key is banned for asking on after 429. Try again in 600 seconds.',
  internal_error: 'Something went wrong on our side. If it persists, report the X-Request-Id of this answer.',
  storage_unavailable: 'The database is busy or its disk is full. Nothing was changed; try again.',
}
