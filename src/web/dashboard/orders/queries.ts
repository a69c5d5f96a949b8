/** The queries of the page of orders, and the steps that an order takes. */

import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api, bodyOf, filledPage, pageOf, type Schemas } from '../api/client.ts'
import { invalidateTopics } from '../api/queries.ts'
import type { Tone } from '../ui/status.tsx'

export type Order = Schemas['Order']
export type OrderStatus = Schemas['OrderStatus']

export const orderStatuses: readonly OrderStatus[] = ['placed', 'approved', 'delivered', 'cancelled']
export const orderLabels: Readonly<Record<OrderStatus, string>> = {
  placed: 'Placed',
  approved: 'Approved',
  delivered: 'Delivered',
  cancelled: 'Cancelled',
}
export const orderTones: Readonly<Record<OrderStatus, Tone>> = {
  placed: 'warn',
  approved: 'info',
  delivered: 'good',
  cancelled: 'quiet',
}

export interface OrderFilters {
  readonly q?: string
  readonly status?: OrderStatus
}

const pageSize = 50

export const ordersQuery = ({ q, status }: OrderFilters) =>
  infiniteQueryOptions({
    queryKey: ['orders', 'list', status, q],
    queryFn: ({ pageParam, signal }) =>
      filledPage((start) => {
        const filters = { ...(q === undefined ? {} : { q }), ...(status === undefined ? {} : { status }) }
        const query = { order: 'desc', limit: pageSize, ...filters, ...start } as const
        return pageOf(api.GET('/store/orders', { params: { query }, signal }))
      }, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    // Orders of another status would stand under the tab of this one.
    placeholderData: (before, query) => (query?.queryKey[2] === status ? before : undefined),
    meta: { topics: ['orders'] },
  })

export const orderCountsQuery = queryOptions({
  queryKey: ['orders', 'counts'],
  queryFn: ({ signal }) => bodyOf(api.GET('/store/orders/counts', { signal })),
  meta: { topics: ['orders'] },
})

export const orderQuery = (orderId: number) =>
  queryOptions({
    queryKey: ['orders', 'one', orderId],
    queryFn: ({ signal }) => bodyOf(api.GET('/store/orders/{orderId}', { params: { path: { orderId } }, signal })),
    meta: { topics: ['orders'] },
  })

export type Step = 'approve' | 'deliver' | 'cancel'

/** The step that an order takes next when all goes well. */
export const nextSteps: Readonly<Partial<Record<OrderStatus, { readonly step: Step; readonly label: string }>>> = {
  placed: { step: 'approve', label: 'Approve order' },
  approved: { step: 'deliver', label: 'Deliver order' },
}

export const stepsDone: Readonly<Record<Step, string>> = {
  approve: 'is approved',
  deliver: 'is delivered, and the animal is sold',
  cancel: 'is cancelled, and the animal is available again',
}

export async function takeStep(orderId: number, step: Step): Promise<Order> {
  const params = { params: { path: { orderId } } }
  const order = await bodyOf(
    step === 'approve'
      ? api.POST('/store/orders/{orderId}/approve', params)
      : step === 'deliver'
        ? api.POST('/store/orders/{orderId}/deliver', params)
        : api.POST('/store/orders/{orderId}/cancel', params),
  )
  await invalidateTopics(['orders', 'pets'])
  return order
}
