/** The route functions of GET: a record or a page of records with its ETag. Pages are cached if the endpoint declares it. */

import { conditionalBody, type ResponseHead, recordTag } from '../http/conditions.ts'
import type { Principal } from '../keys/principal.ts'
import type { AnyEndpoint } from './declare.ts'
import { createQueryReader } from './input/query.ts'
import { type PartOfList, pageParameters, type Records, writePage } from './page.ts'
import { createPageCache } from './page-cache.ts'
import {
  type AnyHandler,
  createRequestCheck,
  type Input,
  type MountParts,
  noInput,
  type RawParams,
  type RequestCheck,
  setRepresentationHeaders,
} from './request-check.ts'

/** Returns the response body. It is synchronous, because an asynchronous function costs a tenth of the throughput. */
export type Read = (request: Request, head: ResponseHead, params: RawParams, principal: Principal) => string | Response

/** Likewise, for a handler that returns a promise. */
export type SlowRead = (...request: Parameters<Read>) => Promise<string | Response>

export function createRead(id: string, endpoint: AnyEndpoint, handle: AnyHandler, parts: MountParts): Read {
  const check = createRequestCheck(id, endpoint, parts)
  return endpoint.success.kind === 'page'
    ? createPageRead(endpoint, endpoint.success, handle, parts, check)
    : createRecordRead(endpoint, handle, check)
}

export function createSlowRead(id: string, endpoint: AnyEndpoint, handle: AnyHandler, parts: MountParts): SlowRead {
  const inputOf = createInputReader(endpoint, createRequestCheck(id, endpoint, parts))
  const respond = createRecordResponse(endpoint)
  return async (request, head, raw, principal) => {
    const record = await handle(inputOf(request, head, raw, principal))
    return respond(request, head, record as object)
  }
}

function createRecordRead(endpoint: AnyEndpoint, handle: AnyHandler, check: RequestCheck): Read {
  const inputOf = createInputReader(endpoint, check)
  const respond = createRecordResponse(endpoint)
  return (request, head, raw, principal) =>
    respond(request, head, handle(inputOf(request, head, raw, principal)) as object)
}

/** Returns a function that checks a request for a record and returns the input of its handler. */
function createInputReader({ query = {} }: AnyEndpoint, check: RequestCheck) {
  const reader = createQueryReader(query)
  const hasQuery = reader.names.length > 0
  return (request: Request, head: ResponseHead, raw: RawParams, principal: Principal): Input => {
    const params = check(request, head, raw, principal)
    const values = hasQuery ? reader.read(reader.split(request.url)) : {}
    return { ...noInput, params, query: values, principal }
  }
}

function createRecordResponse({ success }: AnyEndpoint) {
  const { cacheControl = 'private, no-cache', untagged } = success
  return (request: Request, head: ResponseHead, record: object): string | Response => {
    const text = JSON.stringify(record)
    const etag = recordTag(record, text, untagged)
    setRepresentationHeaders(head, etag, cacheControl)
    return conditionalBody(request, head, etag, text)
  }
}

type PageSuccess = Extract<AnyEndpoint['success'], { kind: 'page' }>

function createPageRead(
  { path, query = {} }: AnyEndpoint,
  { cacheControl = 'private, no-cache', cursorName, cachedUntil, variesBy, singleRecordParameter }: PageSuccess,
  handle: AnyHandler,
  { announcements, pageCacheCounts }: MountParts,
  check: RequestCheck,
): Read {
  const reader = createQueryReader({ ...pageParameters, ...query })
  const cached = cachedUntil && createPageCache(announcements, cachedUntil, pageCacheCounts)
  const pathOfPage = path.includes('{') ? (params: Input['params']) => filledPath(path, params) : () => path

  function write(
    pagePath: string,
    encoded: readonly (string | undefined)[],
    params: Input['params'],
    principal: Principal,
  ) {
    const values = reader.read(encoded)
    const { limit: _limit, cursor: _cursor, ...filters } = values
    const request = {
      path: `/v1${pagePath}`,
      cursorName: typeof cursorName === 'string' ? cursorName : cursorName(values),
      query: values,
      isOneRecord: singleRecordParameter !== undefined && isOneId(values[singleRecordParameter]),
    }
    return writePage(request, (most, after) => {
      const input = { ...noInput, params, query: filters, principal, most, after }
      return handle(input) as PartOfList | Records
    })
  }

  return (request, head, raw, principal) => {
    const params = check(request, head, raw, principal)
    const encoded = reader.split(request.url)
    const pagePath = pathOfPage(params)
    const make = () => write(pagePath, encoded, params, principal)
    const page = cached ? cached(`${pagePath} ${variesBy?.(principal) ?? ''}?${queryKey(encoded)}`, make) : make()
    setRepresentationHeaders(head, page.etag, cacheControl)
    if (page.link !== undefined) head.headers['link'] = page.link
    if (page.recordTag !== undefined) head.headers['X-Record-ETag'] = page.recordTag
    return conditionalBody(request, head, page.etag, page.body)
  }
}

/** The path of a list that belongs to a record, with the parsed parameters of a request. */
function filledPath(path: string, params: Readonly<Record<string, unknown>>): string {
  return path.replace(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])))
}

/** The cache key of a query: encoded values contain no `&`, and an absent value differs from an empty one. */
function queryKey(encoded: readonly (string | undefined)[]): string {
  let key = ''
  for (const value of encoded) key += value === undefined ? '&' : `=${value}&`
  return key
}

function isOneId(ids: string | number | undefined): boolean {
  return typeof ids === 'string' && !ids.includes(',')
}
