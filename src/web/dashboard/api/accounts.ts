/** Accounts by their ids, and by a text in their names for fields in which one is chosen. */

import { keepPreviousData, queryOptions, useQueries } from '@tanstack/react-query'
import { defined, searchTextOf } from '../ui/input.ts'
import { api, bodyOf, type Schemas } from './client.ts'
import { filledPage, pageOf } from './lists.ts'

export type Account = Schemas['Account']

export const accountQuery = (accountId: number) =>
  queryOptions({
    queryKey: ['accounts', 'one', accountId],
    queryFn: ({ signal }) => bodyOf(api.GET('/accounts/{accountId}', { params: { path: { accountId } }, signal })),
    meta: { topics: ['accounts', 'keys'] },
  })

/** An account of which only the name is shown and kept up to date. */
const namedAccountQuery = (accountId: number) =>
  queryOptions({
    ...accountQuery(accountId),
    queryKey: ['accounts', 'name', accountId],
    staleTime: Number.POSITIVE_INFINITY,
    meta: { topics: ['accounts'] },
  })

/** Gives the names of accounts by their ids. */
export function useAccountNames(ids: readonly number[]): (id: number) => string {
  const accounts = useQueries({ queries: [...new Set(ids)].map(namedAccountQuery) })
  const names = new Map(accounts.flatMap(({ data }) => (data === undefined ? [] : [[data.id, data.name] as const])))
  return (id) => names.get(id) ?? `Account ${id}`
}

/** The first accounts, at most `limit`, whose name contains a text; an empty text stands for all. */
export const accountSearchQuery = (text: string, limit: number) =>
  queryOptions({
    queryKey: ['accounts', 'search', text],
    queryFn: ({ signal }) => firstAccounts(text, limit, signal),
    placeholderData: keepPreviousData,
    meta: { topics: ['accounts'] },
  })

async function firstAccounts(text: string, limit: number, signal: AbortSignal): Promise<readonly Account[]> {
  const { items } = await filledPage((start) => {
    const query = { limit, ...defined({ q: searchTextOf(text) }), ...start }
    return pageOf(api.GET('/accounts', { params: { query }, signal }))
  })
  return items
}
