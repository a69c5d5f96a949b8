/**
 * The cache of what the pages read. A query names the topics that it depends on in `meta.topics`; when the server announces
 * a change of one, it is fetched again if a page shows it.
 */

import { type Query, QueryClient } from '@tanstack/react-query'
import { isConnected, NoConnectionError } from './error.ts'

/** The kinds of data whose changes the server announces. Unknown topics are ignored. */
export type Topic =
  | 'pets'
  | 'categories'
  | 'orders'
  | 'accounts'
  | 'keys'
  | 'bans'
  | 'audit'
  | 'imports'
  | 'backups'
  | 'projects'
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

// What could not be fetched without a connection is fetched when it is back.
isConnected.subscribe(() => {
  if (!isConnected.get()) return
  void queryClient.refetchQueries({
    type: 'active',
    predicate: ({ state }) => state.error instanceof NoConnectionError,
  })
})

/** Fetches again what depends on one of the topics. */
export const invalidateTopics = (topics: readonly string[]): Promise<void> =>
  invalidate(({ meta }) => meta?.topics?.some((topic) => topics.includes(topic)) ?? false)

/** Fetches again all that is shown: after a change of one's own, without waiting for the announcement. */
export const refreshShown = (): Promise<void> => invalidate(({ meta }) => meta?.topics !== undefined)

/**
 * A request that is under way goes on, or steady changes would let none finish on a slow network; but it may have seen the
 * state before the change, so another one follows.
 */
async function invalidate(predicate: (query: Query) => boolean): Promise<void> {
  const underWay = new Set(queryClient.getQueryCache().findAll({ predicate, fetchStatus: 'fetching' }))
  const options = { cancelRefetch: false }
  await queryClient.invalidateQueries({ predicate }, options)
  if (underWay.size > 0) await queryClient.invalidateQueries({ predicate: (query) => underWay.has(query) }, options)
}
