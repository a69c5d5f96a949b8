/**
 * Pages of lists: `limit`, an opaque `cursor`, and the way to the next page in `Link` (RFC 8288). A
 * cursor holds the last id of its page, so a page costs the same at any depth and inserts don't shift it.
 * Pages can be kept as they are sent until their records change: making one costs ten times the sending.
 */

import { Type } from '@sinclair/typebox'
import { LRUCache } from 'lru-cache'
import type { Announcements, Topic } from '../database/announcements.ts'
import { AppError } from '../lib/error.ts'
import { describeRepresentation, etagOf, type Settable, unlessKnown } from './representation.ts'
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
  /** The last id of the page before; undefined on the first. */
  readonly after: number | undefined
}

/** What the query asks for; throws `invalid_cursor` for a cursor that this list never gave out. */
export function pageOf(query: { limit?: string | number; cursor?: string }, list: string): Page {
  return {
    limit: query.limit === undefined ? defaultLimit : Number(query.limit),
    after: query.cursor === undefined ? undefined : readCursor(query.cursor, list),
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

export interface WrittenPage {
  readonly body: string
  readonly etag: string
  /** The `Link` header to the next page, if there is one. */
  readonly link: string | undefined
}

export interface PartOfList<T> {
  readonly records: readonly T[]
  /** If there may be more although these are fewer than requested: the id after which the next page begins. */
  readonly searchedTo: number | undefined
}

export interface PageSource<T extends { readonly id: number }> {
  /** Path of the list, and the name its cursors carry. */
  readonly path: string
  readonly list: string
  /** What is asked for beside the cursor, to be carried to the next page. */
  readonly query: Readonly<Record<string, string | number | undefined>>
  readonly limit: number
  /** Gives at most so many records; one more than the page holds tells whether there is a next one. */
  readonly read: (limit: number) => readonly T[] | PartOfList<T>
}

/** A page as it is sent, with an ETag that covers its `Link` too. */
export function writePage<T extends { readonly id: number }>({
  path,
  list,
  query,
  limit,
  read,
}: PageSource<T>): WrittenPage {
  const found = read(limit + 1)
  const { records, searchedTo } = 'records' in found ? found : { records: found, searchedTo: undefined }
  const body = JSON.stringify(records.slice(0, limit))
  const next = records.length > limit ? records[limit - 1]?.id : searchedTo
  const link = next === undefined ? undefined : nextLink(path, { ...query, limit }, writeCursor(next, list))
  return { body, link, etag: etagOf(body + (link ?? '')) }
}

/** Sends a page, or 304 if the request has it already. */
export function sendPage(request: Request, set: Settable, page: WrittenPage, caching?: string): string | Response {
  describeRepresentation(set, page.etag, caching)
  if (page.link !== undefined) set.headers['link'] = page.link
  return unlessKnown(request, set, page.etag, page.body)
}

function nextLink(path: string, query: PageSource<never>['query'], cursor: string): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value))
  parameters.set('cursor', cursor)
  return `<${path}?${parameters}>; rel="next"`
}

/** What kept pages may take. */
const maximumCharacters = 16 * 1024 * 1024

/** Keeps the pages that `write` makes, under a name for their query, until a change of `topic` is announced. */
export function createPageCache<Query>(
  announcements: Announcements,
  topic: Topic,
  write: (query: Query) => WrittenPage,
) {
  const pages = new LRUCache<string, WrittenPage>({
    maxSize: maximumCharacters,
    sizeCalculation: (page, name) => page.body.length + name.length + 200,
  })
  let isStale = false
  announcements.subscribe([topic], () => {
    isStale = true
  })

  return {
    get(name: string, query: Query): WrittenPage {
      // A page made before the commit would show a change that may yet be rolled back.
      if (announcements.isChanging(topic)) return write(query)
      if (isStale) {
        pages.clear()
        isStale = false
      }
      const kept = pages.get(name)
      if (kept) return kept
      const written = write(query)
      pages.set(name, written)
      return written
    },
  }
}
