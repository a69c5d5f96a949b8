/** The settings of the service. */

import { queryOptions } from '@tanstack/react-query'
import { api, bodyOf } from './client.ts'

export const systemQuery = queryOptions({
  queryKey: ['system'],
  queryFn: ({ signal }) => bodyOf(api.GET('/system', { signal })),
  meta: { topics: ['backups', 'deploys'] },
})
