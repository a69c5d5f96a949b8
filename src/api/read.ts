/**
 * The route functions of GET: a record or a page of records with its ETag, a file, or an event stream. Records and
 * pages are cached if the endpoint declares it.
 */

import { anyId } from '../database/announcements.ts'
import { AppError } from '../lib/error.ts'
import { isNotModified, recordTag } from './conditions.ts'
import type { AnyEndpoint, OpenStream } from './endpoint.ts'
import { sendEvents } from './event-streams.ts'
import { createQueryReader, type QueryValues } from './input/query.ts'
import {
  type PartOfList,
  pageParameters,
  type Records,
  readPageRequest,
  type Serialized,
  serializePage,
} from './page.ts'
import type { Admitted, Principal } from './principal.ts'
import { createRepresentationCache, type Representation } from './representation-cache.ts'
import {
  type AnyHandler,
  createRequestCheck,
  type EndpointParts,
  type Input,
  noInput,
  type RouteContext,
} from './route.ts'
import { type SentFile, sendFile } from './sent-file.ts'

type PageSuccess = Extract<AnyEndpoint['success'], { kind: 'page' }>
type ResourceSuccess = Extract<AnyEndpoint['success'], { kind: 'resource' }>
type Sent = Pick<Representation, 'body' | 'etag' | 'headers'>

/** Calls the handler and serializes its result. */
type Read = (query: QueryValues, params: Input['params'], principal: Principal) => Serialized

/** For a handler that returns a record or a page. */
export function createRead(id: string, endpoint: AnyEndpoint, handle: AnyHandler, parts: EndpointParts) {
  const { path, query = {} } = endpoint
  const success = endpoint.success as PageSuccess | ResourceSuccess
  const isPage = success.kind === 'page'
  const check = createRequestCheck(id, endpoint, parts)
  const { announcements, pageCacheCounts } = parts
  const cache = success.cachedUntil && createRepresentationCache(announcements, success.cachedUntil, pageCacheCounts)
  const variesBy = isPage ? success.variesBy : undefined
  const readQuery = createQueryReader(isPage ? { ...pageParameters, ...query } : query)
  const read = isPage ? createPageRead(path, success, handle) : createResourceRead(success, handle)
  const headersOf = createHead(endpoint)

  return ({ request, params: raw, admitted }: RouteContext): Response => {
    const { principal } = admitted
    const params = check(request, raw, principal)
    const key = variesBy ? `${variesBy(principal)} ${request.url}` : request.url
    let representation = cache?.find(key)
    if (!representation) {
      const serialized = read(readQuery(request.url), params, principal)
      representation = { ...serialized, headers: headersOf(serialized) }
      cache?.add(key, representation)
    }
    return send(request, admitted, representation)
  }
}

function createPageRead(path: string, success: PageSuccess, handle: AnyHandler): Read {
  const { cursorName, idOrder, beginParameter, singleRecordParameter } = success
  return (query, params, principal) => {
    const name = typeof cursorName === 'string' ? cursorName : cursorName(query)
    const page = readPageRequest(query, name)
    const { limit, position, filters } = page
    const found = handle({
      ...noInput,
      params,
      query: filters,
      principal,
      fetchLimit: limit + 1,
      cursorId: position?.id,
      cursorValue: position?.value,
    })
    return serializePage(found as PartOfList | Records, page, {
      path: `/v1${filledPath(path, params)}`,
      cursorName: name,
      isOneRecord: singleRecordParameter !== undefined && isOneId(query[singleRecordParameter]),
      idOrder: idOrder?.(query),
      beginParameter,
    })
  }
}

function createResourceRead({ idParameter, untagged }: ResourceSuccess, handle: AnyHandler): Read {
  return (query, params, principal) => {
    const record = handle({ ...noInput, params, query, principal }) as object
    const id = idParameter === undefined ? undefined : Number(params[idParameter])
    return { ...serializeRecord(record, untagged), ids: id === undefined ? anyId : { from: id, to: id } }
  }
}

/** A declared path with the parsed parameters of a request. */
function filledPath(path: string, params: Readonly<Record<string, unknown>>): string {
  return path.replace(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])))
}

function isOneId(ids: string | number | boolean | undefined): boolean {
  return typeof ids === 'string' && !ids.includes(',')
}

/** For a handler that returns a promise. */
export function createSlowRead(id: string, endpoint: AnyEndpoint, handle: AnyHandler, parts: EndpointParts) {
  const { success, query = {} } = endpoint
  const check = createRequestCheck(id, endpoint, parts)
  const readQuery = createQueryReader(query)
  const headersOf = createHead(endpoint)
  return async ({ request, params: raw, admitted }: RouteContext): Promise<Response> => {
    const { principal, headers } = admitted
    const params = check(request, raw, principal)
    const result = await handle({ ...noInput, params, query: readQuery(request.url), principal })
    if (success.kind === 'file') {
      return sendFile(request, { ...headers, ...endpoint.deprecation?.headers }, result as SentFile)
    }
    const serialized = serializeRecord(result as object, success.untagged)
    return send(request, admitted, { ...serialized, headers: headersOf(serialized) })
  }
}

/** For a handler that returns a function which opens a stream. */
export function createStreamRead(id: string, endpoint: AnyEndpoint, handle: AnyHandler, parts: EndpointParts) {
  const check = createRequestCheck(id, endpoint, parts)
  const readQuery = createQueryReader(endpoint.query ?? {})
  return ({ request, params: raw, admitted }: RouteContext): Response => {
    const { principal } = admitted
    const params = check(request, raw, principal)
    const lastEventId = lastEventIdOf(request)
    const open = handle({ ...noInput, params, query: readQuery(request.url), principal, lastEventId }) as OpenStream
    return sendEvents(request, open, admitted.headers)
  }
}

/** The `Last-Event-ID` of a request, which a client sends when it connects again. Throws `invalid_parameter`. */
function lastEventIdOf({ headers }: Request): number | undefined {
  const text = headers.get('last-event-id')
  if (text === null || text === '') return undefined
  if (/^\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text))) return Number(text)
  throw new AppError('invalid_parameter', 'Last-Event-ID must be the id of an event: send it as the stream sent it.')
}

/**
 * The response with a record or a page, or a 304 without a body if `If-None-Match` contains its tag. Throws
 * `precondition_failed` unless `If-Match` allows it.
 */
function send(request: Request, admitted: Admitted, { body, etag, headers }: Sent): Response {
  const isCurrent = isNotModified(request, etag)
  const response = isCurrent ? new Response(null, { status: 304, headers }) : new Response(body, { headers })
  for (const name in admitted.headers) response.headers.set(name, admitted.headers[name] as string)
  if (isCurrent) response.headers.delete('content-type')
  return response
}

/** Returns a function that makes the headers of a response with a record or a page, except those of admission. */
function createHead({ success, deprecation }: AnyEndpoint) {
  const fixed = { 'content-type': 'application/json', 'cache-control': success.cacheControl ?? 'private, no-cache' }
  return ({ etag, link, recordTag }: Pick<Serialized, 'etag' | 'link' | 'recordTag'>): Headers => {
    const headers = new Headers({ ...fixed, etag, ...deprecation?.headers })
    // It follows the link of a deprecated operation.
    if (link !== undefined) headers.append('Link', link)
    if (recordTag !== undefined) headers.set('X-Record-ETag', recordTag)
    return headers
  }
}

function serializeRecord(record: object, untagged: readonly string[] | undefined) {
  const body = JSON.stringify(record)
  return { body, etag: recordTag(record, body, untagged) }
}
