/** What the page of API keys reads. */

import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { allOf, api, bodyOf, pageOf } from '../api/client.ts'
import { invalidateTopics } from '../api/queries.ts'

const longestPage = 100
const page = (cursor: string | undefined) => ({ limit: longestPage, ...(cursor === undefined ? {} : { cursor }) })

export const accountsQuery = queryOptions({
  queryKey: ['accounts'],
  queryFn: ({ signal }) => allOf((cursor) => pageOf(api.GET('/accounts', { params: { query: page(cursor) }, signal }))),
  meta: { topics: ['accounts', 'keys'] },
})

export const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: ({ signal }) => allOf((cursor) => pageOf(api.GET('/keys', { params: { query: page(cursor) }, signal }))),
  meta: { topics: ['keys', 'bans', 'accounts'] },
})

/** Requests are counted all the time without being announced. */
const usageRefreshMs = 30_000

export const usageQuery = (accountId: number, days: number) =>
  queryOptions({
    queryKey: ['usage', accountId, days],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/accounts/{accountId}/usage', { params: { path: { accountId }, query: { days } }, signal })),
    refetchInterval: usageRefreshMs,
    placeholderData: keepPreviousData,
  })

const auditPageSize = 50

export const auditQuery = () =>
  infiniteQueryOptions({
    queryKey: ['audit'],
    queryFn: ({ pageParam, signal }) =>
      pageOf(
        api.GET('/audit', {
          params: { query: { limit: auditPageSize, ...(pageParam === undefined ? {} : { cursor: pageParam }) } },
          signal,
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    meta: { topics: ['audit'] },
  })

export const refreshKeys = () => invalidateTopics(['keys', 'accounts', 'bans', 'audit'])
