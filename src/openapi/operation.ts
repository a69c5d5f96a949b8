/**
 * What the description says of an operation beyond its parameters and body: scope, stability, every
 * answer with its headers. The routes call this, so that code and description stand side by side.
 */

import type { TSchema } from '@sinclair/typebox'
import type { Scope } from '../keys/rules.ts'
import type { ErrorCode } from '../lib/error.ts'
import { type HeaderName, headerRefs } from './described-headers.ts'
import { generalRefusals, refusalResponses } from './refusals.ts'

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
  /** A POST that takes an `Idempotency-Key`. */
  readonly isRepeatable?: boolean
  /** A change that takes an `If-Match`. */
  readonly isGuarded?: boolean
  readonly deprecated?: boolean
  readonly stability?: 'beta' | 'experimental'
}

/** Codes that any operation with a JSON body can answer. */
export const bodyRefusals = [
  'malformed_json',
  'invalid_body',
  'payload_too_large',
  'unsupported_media_type',
  'storage_unavailable',
] as const satisfies readonly ErrorCode[]

/** Codes that any operation with an `Idempotency-Key` can answer. */
const repetitionRefusals = [
  'invalid_parameter',
  'idempotency_in_progress',
  'idempotency_key_reused',
  'storage_unavailable',
] as const satisfies readonly ErrorCode[]

/** The `detail` of a route: an OpenAPI operation without what its schemas say. */
export function operation(options: OperationOptions) {
  const { scope, everyHeader = [] } = options
  const codes = new Set<ErrorCode>([...generalRefusals, ...(options.refusals ?? [])])
  if (scope !== undefined) codes.add('insufficient_scope')
  if (options.isGuarded) codes.add('precondition_failed').add('storage_unavailable')
  if (options.isRepeatable) for (const code of repetitionRefusals) codes.add(code)
  return {
    operationId: options.id,
    summary: options.summary,
    description: scope === undefined ? options.description : `${options.description}\n\nNeeds the scope \`${scope}\`.`,
    // No scopes here: OpenAPI lets a bearer scheme name some, but linters look for their declaration, which only OAuth has.
    security: [{ bearerAuth: [] }],
    ...(options.deprecated ? { deprecated: true } : {}),
    ...(options.stability ? { 'x-stability': options.stability } : {}),
    responses: {
      [options.status]: {
        description: options.answer,
        headers: successHeaders(options),
        ...(options.schema ? { content: { 'application/json': { schema: options.schema } } } : {}),
      },
      // What the full answer says of itself, the 304 says too (RFC 9110 section 15.4.5).
      ...(options.conditional
        ? {
            304: {
              description: 'The client has this already: what its `If-None-Match` names is current.',
              headers: successHeaders(options),
            },
          }
        : {}),
      ...refusalResponses([...codes], { everyHeader, scope }),
    },
  }
}

function successHeaders({ conditional, isRepeatable, schema, headers = [], everyHeader = [] }: OperationOptions) {
  const names = new Set<HeaderName>([...everyHeader, ...headers])
  if (conditional) names.add('ETag')
  if (isRepeatable) names.add('IdempotentReplayed')
  if (schema) names.add('CacheControl')
  return headerRefs([...names])
}
