/**
 * Pages of lists: `limit`, an opaque `cursor`, and the way to the next page in `Link` (RFC 8288). A
 * cursor holds the last id of its page, so a page costs the same at any depth and inserts don't shift it.
 */

import { Type } from '@sinclair/typebox'
import { AppError } from '../lib/error.ts'
import { integerParameter, maximumId } from './validation.ts'

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
      maxLength: 200,
      pattern: '^[A-Za-z0-9_-]+$',
      description: 'Where to go on: taken from the `Link` header of the page before.',
    }),
  ),
}

export interface Page {
  readonly limit: number
  /** The last id of the page before; 0 on the first. */
  readonly after: number
}

/** What the query asks for; throws `invalid_cursor` for a cursor that this list never gave out. */
export function pageOf(query: { limit?: string | number; cursor?: string }, list: string): Page {
  return {
    limit: query.limit === undefined ? defaultLimit : Number(query.limit),
    after: query.cursor === undefined ? 0 : readCursor(query.cursor, list),
  }
}

export function writeCursor(id: number, list: string): string {
  return Buffer.from(`${list}:${id}`).toString('base64url')
}

/** The id in a cursor; throws `invalid_cursor` unless `writeCursor` made it for this list. */
export function readCursor(cursor: string, list: string): number {
  const [name, digits = ''] = Buffer.from(cursor, 'base64url').toString('latin1').split(':')
  const id = /^[1-9][0-9]{0,15}$/.test(digits) ? Number(digits) : 0
  if (name !== list || id < 1 || id > maximumId || writeCursor(id, list) !== cursor) {
    throw new AppError('invalid_cursor', 'cursor is not one that this list gave out: start again without it.')
  }
  return id
}

/** The `Link` header to the page after `lastId`, with the filters of this one. */
export function nextLink(path: string, query: Readonly<Record<string, unknown>>, lastId: number, list: string): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (name !== 'cursor' && value !== undefined) parameters.set(name, String(value))
  }
  parameters.set('cursor', writeCursor(lastId, list))
  return `<${path}?${parameters}>; rel="next"`
}
