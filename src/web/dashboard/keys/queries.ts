/** The queries of the page of API keys. */

import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, bodyOf, filledPage, type ListPage, pageOf, pageStart } from '../api/client.ts'
import { invalidateTopics } from '../api/queries.ts'
import { isInUse, type Key } from './words.ts'

const longestPage = 100
const accountPageSize = 20

/** Requests are counted all the time without being announced. */
export const usageRefreshMs = 30_000

export const accountPagesQuery = infiniteQueryOptions({
  queryKey: ['accounts', 'pages'],
  queryFn: ({ pageParam, signal }) =>
    pageOf(api.GET('/accounts', { params: { query: { limit: accountPageSize, ...pageStart(pageParam) } }, signal })),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ next }) => next,
  refetchInterval: usageRefreshMs,
  meta: { topics: ['accounts', 'keys'] },
})

/** The keys of an account: all, or those that are neither revoked nor expired. */
export const keysQuery = (accountId: number, hasOld: boolean) =>
  infiniteQueryOptions({
    queryKey: ['keys', accountId, { hasOld }],
    queryFn: ({ pageParam, signal }) => fetchKeys(accountId, hasOld, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    meta: { topics: ['keys', 'bans', 'accounts'] },
  })

function fetchKeys(
  accountId: number,
  hasOld: boolean,
  from: string | undefined,
  signal: AbortSignal,
): Promise<ListPage<Key>> {
  // A page can have only revoked keys.
  return filledPage(async (start) => {
    const query = { limit: longestPage, accountId, ...start }
    const { items, next } = await pageOf(api.GET('/keys', { params: { query }, signal }))
    return { items: hasOld ? items : items.filter((key) => isInUse(key)), next }
  }, from)
}

/** A key whose name is shown; names hardly ever change. */
export const keyQuery = (keyId: number) =>
  queryOptions({
    queryKey: ['keys', 'one', keyId],
    queryFn: ({ signal }) => bodyOf(api.GET('/keys/{keyId}', { params: { path: { keyId } }, signal })),
    staleTime: Number.POSITIVE_INFINITY,
  })

export const usageQuery = (accountId: number, days: number) =>
  queryOptions({
    queryKey: ['usage', accountId, days],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/accounts/{accountId}/usage', { params: { path: { accountId }, query: { days } }, signal })),
    refetchInterval: usageRefreshMs,
    // The numbers of another account would stand under the name of this one.
    placeholderData: (before, query) => (query?.queryKey[1] === accountId ? before : undefined),
  })

const auditPageSize = 50

/** The filters of the audit log, as they stand in the address. */
export interface AuditFilters {
  readonly actor?: string
  readonly action?: string
  readonly accountId?: number
  readonly from?: string
  readonly to?: string
}

export const auditQuery = (filters: AuditFilters) =>
  infiniteQueryOptions({
    queryKey: ['audit', filters],
    queryFn: ({ pageParam, signal }) =>
      pageOf(
        api.GET('/audit', {
          params: {
            query: { ...filters, limit: auditPageSize, ...pageStart(pageParam) },
          },
          signal,
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    meta: { topics: ['audit'] },
  })

export const refreshKeys = () => invalidateTopics(['keys', 'accounts', 'bans', 'audit'])
