/**
 * The OpenAPI operation of an endpoint, derived from its declaration: parameters, body, every response with its
 * headers.
 */

import { type TSchema, Type } from '@sinclair/typebox'
import type { AnyEndpoint } from '../../api/endpoint.ts'
import { pageParameters } from '../../api/page.ts'
import type { ErrorCode } from '../../lib/error.ts'
import { headerParameters } from './components.ts'
import { errorResponses, generalErrors } from './error-responses.ts'
import { type HeaderName, headerRefs } from './headers.ts'
import type { SharedParts } from './shared-parts.ts'

/** The status, headers and error codes that each kind of successful response implies. */
const kinds = {
  resource: { status: 200, headers: ['ETag', 'CacheControl'], errors: [] },
  gathered: { status: 200, headers: ['ETag', 'CacheControl'], errors: [] },
  page: { status: 200, headers: ['ETag', 'CacheControl', 'Link'], errors: ['invalid_cursor'] },
  file: { status: 200, headers: ['ETag', 'CacheControl', 'ContentDisposition'], errors: [] },
  eventStream: { status: 200, headers: ['CacheControl'], errors: ['too_many_streams'] },
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
  if (deprecation) add(['endpoint_removed'])
  return [...codes]
}

/** Whether the response has an ETag. */
function isConditionalRead({ method, success }: AnyEndpoint): boolean {
  return method === 'GET' && success.kind !== 'eventStream' && !isMadeAnew(success)
}

const isMadeAnew = (success: AnyEndpoint['success']) => success.kind === 'file' && success.isMadeAnew === true

function contentOf(success: AnyEndpoint['success']): object {
  if ('schema' in success) return { content: { 'application/json': { schema: success.schema } } }
  if (success.kind === 'eventStream') {
    const { example } = success
    return {
      content: {
        'text/event-stream': {
          schema: Type.String({ maxLength: Number.MAX_SAFE_INTEGER, pattern: '^[\\s\\S]*$' }),
          example,
        },
      },
    }
  }
  if (success.kind !== 'file') return {}
  // Linters require a limit; this one is beyond any file.
  return { content: fileContent(success.mediaTypes, Number.MAX_SAFE_INTEGER) }
}

/** A file of one of the media types. Text has no format: generated clients read and send it as text. */
function fileContent(
  mediaTypes: readonly string[],
  maxLength: number,
  examples: Readonly<Record<string, string>> = {},
) {
  const isText = (mediaType: string) => /^text\/|ndjson$/.test(mediaType)
  return Object.fromEntries(
    mediaTypes.map((mediaType) => [
      mediaType,
      {
        schema: Type.String({ ...(isText(mediaType) ? {} : { format: 'binary' }), maxLength }),
        ...(mediaType in examples ? { example: examples[mediaType] } : {}),
      },
    ]),
  )
}

function hasIdempotencyKey({ method, success }: AnyEndpoint): boolean {
  return method === 'POST' && (success.kind === 'created' || success.kind === 'performed')
}

/** Whether the endpoint changes an existing record, so that preconditions apply. */
function isConditionalChange({ success, errors = [] }: AnyEndpoint): boolean {
  if (success.isUnconditional) return false
  return ['performed', 'updated', 'removed'].includes(success.kind) || errors.includes('precondition_failed')
}

