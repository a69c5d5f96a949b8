/** The API's lists, which have pages: as a whole, page by page, or the first records that a search finds. */

import { type InfiniteData, infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query'
import type { Result } from './client.ts'
import type { Topic } from './queries.ts'

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

type Pages<T> = InfiniteData<ListPage<T>, string | undefined>

/**
 * A list that is fetched page by page. Its data are the records of all pages until now. The earlier list stays
 * while its replacement is fetched, unless `placeholderData` says otherwise.
 */
export const listQuery = <T>(
  queryKey: readonly unknown[],
  topics: readonly Topic[],
  fetchPage: (start: PageStart, signal: AbortSignal) => Promise<ListPage<T>>,
  placeholderData: (
    before: Pages<T> | undefined,
    query?: { readonly queryKey: readonly unknown[] },
  ) => Pages<T> | undefined = keepPreviousData,
) =>
  infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) => filledPage((start) => fetchPage(start, signal), pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    select: recordsOf<T>,
    placeholderData,
    meta: { topics },
  })

const recordsOf = <T>({ pages }: { readonly pages: readonly ListPage<T>[] }): readonly T[] =>
  pages.flatMap(({ items }) => items)
