/** The route functions of GET: a record or a page of records with its ETag. Pages are cached if the endpoint declares it. */

import { anyId } from '../database/announcements.ts'
import { createGetResponse, type ResponseHead, recordTag } from '../http/conditions.ts'
import type { Route } from '../http/routing/direct.ts'
import type { Principal } from '../keys/principal.ts'
import type { AnyEndpoint } from './declare.ts'
import { createQueryReader } from './input/query.ts'
import { type PartOfList, pageParameters, type Records, writePage } from './page.ts'
import { createRepresentationCache, type Representation } from './representation-cache.ts'
import {
  type AnyHandler,
  createRequestCheck,
  type Input,
  type MountParts,
  noInput,
  type RawParams,
  type RequestCheck,
} from './request-check.ts'
import { type SentFile, sendFile } from './sent-file.ts'

/** For a handler that returns a promise. */
export type SlowRead = (
  request: Request,
  head: ResponseHead,
  params: RawParams,
  principal: Principal,
) => Promise<Response>

/** The route is synchronous, because an asynchronous function costs a tenth of the throughput. */
export function createRead(id: string, endpoint: AnyEndpoint, handle: AnyHandler, parts: MountParts): Route {
  const check = createRequestCheck(id, endpoint, parts)
  return endpoint.success.kind === 'page'
    ? createPageRead(endpoint, endpoint.success, handle, parts, check)
    : createRecordRead(endpoint, endpoint.success as RecordSuccess, handle, parts, check)
}

export function createSlowRead(id: string, endpoint: AnyEndpoint, handle: AnyHandler, parts: MountParts): SlowRead {
  const inputOf = createInputReader(endpoint, createRequestCheck(id, endpoint, parts))
  const respond = createRecordResponse(endpoint)
  const isFile = endpoint.success.kind === 'file'
  return async (request, head, raw, principal) => {
    const result = await handle(inputOf(request, head, raw, principal))
    return isFile ? sendFile(request, head, result as SentFile) : respond(request, head, result as object)
  }
}

function createRecordRead(
  endpoint: AnyEndpoint,
  { cachedUntil, idParameter, untagged, cacheControl = 'private, no-cache' }: RecordSuccess,
  handle: AnyHandler,
  { announcements, pageCacheCounts }: MountParts,
  check: RequestCheck,
): Route {
  const reader = createQueryReader(endpoint.query ?? {})
  const cached = cachedUntil && createRepresentationCache(announcements, cachedUntil, pageCacheCounts)
  const keyOf = createKeyWriter(endpoint.path)
  const respond = createGetResponse(cacheControl)

  function write(url: string, params: Input['params'], principal: Principal): Representation {
    const query = reader.read(reader.split(url))
    const record = handle({ ...noInput, params, query, principal }) as object
    const id = idParameter === undefined ? undefined : Number(params[idParameter])
    return { ...written(record, untagged), ids: id === undefined ? anyId : { from: id, to: id } }
  }

  return (url, raw) => {
    let parsed: Input['params'] | undefined
    let key: string | undefined
    return (request, head, principal) => {
      const params = check(request, head, raw, principal, parsed)
      parsed = params
      key ??= keyOf(params) + reader.keyOf(url)
      const make = () => write(url, params, principal)
      const { body, etag } = cached ? cached(key, make) : make()
      return respond(request, head, etag, body)
    }
  }
}

/** Returns a function that checks a request for a record and returns the input of its handler. */
function createInputReader({ query = {} }: AnyEndpoint, check: RequestCheck) {
  const reader = createQueryReader(query)
  return (request: Request, head: ResponseHead, raw: RawParams, principal: Principal): Input => {
    const params = check(request, head, raw, principal)
    return { ...noInput, params, query: reader.read(reader.split(request.url)), principal }
  }
}

function createRecordResponse({ success }: AnyEndpoint) {
  const { cacheControl = 'private, no-cache', untagged } = success
  const respond = createGetResponse(cacheControl)
  return (request: Request, head: ResponseHead, record: object): Response => {
    const { body, etag } = written(record, untagged)
    return respond(request, head, etag, body)
  }
}

function written(record: object, untagged: readonly string[] | undefined) {
  const body = JSON.stringify(record)
  return { body, etag: recordTag(record, body, untagged) }
}

type PageSuccess = Extract<AnyEndpoint['success'], { kind: 'page' }>
type RecordSuccess = Extract<AnyEndpoint['success'], { kind: 'record' }>

function createPageRead(
  { path, query = {} }: AnyEndpoint,
  {
    cacheControl = 'private, no-cache',
    cursorName,
    cachedUntil,
    idOrder,
    variesBy,
    singleRecordParameter,
  }: PageSuccess,
  handle: AnyHandler,
  { announcements, pageCacheCounts }: MountParts,
  check: RequestCheck,
): Route {
  const reader = createQueryReader({ ...pageParameters, ...query })
  const cached = cachedUntil && createRepresentationCache(announcements, cachedUntil, pageCacheCounts)
  const keyOf = createKeyWriter(path)
  const respond = createGetResponse(cacheControl)

  function write(url: string, params: Input['params'], principal: Principal) {
    const values = reader.read(reader.split(url))
    const { limit: _limit, cursor: _cursor, ...filters } = values
    const request = {
      path: `/v1${filledPath(path, params)}`,
      cursorName: typeof cursorName === 'string' ? cursorName : cursorName(values),
      query: values,
      isOneRecord: singleRecordParameter !== undefined && isOneId(values[singleRecordParameter]),
      idOrder: idOrder?.(values),
    }
    return writePage(request, (most, after) => {
      const input = { ...noInput, params, query: filters, principal, most, after }
      return handle(input) as PartOfList | Records
    })
  }

  return (url, raw) => {
    let parsed: Input['params'] | undefined
    let key: string | undefined
    return (request, head, principal) => {
      const params = check(request, head, raw, principal, parsed)
      parsed = params
      key ??= keyOf(params) + reader.keyOf(url)
      const make = () => write(url, params, principal)
      const page = cached ? cached(variesBy ? `${variesBy(principal)}?${key}` : key, make) : make()
      if (page.link !== undefined) head.headers['link'] = page.link
      if (page.recordTag !== undefined) head.headers['X-Record-ETag'] = page.recordTag
      return respond(request, head, page.etag, page.body)
    }
  }
}

/**
 * Returns a function that writes the part of a cache key before the query. Values of path parameters contain no slash, and the
 * part of the query begins with neither a slash nor a question mark.
 */
function createKeyWriter(path: string) {
  const names = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name)
  return (params: Readonly<Record<string, unknown>>): string => {
    let key = ''
    for (const name of names) key += `${params[name]}/`
    return key
  }
}

/** A declared path with the parsed parameters of a request. */
function filledPath(path: string, params: Readonly<Record<string, unknown>>): string {
  return path.replace(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])))
}

function isOneId(ids: string | number | boolean | undefined): boolean {
  return typeof ids === 'string' && !ids.includes(',')
}
