/** The accounts, for fields in which one is chosen. */

import { queryOptions } from '@tanstack/react-query'
import { allOf, api, pageOf } from './client.ts'

const longestPage = 100

export const accountsQuery = queryOptions({
  queryKey: ['accounts'],
  queryFn: ({ signal }) =>
    allOf((cursor) =>
      pageOf(
        api.GET('/accounts', {
          params: { query: { limit: longestPage, ...(cursor === undefined ? {} : { cursor }) } },
          signal,
        }),
      ),
    ),
  meta: { topics: ['accounts'] },
})
