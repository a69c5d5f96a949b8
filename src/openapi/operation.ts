/** The OpenAPI operation of an endpoint, derived from its declaration: parameters, body, every response with its headers. */

import { type TProperties, type TSchema, Type } from '@sinclair/typebox'
import type { AnyEndpoint } from '../endpoint/declare.ts'
import { pageParameters } from '../endpoint/page.ts'
import type { ErrorCode } from '../lib/error.ts'
import { type HeaderName, headerRefs } from './described-headers.ts'
import { errorResponses, generalErrors } from './error-responses.ts'

/** The status, headers and error codes that each kind of successful response implies. */
const kinds = {
  record: { status: 200, headers: ['ETag', 'CacheControl'], errors: [] },
  gathered: { status: 200, headers: ['ETag', 'CacheControl'], errors: [] },
  page: { status: 200, headers: ['ETag', 'CacheControl', 'Link'], errors: ['invalid_cursor'] },
  file: { status: 200, headers: ['CacheControl', 'ContentDisposition'], errors: [] },
  created: { status: 201, headers: ['ETag', 'CacheControl', 'Location', 'IdempotentReplayed'], errors: [] },
  performed: { status: 200, headers: ['ETag', 'CacheControl', 'IdempotentReplayed'], errors: [] },
  updated: { status: 200, headers: ['ETag', 'CacheControl'], errors: [] },
  removed: { status: 204, headers: [], errors: [] },
} as const satisfies Record<
  AnyEndpoint['success']['kind'],
  { status: number; headers: readonly HeaderName[]; errors: readonly ErrorCode[] }
>

const bodyErrors = ['malformed_json', 'invalid_body', 'payload_too_large', 'unsupported_media_type'] as const
const idempotencyErrors = ['idempotency_in_progress', 'idempotency_key_reused'] as const

/** Every code that an endpoint can respond with. */
export function errorCodesOf(endpoint: AnyEndpoint): ErrorCode[] {
  const { method, params = {}, body, success, scope, deprecation } = endpoint
  const codes = new Set<ErrorCode>([...generalErrors, ...kinds[success.kind].errors, ...(endpoint.errors ?? [])])
  const add = (more: readonly ErrorCode[]) => {
    for (const code of more) codes.add(code)
  }
  if (scope !== 'any') add(['insufficient_scope'])
  if (Object.keys(params).length > 0) add(['not_found'])
  if (method !== 'GET' && method !== 'DELETE') {
    // An operation without a body ignores a body, but rejects one that is not JSON.
    add(bodyErrors)
    if (body?.kind !== 'upload') add(['too_busy'])
  }
  if (hasIdempotencyKey(endpoint)) add(idempotencyErrors)
  if (isConditionalRead(endpoint) || isConditionalChange(endpoint)) add(['precondition_failed'])
  if (success.kind === 'file' && success.isStored) add(['range_not_satisfiable'])
  if (deprecation) add(['endpoint_removed'])
  return [...codes]
}

/** Whether the response has an ETag. */
function isConditionalRead({ method, success }: AnyEndpoint): boolean {
  return method === 'GET' && (success.kind !== 'file' || success.isStored)
}

function contentOf(success: AnyEndpoint['success']): object {
  if ('schema' in success) return { content: { 'application/json': { schema: success.schema } } }
  if (success.kind !== 'file') return {}
  // Linters require a limit; this one is beyond any file.
  const schema = Type.String({ format: 'binary', maxLength: Number.MAX_SAFE_INTEGER })
  return { content: Object.fromEntries(success.mediaTypes.map((mediaType) => [mediaType, { schema }])) }
}

function hasIdempotencyKey({ method, success }: AnyEndpoint): boolean {
  return method === 'POST' && (success.kind === 'created' || success.kind === 'performed')
}

/** Whether the endpoint changes an existing record, so that preconditions apply. */
function isConditionalChange({ success, errors = [] }: AnyEndpoint): boolean {
  if (success.isUnconditional) return false
  return ['performed', 'updated', 'removed'].includes(success.kind) || errors.includes('precondition_failed')
}

