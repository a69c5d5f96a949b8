/** The queries of the page of orders, their states in words, and the steps that an order takes. */

import { queryOptions } from '@tanstack/react-query'
import { formatMoney } from '../animals/money.ts'
import { api, bodyOf, type Schemas } from '../api/client.ts'
import { listQuery, pageOf } from '../api/lists.ts'
import { isolated } from '../ui/format.ts'
import { defined } from '../ui/input.ts'
import { showDone } from '../ui/notices.tsx'
import type { StatusWords } from '../ui/status.tsx'

export type Order = Schemas['Order']
export type OrderStatus = Schemas['OrderStatus']

export const orderStates: Readonly<Record<OrderStatus, StatusWords>> = {
  placed: ['Placed', 'warn'],
  approved: ['Approved', 'info'],
  delivered: ['Delivered', 'good'],
  cancelled: ['Cancelled', 'quiet'],
}
export const orderStatuses = Object.keys(orderStates) as readonly OrderStatus[]

export interface OrderFilters {
  readonly q: string | undefined
  readonly status: OrderStatus | undefined
}

const pageSize = 50

export const ordersQuery = ({ q, status }: OrderFilters) =>
  listQuery(
    ['orders', 'list', status, q],
    ['orders'],
    (start, signal) => {
      const query = { order: 'desc', limit: pageSize, ...defined({ q, status }), ...start } as const
      return pageOf(api.GET('/store/orders', { params: { query }, signal }))
    },
    // Orders of another status would stand under the tab of this one.
    (before, query) => (query?.queryKey[2] === status ? before : undefined),
  )

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

/** The name of its animal, for a place in a sentence. */
export const animalOf = ({ petName }: Order): string => isolated(petName)

/** The price of the animal when it was ordered; undefined if it had none. */
export const priceOf = ({ price, currency }: Order): string | undefined =>
  price === null || currency === null ? undefined : formatMoney(price, currency)

export type Step = 'approve' | 'deliver' | 'cancel'

/** The step that an order takes next when all goes well. */
export const nextSteps: Readonly<Partial<Record<OrderStatus, { readonly step: Step; readonly label: string }>>> = {
  placed: { step: 'approve', label: 'Approve order' },
  approved: { step: 'deliver', label: 'Deliver order' },
}

const stepsDone: Readonly<Record<Step, string>> = {
  approve: 'is approved',
  deliver: 'is delivered, and the animal is sold',
  cancel: 'is cancelled, and the animal is available again',
}

/** Takes a step and says so. */
export async function takeStep({ id }: Order, step: Step): Promise<void> {
  await api.POST(`/store/orders/{orderId}/${step}`, { params: { path: { orderId: id } } })
  showDone(`Order ${id} ${stepsDone[step]}.`, { subject: `order ${id}` })
}
