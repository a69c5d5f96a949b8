/** The route functions of GET: a record or a page of records with its ETag. Pages are cached if the endpoint declares it. */

import { anyId } from '../../database/announcements.ts'
import type { AdmissionHeaders } from '../http/admission-headers.ts'
import { createGetResponse, type ResponseHead, recordTag } from '../http/conditions.ts'
import type { Route } from '../http/routing/direct.ts'
import type { Principal } from '../principal.ts'
import type { AnyEndpoint } from './declare.ts'
import { createQueryReader, type QueryValues } from './input/query.ts'
import { type PartOfList, pageParameters, type Records, writePage } from './page.ts'
import { createRepresentationCache, type Representation } from './representation-cache.ts'
import {
  type AnyHandler,
  createRequestCheck,
  type Input,
  type MountParts,
  noInput,
  type RawParams,
} from './request-check.ts'
import { type SentFile, sendFile } from './sent-file.ts'

type PageSuccess = Extract<AnyEndpoint['success'], { kind: 'page' }>
type RecordSuccess = Extract<AnyEndpoint['success'], { kind: 'record' }>

/** Calls the handler and writes what it returned. */
type Write = (query: QueryValues, params: Input['params'], principal: Principal) => Representation

/** The route is synchronous, because an asynchronous function costs a tenth of the throughput. */
export function createRead(id: string, endpoint: AnyEndpoint, handle: AnyHandler, parts: MountParts): Route {
  const { path, query = {} } = endpoint
  const success = endpoint.success as PageSuccess | RecordSuccess
  const isPage = success.kind === 'page'
  const write = isPage ? createPageWriter(path, success, handle) : createRecordWriter(success, handle)
  const reader = createQueryReader(isPage ? { ...pageParameters, ...query } : query)
  const { announcements, pageCacheCounts } = parts
  const cache = success.cachedUntil && createRepresentationCache(announcements, success.cachedUntil, pageCacheCounts)
  const variesBy = isPage ? success.variesBy : undefined
  const check = createRequestCheck(id, endpoint, parts)
  const keyOf = createKeyWriter(path)
  const respond = createResponse(endpoint)

  return (url, raw) => {
    let parsed: Input['params'] | undefined
    let common: string | undefined
    return (request, admission, principal) => {
      const params = check(request, raw, principal, parsed)
      parsed = params
      common ??= keyOf(params) + reader.keyOf(url)
      const key = variesBy ? `${variesBy(principal)}?${common}` : common
      const cached = cache?.find(key)
      if (cached) return respond(request, admission, cached)
      const written = write(reader.read(reader.split(url)), params, principal)
      cache?.add(key, written)
      return respond(request, admission, written)
    }
  }
}

/** For a handler that returns a promise. */
export type SlowRead = (
  request: Request,
  head: ResponseHead,
  params: RawParams,
  principal: Principal,
  admission: AdmissionHeaders,
) => Promise<Response>

export function createSlowRead(id: string, endpoint: AnyEndpoint, handle: AnyHandler, parts: MountParts): SlowRead {
  const { success, query = {} } = endpoint
  const check = createRequestCheck(id, endpoint, parts)
  const reader = createQueryReader(query)
  const respond = createResponse(endpoint)
  return async (request, head, raw, principal, admission) => {
    const params = check(request, raw, principal)
    const result = await handle({ ...noInput, params, query: reader.read(reader.split(request.url)), principal })
    if (success.kind === 'file') {
      Object.assign(head.headers, endpoint.deprecation?.headers)
      return sendFile(request, head, result as SentFile)
    }
    const response = respond(request, admission, written(result as object, success.untagged))
    head.headers = {}
    return response
  }
}

function createResponse({ success, deprecation }: AnyEndpoint) {
  return createGetResponse(success.cacheControl ?? 'private, no-cache', deprecation?.headers ?? {})
}

function createRecordWriter({ idParameter, untagged }: RecordSuccess, handle: AnyHandler): Write {
  return (query, params, principal) => {
    const record = handle({ ...noInput, params, query, principal }) as object
    const id = idParameter === undefined ? undefined : Number(params[idParameter])
    return { ...written(record, untagged), ids: id === undefined ? anyId : { from: id, to: id } }
  }
}

function written(record: object, untagged: readonly string[] | undefined) {
  const body = JSON.stringify(record)
  return { body, etag: recordTag(record, body, untagged) }
}

function createPageWriter(
  path: string,
  { cursorName, idOrder, singleRecordParameter }: PageSuccess,
  handle: AnyHandler,
): Write {
  return (query, params, principal) => {
    const { limit: _limit, cursor: _cursor, ...filters } = query
    const request = {
      path: `/v1${filledPath(path, params)}`,
      cursorName: typeof cursorName === 'string' ? cursorName : cursorName(query),
      query,
      isOneRecord: singleRecordParameter !== undefined && isOneId(query[singleRecordParameter]),
      idOrder: idOrder?.(query),
    }
    return writePage(request, (most, after) => {
      const input = { ...noInput, params, query: filters, principal, most, after }
      return handle(input) as PartOfList | Records
    })
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
