/**
 * Pages of lists: `limit`, an opaque `cursor`, and the address of the next page in `Link` (RFC 8288). A cursor holds
 * the last id of its page, and the value by which the list is sorted if that is another, so a page costs the same at
 * any depth and inserts do not shift it.
 */

import { Type } from '@sinclair/typebox'
import { anyId, type IdSpan } from '../database/announcements.ts'
import { AppError } from '../lib/error.ts'
import { etagOf } from './conditions.ts'
import type { QueryValues } from './input/query.ts'
import { integerParameter, maximumId } from './schemas.ts'

export const defaultLimit = 20
export const maximumLimit = 100

/** The query parameters of every list. */
export const pageParameters = {
  limit: Type.Optional(
    integerParameter({
      format: 'int32',
      minimum: 1,
      maximum: maximumLimit,
      default: defaultLimit,
      description: 'The maximum number of records to return.',
      examples: [20],
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2_000,
      pattern: '^[A-Za-z0-9_-]+$',
      description: 'From the `Link` header of the previous page.',
    }),
  ),
}

/** Where a page ends: at the record with this id and, in a list that is sorted by another value, with that value. */
export interface Position {
  readonly id: number
  readonly value?: string | undefined
}

function cursorOf({ id, value }: Position, list: string): string {
  return Buffer.from(value === undefined ? `${list}:${id}` : `${list}:${id}:${value}`).toString('base64url')
}

/** The position in a cursor; throws `invalid_cursor` unless `cursorOf` made it for this list. */
function readCursor(cursor: string, list: string): Position {
  const text = Buffer.from(cursor, 'base64url').toString()
  const [, name, digits, value] = /^([^:]+):([1-9][0-9]{0,15})(?::(.*))?$/s.exec(text) ?? []
  const position = { id: Number(digits), value }
  if (name !== list || position.id > maximumId || cursorOf(position, list) !== cursor) {
    throw new AppError('invalid_cursor', 'cursor is not from this list: start again without it.')
  }
  return position
}

/** The records of a page whose search had a time limit, or whose ids are not members of the records. */
export interface PartOfList {
  readonly records: readonly object[]
  /** The position after which the next page begins, if the search ran out of time before it found enough records. */
  readonly searchedTo?: number | Position | undefined
  /** The ids of the records, if they have no member `id`. */
  readonly ids?: readonly number[]
  /** Returns the value of a record by which the list is sorted, if that is not the id. */
  readonly sortedBy?: (record: never) => string
}

/** The records of a page with their ids. */
export type Records = readonly { readonly id: number }[]

/** The page that a request asks for. */
export interface PageRequest {
  /** The maximum number of records that are sent. */
  readonly limit: number
  /** Where the previous page ends; undefined for the first page. */
  readonly position: Position | undefined
  /** The query without `limit` and `cursor`. */
  readonly filters: QueryValues
}

/** Reads a validated query. `cursorName` is the name of the list in its cursors. Throws `invalid_cursor`. */
export function readPageRequest({ limit, cursor, ...filters }: QueryValues, cursorName: string): PageRequest {
  return {
    limit: limit === undefined ? defaultLimit : Number(limit),
    position: cursor === undefined ? undefined : readCursor(String(cursor), cursorName),
    filters,
  }
}

/** A record or a page as JSON. */
export interface Serialized {
  readonly body: string
  /** Covers the body and the link. */
  readonly etag: string
  /** The `Link` header with the next page, if there is one. */
  readonly link?: string | undefined
  /** The entity tag of the record, if a page was requested by one id. */
  readonly recordTag?: string | undefined
  /**
   * Whether it is not cached: its search ran out of time, or any change can affect it, because it is not sorted by ids.
   */
  readonly isUncached?: boolean
  /** The records that determine it. */
  readonly ids: IdSpan
}

export interface PageOptions {
  /** Path of the list, including `/v1`. */
  readonly path: string
  readonly cursorName: string
  /** Whether the query names one record by its id. */
  readonly isOneRecord: boolean
  /** The order of the records, if it is that of their ids; a page is then determined by a span of ids. */
  readonly idOrder: 'asc' | 'desc' | undefined
  /** The parameter that the address of the next page does not have. */
  readonly beginParameter?: string | undefined
}

/**
 * The page with the records that were found: up to `limit + 1` of them, because an extra one shows that there is a next
 * page.
 */
export function serializePage(
  found: Records | PartOfList,
  { limit, position, filters }: PageRequest,
  { path, cursorName, isOneRecord, idOrder, beginParameter = '' }: PageOptions,
): Serialized {
  const part: PartOfList = 'records' in found ? found : { records: found }
  const { records, searchedTo, ids: recordIds, sortedBy } = part
  const body = JSON.stringify(records.slice(0, limit))
  const idAt = (i: number) => recordIds?.[i] ?? (records as Records)[i]?.id
  const searched = typeof searchedTo === 'number' ? { id: searchedTo } : searchedTo
  const last = records[limit - 1]
  const next =
    records.length > limit ? { id: idAt(limit - 1) ?? 0, value: last && sortedBy?.(last as never) } : searched
  const { [beginParameter]: _, ...lasting } = filters
  const link = next === undefined ? undefined : nextLink(path, { ...lasting, limit }, cursorOf(next, cursorName))
  const recordTag = isOneRecord && records[0] ? etagOf(JSON.stringify(records[0])) : undefined
  const etag = etagOf(body, link)
  // The record after the page determines whether there is a link.
  const ids = idOrder === undefined ? anyId : spanOf(idOrder, position?.id, idAt(limit))
  return { body, link, recordTag, etag, isUncached: searched !== undefined || sortedBy !== undefined, ids }
}

/** The ids beyond the id in the cursor, up to the id `last` or else to the end of the list. */
function spanOf(order: 'asc' | 'desc', cursorId: number | undefined, last: number | undefined): IdSpan {
  return order === 'asc'
    ? { from: (cursorId ?? 0) + 1, to: last ?? anyId.to }
    : { from: last ?? anyId.from, to: (cursorId ?? anyId.to) - 1 }
}

function nextLink(path: string, query: QueryValues, cursor: string): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) parameters.set(name, String(value))
  parameters.set('cursor', cursor)
  return `<${path}?${parameters}>; rel="next"`
}
