/**
 * Pages of lists: `limit`, an opaque `cursor`, and the address of the next page in `Link` (RFC 8288). A cursor holds
 * the last id of its page, and the value by which the list is sorted if that is another, so a page costs the same at any
 * depth and inserts do not shift it.
 */

import { Type } from '@sinclair/typebox'
import { anyId, type IdSpan } from '../database/announcements.ts'
import { AppError } from '../lib/error.ts'
import { etagOf } from './conditions.ts'
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
      description: 'The most records to return.',
      examples: [20],
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2_000,
      pattern: '^[A-Za-z0-9_-]+$',
      description: 'The position at which the page begins, from the `Link` header of the page before.',
    }),
  ),
}

/** Where a page ends: at the record with this id and, in a list that is sorted by another value, with that value. */
export interface Position {
  readonly id: number
  readonly value?: string | undefined
}

function writeCursor({ id, value }: Position, list: string): string {
  return Buffer.from(value === undefined ? `${list}:${id}` : `${list}:${id}:${value}`).toString('base64url')
}

/** The position in a cursor; throws `invalid_cursor` unless `writeCursor` created it for this list. */
function readCursor(cursor: string, list: string): Position {
  const text = Buffer.from(cursor, 'base64url').toString()
  const [, name, digits, value] = /^([^:]+):([1-9][0-9]{0,15})(?::(.*))?$/s.exec(text) ?? []
  const position = { id: Number(digits), value }
  if (name !== list || position.id > maximumId || writeCursor(position, list) !== cursor) {
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

export interface PageRequest {
  /** Path of the list, including `/v1`. */
  readonly path: string
  readonly cursorName: string
  /** The validated query. The query of the next page differs only in its cursor. */
  readonly query: Readonly<Record<string, string | number | boolean>>
  /** Whether the query names one record by its id. */
  readonly isOneRecord: boolean
  /** The order of the records, if it is that of their ids; a page is then determined by a span of ids. */
  readonly idOrder: 'asc' | 'desc' | undefined
  /** The parameter that the address of the next page does not have. */
  readonly beginParameter?: string | undefined
}

/** A record or a page, written as JSON. */
export interface Written {
  readonly body: string
  /** Covers the body and the link. */
  readonly etag: string
  /** The `Link` header with the next page, if there is one. */
  readonly link?: string | undefined
  /** The entity tag of the record, if a page was requested by one id. */
  readonly recordTag?: string | undefined
  /** Whether it is not cached: its search ran out of time, or any change can change it, because it is not sorted by ids. */
  readonly isUncached?: boolean
  /** The records that determine it. */
  readonly ids: IdSpan
}

/** Writes a page from `read(fetchLimit, position)`, which returns at most `fetchLimit` records beyond the position. */
export function writePage(
  { path, cursorName, query, isOneRecord, idOrder, beginParameter = '' }: PageRequest,
  read: (fetchLimit: number, position: Position | undefined) => Records | PartOfList,
): Written {
  const { limit: given, cursor, [beginParameter]: _, ...filters } = query
  const limit = given === undefined ? defaultLimit : Number(given)
  const position = cursor === undefined ? undefined : readCursor(String(cursor), cursorName)
  const found = read(limit + 1, position)
  const part: PartOfList = 'records' in found ? found : { records: found }
  const { records, searchedTo, ids: recordIds, sortedBy } = part
  const body = JSON.stringify(records.slice(0, limit))
  const idAt = (i: number) => recordIds?.[i] ?? (records as Records)[i]?.id
  const searched = typeof searchedTo === 'number' ? { id: searchedTo } : searchedTo
  const last = records[limit - 1]
  const next =
    records.length > limit ? { id: idAt(limit - 1) ?? 0, value: last && sortedBy?.(last as never) } : searched
  const link = next === undefined ? undefined : nextLink(path, { ...filters, limit }, writeCursor(next, cursorName))
  const recordTag = isOneRecord && records[0] ? etagOf(JSON.stringify(records[0])) : undefined
  const etag = etagOf(body + (link ?? ''))
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

function nextLink(path: string, query: PageRequest['query'], cursor: string): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) parameters.set(name, String(value))
  parameters.set('cursor', cursor)
  return `<${path}?${parameters}>; rel="next"`
}
