/** The queries of the page of an animal. */

import { queryOptions } from '@tanstack/react-query'
import { api, taggedBodyOf } from '../../api/client.ts'
import { listQuery, pageOf } from '../../api/lists.ts'

/** The animal with its profile, and the tag for `If-Match`. */
export const profileQuery = (petId: number) =>
  queryOptions({
    queryKey: ['profiles', 'one', petId],
    queryFn: ({ signal }) => taggedBodyOf(api.GET('/pets/{petId}/profile', { params: { path: { petId } }, signal })),
    meta: { topics: ['profiles', 'pets'] },
  })

/** The orders of an animal, the newest first. */
export const ordersOfAnimalQuery = (petId: number) =>
  listQuery(
    ['orders', 'of-animal', petId],
    ['orders'],
    (start, signal) => {
      const query = { petId, order: 'desc', limit: 20, ...start } as const
      return pageOf(api.GET('/store/orders', { params: { query }, signal }))
    },
    () => undefined,
  )
