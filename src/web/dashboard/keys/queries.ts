/** The queries of the page of API keys. */

import { queryOptions } from '@tanstack/react-query'
import { api, bodyOf, type Schemas } from '../api/client.ts'
import { listQuery, pageOf } from '../api/lists.ts'
import { isInUse } from './words.ts'

const longestPage = 100
const accountPageSize = 20

/** Requests are counted all the time without being announced. */
export const usageRefreshMs = 30_000

export const accountPagesQuery = {
  ...listQuery(['accounts', 'pages'], ['accounts', 'keys'], (start, signal) =>
    pageOf(api.GET('/accounts', { params: { query: { limit: accountPageSize, ...start } }, signal })),
  ),
  refetchInterval: usageRefreshMs,
}

/** The keys of an account: all, or those that are neither revoked nor expired. */
export const keysQuery = (accountId: number, hasOld: boolean) =>
  listQuery(['keys', accountId, { hasOld }], ['keys', 'bans', 'accounts'], async (start, signal) => {
    const query = { limit: longestPage, accountId, ...start }
    const { items, next } = await pageOf(api.GET('/keys', { params: { query }, signal }))
    return { items: hasOld ? items : items.filter((key) => isInUse(key)), next }
  })

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
export type AuditFilters = Partial<Record<'actor' | 'action' | 'from' | 'to', string>> & { readonly accountId?: number }

export const auditQuery = (filters: AuditFilters) =>
  listQuery<Schemas['AuditEntry']>(['audit', filters], ['audit'], (start, signal) =>
    pageOf(api.GET('/audit', { params: { query: { ...filters, limit: auditPageSize, ...start } }, signal })),
  )
