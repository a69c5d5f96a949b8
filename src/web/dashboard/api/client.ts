/**
 * The client of the API. Its types are generated from docs/openapi.json, so a page that sends or reads what the API does not
 * have does not compile. Every error is thrown (`error.ts`).
 */

import createClient from 'openapi-fetch'
import type { components, paths } from './schema.d.ts'
import { send } from './send.ts'

export const api = createClient<paths>({
  baseUrl: '/v1',
  fetch: send,
  // Several values of a parameter are separated by commas.
  querySerializer: { array: { style: 'form', explode: false } },
})

/** The JSON forms of the API's records, by the names in its description. */
export type Schemas = components['schemas']

interface Result<T> {
  readonly data?: T
  readonly response: Response
}

/** The body of a response: `await bodyOf(api.GET('/store/inventory'))`. */
export async function bodyOf<T>(result: Promise<Result<T>>): Promise<NonNullable<T>> {
  const { data } = await result
  return data as NonNullable<T>
}

/** A record with the ETag that a change of it sends as `If-Match`. */
export interface Tagged<T> {
  readonly record: T
  readonly etag: string | undefined
}

export async function taggedBodyOf<T>(result: Promise<Result<T>>): Promise<Tagged<NonNullable<T>>> {
  const { data, response } = await result
  return { record: data as NonNullable<T>, etag: response.headers.get('etag') ?? undefined }
}

/** A page of a list. */
export interface ListPage<T> {
  readonly items: readonly T[]
  /** The cursor of the next page; undefined on the last. */
  readonly next: string | undefined
}

/** A page of a list with its `Link`: `await pageOf(api.GET('/keys', { params: { query: { cursor } } }))`. */
export async function pageOf<T>(result: Promise<Result<readonly T[]>>): Promise<ListPage<T>> {
  const { data, response } = await result
  const [, address] = /<([^>]+)>;\s*rel="next"/.exec(response.headers.get('link') ?? '') ?? []
  const cursor = address === undefined ? null : new URL(address, location.href).searchParams.get('cursor')
  return { items: data ?? [], next: cursor ?? undefined }
}

/** The parameters of a request for the page that begins at a cursor: none for the first page. */
export interface PageStart {
  readonly cursor?: string
}

export const pageStart = (cursor: string | undefined): PageStart => (cursor === undefined ? {} : { cursor })

/** The first page from a cursor on that has something: a search can end a page early, even without any record. */
export async function filledPage<T>(
  fetchPage: (start: PageStart) => Promise<ListPage<T>>,
  from?: string,
): Promise<ListPage<T>> {
  let page = await fetchPage(pageStart(from))
  while (page.items.length === 0 && page.next !== undefined) page = await fetchPage(pageStart(page.next))
  return page
}

/** All pages of a list that is known to be short, such as categories or accounts. */
export async function allOf<T>(fetchPage: (start: PageStart) => Promise<ListPage<T>>): Promise<readonly T[]> {
  const items: T[] = []
  let cursor: string | undefined
  do {
    const { items: more, next } = await fetchPage(pageStart(cursor))
    items.push(...more)
    cursor = next
  } while (cursor !== undefined)
  return items
}
