/** Reads: a record or a page of records, with its ETag, cached where the endpoint says so. */

import { conditionalBody, type ResponseHead, recordTag } from '../http/conditions.ts'
import type { Principal } from '../keys/principal.ts'
import type { AnyEndpoint } from './declare.ts'
import {
  type AnyHandler,
  createEntry,
  describe,
  type Enter,
  type Input,
  type MountParts,
  noInput,
  type RawParams,
} from './entry.ts'
import { createQueryReader } from './input/query.ts'
import { type PartOfList, pageParameters, writePage } from './page.ts'
import { createPageCache } from './page-cache.ts'

/** Sends the response of a read; synchronous, because an asynchronous one costs a tenth of the throughput. */
export type Read = (request: Request, head: ResponseHead, params: RawParams, principal: Principal) => string | Response

export function createRead(id: string, endpoint: AnyEndpoint, handle: AnyHandler, parts: MountParts): Read {
  const enter = createEntry(id, endpoint, parts)
  return endpoint.success.kind === 'page'
    ? createPageRead(endpoint, endpoint.success, handle, parts, enter)
    : createRecordRead(endpoint, handle, enter)
}

function createRecordRead({ query = {}, success }: AnyEndpoint, handle: AnyHandler, enter: Enter): Read {
  const { cacheControl = 'private, no-cache', untagged } = success
  const reader = createQueryReader(query)
  const hasQuery = reader.names.length > 0
  return (request, head, raw, principal) => {
    const params = enter(request, head, raw, principal)
    const values = hasQuery ? reader.read(reader.split(request.url)) : {}
    const record = handle({ ...noInput, params, query: values, principal }) as object
    const text = JSON.stringify(record)
    const etag = recordTag(record, text, untagged)
    describe(head, etag, cacheControl)
    return conditionalBody(request, head, etag, text)
  }
}

type PageSuccess = Extract<AnyEndpoint['success'], { kind: 'page' }>

function createPageRead(
  { path, query = {} }: AnyEndpoint,
  { cacheControl = 'private, no-cache', cursorName, cachedUntil, variesBy, singleRecordParameter }: PageSuccess,
  handle: AnyHandler,
  { announcements, pageCacheCounts }: MountParts,
  enter: Enter,
): Read {
  const reader = createQueryReader({ ...pageParameters, ...query })
  const cached = cachedUntil && createPageCache(announcements, cachedUntil, pageCacheCounts)

  function write(encoded: readonly (string | undefined)[], params: Input['params'], principal: Principal) {
    const values = reader.read(encoded)
    const { limit: _limit, cursor: _cursor, ...filters } = values
    const request = {
      path: `/v1${path}`,
      cursorName: typeof cursorName === 'string' ? cursorName : cursorName(values),
      query: values,
      isOneRecord: singleRecordParameter !== undefined && isOneId(values[singleRecordParameter]),
    }
    return writePage(request, (most, after) => {
      const input = { ...noInput, params, query: filters, principal, most, after }
      return handle(input) as PartOfList | PartOfList['records']
    })
  }

  return (request, head, raw, principal) => {
    const params = enter(request, head, raw, principal)
    const encoded = reader.split(request.url)
    const make = () => write(encoded, params, principal)
    const page = cached ? cached(`${variesBy?.(principal) ?? ''}?${queryKey(encoded)}`, make) : make()
    describe(head, page.etag, cacheControl)
    if (page.link !== undefined) head.headers['link'] = page.link
    if (page.recordTag !== undefined) head.headers['X-Record-ETag'] = page.recordTag
    return conditionalBody(request, head, page.etag, page.body)
  }
}

/** A key of the query: encoded values hold no `&`, and an absent value differs from an empty one. */
function queryKey(encoded: readonly (string | undefined)[]): string {
  let key = ''
  for (const value of encoded) key += value === undefined ? '&' : `=${value}&`
  return key
}

function isOneId(ids: string | number | undefined): boolean {
  return typeof ids === 'string' && !ids.includes(',')
}
