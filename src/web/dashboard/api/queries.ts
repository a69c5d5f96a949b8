/**
 * The cache of the pages' data. A query names the topics that it depends on in `meta.topics`; when the server announces a
 * change of one, the query is refetched if a page shows it.
 */

import { type Query, QueryClient } from '@tanstack/react-query'
import { isConnected, NoConnectionError } from './error.ts'

/** The kinds of data whose changes the server announces. Unknown topics are ignored. */
export type Topic =
  | 'pets'
  | 'profiles'
  | 'categories'
  | 'settings'
  | 'orders'
  | 'accounts'
  | 'keys'
  | 'bans'
  | 'audit'
  | 'imports'
  | 'backups'
  | 'projects'
  | 'website'
  | 'deploys'
  | 'domains'
  | 'certificates'
  | 'owner'
  | 'sessions'
  | 'mail'
  | 'webhooks'

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: { readonly topics?: readonly Topic[] }
  }
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // A store on the same machine is reachable without any network.
      networkMode: 'always',
      staleTime: 2_000,
      refetchOnWindowFocus: false,
      retry: (failures, error) => error instanceof NoConnectionError && failures < 2,
      retryDelay: (failures) => 400 * 2 ** failures,
    },
    mutations: { networkMode: 'always' },
  },
})

// Queries that failed without a connection are refetched when it is back.
isConnected.subscribe(() => {
  if (!isConnected.get()) return
  void queryClient.refetchQueries({
    type: 'active',
    predicate: ({ state }) => state.error instanceof NoConnectionError,
  })
})

/** Refetches the queries that depend on one of the topics. */
export const invalidateTopics = (topics: readonly string[]): Promise<void> =>
  invalidate(({ meta }) => meta?.topics?.some((topic) => topics.includes(topic)) ?? false)

/** Refetches everything that is shown: after a change by this page, without waiting for the announcement. */
export const refreshShown = (): Promise<void> => invalidate(({ meta }) => meta?.topics !== undefined)

/**
 * A running request continues, because on a slow network steady changes would let none finish. It may have read the state
 * before the change, so another request follows.
 */
async function invalidate(predicate: (query: Query) => boolean): Promise<void> {
  const underWay = new Set(queryClient.getQueryCache().findAll({ predicate, fetchStatus: 'fetching' }))
  const options = { cancelRefetch: false }
  await queryClient.invalidateQueries({ predicate }, options)
  if (underWay.size > 0) await queryClient.invalidateQueries({ predicate: (query) => underWay.has(query) }, options)
}
