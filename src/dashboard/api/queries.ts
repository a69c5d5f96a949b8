/**
 * The cache of what the pages read. A query names the topics that it depends on in `meta.topics`; when the server announces
 * a change of one, it is fetched again if a page shows it.
 */

import { QueryClient } from '@tanstack/react-query'
import { NoConnectionError } from './error.ts'

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

/** Fetches again what depends on one of the topics. */
export async function invalidateTopics(topics: readonly string[]): Promise<void> {
  await queryClient.invalidateQueries({
    predicate: ({ meta }) => meta?.topics?.some((topic) => topics.includes(topic)) ?? false,
  })
}
