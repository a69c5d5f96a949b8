/** The queries of webhooks. */

import { queryOptions } from '@tanstack/react-query'
import { api, bodyOf } from '../../api/client.ts'
import { listQuery, pageOf } from '../../api/lists.ts'
import { defined } from '../../ui/input.ts'

const pageSize = 50
/** Deliveries are made all the time without being announced. */
const refreshMs = 5_000

export const webhooksQuery = {
  ...listQuery(['webhooks'], ['webhooks', 'keys'], (start, signal) =>
    pageOf(api.GET('/webhooks', { params: { query: { limit: pageSize, ...start } }, signal })),
  ),
  refetchInterval: refreshMs,
}

export const webhookQuery = (webhookId: number) =>
  queryOptions({
    queryKey: ['webhooks', 'one', webhookId],
    queryFn: ({ signal }) => bodyOf(api.GET('/webhooks/{webhookId}', { params: { path: { webhookId } }, signal })),
    meta: { topics: ['webhooks', 'keys'] },
    refetchInterval: refreshMs,
  })

export const deliveriesQuery = (webhookId: number, state: 'failed' | undefined) => ({
  ...listQuery(['webhooks', 'deliveries', webhookId, { state }], ['webhooks'], (start, signal) => {
    const query = { limit: pageSize, ...defined({ state }), ...start }
    return pageOf(api.GET('/webhooks/{webhookId}/deliveries', { params: { path: { webhookId }, query }, signal }))
  }),
  refetchInterval: refreshMs,
})