/** The `detail` of a route for `@elysiajs/swagger`. */
export function operationOf(id: string, endpoint: AnyEndpoint) {
  const { summary, description, tag, stability, deprecation, success } = endpoint
  const everyHeader: readonly HeaderName[] = deprecation ? ['Deprecation', 'Sunset', 'SuccessorLink'] : []
  const { status, headers } = kinds[success.kind]
  const isStored = success.kind === 'file' && success.isStored
  const stored: readonly HeaderName[] = isStored ? ['ETag', 'AcceptRanges'] : []
  const names = [...everyHeader, ...headers, ...stored, ...((endpoint.headers ?? []) as readonly HeaderName[])]
  const scopes = scopesOf(endpoint)
  return {
    ...(stability ? { 'x-stability': stability } : {}),
    tags: [tag],
    operationId: id,
    summary,
    description: scopes.length === 0 ? description : `${description}\n\n${scopeSentence(scopes)}`,
    ...(deprecation ? { deprecated: true } : {}),
    parameters: parametersOf(endpoint),
    ...requestBodyOf(endpoint),
    responses: {
      [status]: {
        description: success.description,
        headers: headerRefs(names),
        ...contentOf(success),
      },
      ...('preview' in success && success.preview !== undefined
        ? {
            200: {
              description: success.preview,
              headers: headerRefs(names.filter((name) => name !== 'Location')),
              ...contentOf(success),
            },
          }
        : {}),
      ...(isStored
        ? {
            206: {
              description: 'The part of the file that `Range` names.',
              headers: headerRefs([...names, 'ContentRange']),
              ...contentOf(success),
            },
          }
        : {}),
      // A 304 carries the headers that the 200 would have carried (RFC 9110 section 15.4.5).
      ...(isConditionalRead(endpoint)
        ? {
            304: {
              description: 'Not modified: `If-None-Match` contains the current `ETag`.',
              headers: headerRefs(names),
            },
          }
        : {}),
      ...errorResponses(errorCodesOf(endpoint), { everyHeader, scope: scopes[0] }),
    },
    // OpenAPI 3.1 allows scopes here, but linters require their declaration, which only OAuth schemes have.
    security: [{ bearerAuth: [] }],
  }
}

function scopesOf({ scope }: AnyEndpoint): readonly string[] {
  if (scope === 'any') return []
  return typeof scope === 'string' ? [scope] : scope
}

function scopeSentence(scopes: readonly string[]): string {
  return `Needs the scope ${scopes.map((scope) => `\`${scope}\``).join(' or ')}.`
}

function parametersOf(endpoint: AnyEndpoint): object[] {
  const { params = {}, query = {}, success } = endpoint
  const isPage = success.kind === 'page'
  const queryParameters: TProperties = isPage ? { ...pageParameters, ...query } : query
  const { required: requiredNames = [] } = Type.Object(queryParameters)
  const headers = [
    ...(isConditionalRead(endpoint) || isConditionalChange(endpoint) ? ['IfNoneMatch', 'IfMatch'] : []),
    ...(success.kind === 'file' && success.isStored ? ['Range'] : []),
    ...(hasIdempotencyKey(endpoint) ? ['IdempotencyKey'] : []),
  ]
  return [
    ...Object.entries(params).map(([name, { schema }]) => parameter(name, 'path', schema, true)),
    ...Object.entries(queryParameters).map(([name, schema]) =>
      parameter(name, 'query', schema, requiredNames.includes(name)),
    ),
    ...headers.map((name) => ({ $ref: `#/components/parameters/${name}` })),
  ]
}

/** Moves the description and stability of a schema to its parameter, because tools show those of the parameter. */
function parameter(name: string, place: 'path' | 'query', schema: TSchema, required: boolean): object {
  const { description, examples, 'x-stability': stability, ...plain } = schema
  const isNamed = 'title' in schema
  return {
    name,
    in: place,
    description,
    required,
    ...(stability === undefined ? {} : { 'x-stability': stability }),
    // Lists are separated by commas: `?ids=4,8,15`.
    ...(plain['type'] === 'array' ? { style: 'form', explode: false } : {}),
    schema: isNamed ? { ...plain, description, examples } : plain,
    // Only required parameters have an example: the docs page fills examples in and would filter by them.
    ...(isNamed || examples === undefined || !required ? {} : { example: examples[0] }),
  }
}

function requestBodyOf({ body }: AnyEndpoint): object {
  if (!body) return {}
  if (body.kind === 'upload') {
    const file = Type.String({ format: 'binary', maxLength: body.maximumBytes })
    const content = Object.fromEntries(body.mediaTypes.map((mediaType) => [mediaType, { schema: file }]))
    return { requestBody: { required: true, content } }
  }
  const json = { schema: body.schema }
  const patch = body.kind === 'mergePatch' ? { 'application/merge-patch+json': json } : {}
  return { requestBody: { required: true, content: { 'application/json': json, ...patch } } }
}
