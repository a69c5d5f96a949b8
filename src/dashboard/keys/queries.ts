/** What the page of API keys reads. */

import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { allOf, api, bodyOf, pageOf } from '../api/client.ts'
import { invalidateTopics } from '../api/queries.ts'

const longestPage = 100
const page = (cursor: string | undefined) => ({ limit: longestPage, ...(cursor === undefined ? {} : { cursor }) })

/** Requests are counted all the time without being announced. */
const usageRefreshMs = 30_000

export const accountsQuery = queryOptions({
  queryKey: ['accounts'],
  queryFn: ({ signal }) => allOf((cursor) => pageOf(api.GET('/accounts', { params: { query: page(cursor) }, signal }))),
  refetchInterval: usageRefreshMs,
  meta: { topics: ['accounts', 'keys'] },
})

export const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: ({ signal }) => allOf((cursor) => pageOf(api.GET('/keys', { params: { query: page(cursor) }, signal }))),
  meta: { topics: ['keys', 'bans', 'accounts'] },
})

export const usageQuery = (accountId: number, days: number) =>
  queryOptions({
    queryKey: ['usage', accountId, days],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/accounts/{accountId}/usage', { params: { path: { accountId }, query: { days } }, signal })),
    refetchInterval: usageRefreshMs,
    placeholderData: keepPreviousData,
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
            query: { ...filters, limit: auditPageSize, ...(pageParam === undefined ? {} : { cursor: pageParam }) },
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