/** The OpenAPI operation of an endpoint. The parts that other operations have too are added to `shared`. */
export function operationOf(id: string, endpoint: AnyEndpoint, shared: SharedParts) {
  const { summary, description, tag, stability, deprecation, success } = endpoint
  const everyHeader: readonly HeaderName[] = deprecation ? ['Deprecation', 'Sunset', 'SuccessorLink'] : []
  const { status } = kinds[success.kind]
  const names = [...everyHeader, ...headersOf(success), ...((endpoint.headers ?? []) as readonly HeaderName[])]
  const scopes = scopesOf(endpoint)
  const succeeded = (described: string, withHeaders: readonly HeaderName[]) => ({
    description: described,
    headers: headerRefs(shared, withHeaders),
    ...contentOf(success),
  })
  return {
    operationId: id,
    ...(stability ? { 'x-stability': stability } : {}),
    tags: [tag],
    summary,
    description: [description, ...(scopes.length === 0 ? [] : [scopeSentence(scopes)])].join('\n\n'),
    ...(deprecation ? { deprecated: true } : {}),
    ...requestBodyOf(endpoint),
    responses: {
      [success.isAccepted ? 202 : status]: succeeded(success.description, names),
      ...('preview' in success && success.preview !== undefined
        ? {
            200: succeeded(
              success.preview,
              names.filter((name) => name !== 'Location'),
            ),
          }
        : {}),
      ...(isConditionalRead(endpoint) ? { 304: notModified(shared, names) } : {}),
      ...errorResponses(shared, errorCodesOf(endpoint), everyHeader),
    },
    // OpenAPI 3.1 allows scopes of a key here. One of several suffices.
    security: scopes.length === 0 ? [{ bearerAuth: [] }] : scopes.map((scope) => ({ bearerAuth: [scope] })),
    parameters: parametersOf(endpoint, shared),
  }
}

function headersOf(success: AnyEndpoint['success']): readonly HeaderName[] {
  const { headers } = kinds[success.kind]
  if (success.kind !== 'file') return headers
  return success.isMadeAnew ? headers.filter((name) => name !== 'ETag') : [...headers, 'ContentEncoding']
}

/** A 304 carries the headers that the 200 would have carried (RFC 9110 section 15.4.5). */
function notModified(shared: SharedParts, names: readonly HeaderName[]) {
  const own = names.filter((name) => name !== 'ETag' && name !== 'CacheControl')
  return shared.refer('responses', ['NotModified', ...own].join(''), {
    description: 'Not modified: `If-None-Match` contains the current `ETag`.',
    headers: headerRefs(shared, names),
  })
}

function scopesOf({ scope }: AnyEndpoint): readonly string[] {
  if (scope === 'any') return []
  return typeof scope === 'string' ? [scope] : scope
}

function scopeSentence(scopes: readonly string[]): string {
  return `Needs the scope ${scopes.map((scope) => `\`${scope}\``).join(' or ')}.`
}

function parametersOf(endpoint: AnyEndpoint, shared: SharedParts): object[] {
  const { params = {}, query = {}, success } = endpoint
  const own = Object.entries(query).filter(([name]) => !(name in pageParameters))
  const { required: requiredNames = [] } = Type.Object(query)
  const headers = [
    ...(isConditionalRead(endpoint) || isConditionalChange(endpoint) ? (['IfNoneMatch'] as const) : []),
    ...(isConditionalChange(endpoint) ? (['IfMatch'] as const) : []),
    ...(success.kind === 'eventStream' ? (['LastEventID'] as const) : []),
    ...(hasIdempotencyKey(endpoint) ? (['IdempotencyKey'] as const) : []),
  ]
  const referred = (name: string, place: 'path' | 'query', schema: TSchema) =>
    shared.refer('parameters', inPascalCase(name), parameter(name, place, schema, place === 'path'))
  return [
    ...Object.entries(params).map(([name, { schema }]) => referred(name, 'path', schema)),
    ...(success.kind === 'page' ? Object.entries(pageParameters) : []).map(([name, schema]) =>
      referred(name, 'query', schema),
    ),
    ...own.map(([name, schema]) => parameter(name, 'query', schema, requiredNames.includes(name))),
    ...headers.map((name) => shared.refer('parameters', name, headerParameters[name])),
  ]
}

function inPascalCase(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
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
    return { requestBody: { required: true, content: fileContent(body.mediaTypes, body.maximumBytes, body.examples) } }
  }
  const json = { schema: body.schema }
  const patch = body.kind === 'mergePatch' ? { 'application/merge-patch+json': json } : {}
  return { requestBody: { required: true, content: { 'application/json': json, ...patch } } }
}
