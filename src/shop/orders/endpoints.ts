/** The endpoints of orders and of the inventory. */

import { created, endpoint, json, mergePatch, page, performed, resource, updated } from '../../api/endpoint.ts'
import { idParameter } from '../../api/parameters.ts'
import type { Principal } from '../../api/principal.ts'
import { visibleAccount } from './rules.ts'
import { Inventory, NewOrder, Order, OrderChange, OrderCounts, Orders, orderListParameters } from './schemas.ts'

const params = { orderId: idParameter('Id of the order.') }
const readers = ['orders:read', 'orders:manage'] as const

/** An endpoint that changes the status of one order. */
function step<const S extends 'orders:manage' | readonly ['orders:write', 'orders:manage']>(
  verb: string,
  scope: S,
  text: { readonly summary: string; readonly description: string },
) {
  return endpoint({
    method: 'POST',
    path: `/store/orders/{orderId}/${verb}`,
    params,
    tag: 'store',
    ...text,
    scope,
    success: performed(Order, { description: 'The order as it is now.' }),
    errors: ['invalid_status_transition'],
  })
}

export const orderEndpoints = {
  listOrders: endpoint({
    method: 'GET',
    path: '/store/orders',
    tag: 'store',
    summary: 'List orders',
    description:
      'Returns a page of orders, by id: those of the account of the key, or all with the scope `orders:manage`. All filters combine. While there are more, `Link` holds the address of the next page; a search with `q` can end a page early.',
    scope: readers,
    query: orderListParameters,
    success: page(Orders, {
      description: 'A page of orders.',
      // A cursor is valid only in the order of its list.
      cursorName: ({ order }) => (order === 'desc' ? 'orders-newest' : 'orders'),
      cachedUntil: ['orders'],
      variesBy: (principal: Principal) => String(visibleAccount(principal) ?? 'all'),
    }),
  }),
  countOrders: endpoint({
    method: 'GET',
    path: '/store/orders/counts',
    tag: 'store',
    summary: 'Count the orders by status',
    description:
      'Returns how many orders have each status: of those of the account of the key, or of all with the scope `orders:manage`.',
    scope: readers,
    success: resource(OrderCounts, { description: 'The numbers.' }),
    stability: 'beta',
  }),
  placeOrder: endpoint({
    method: 'POST',
    path: '/store/orders',
    tag: 'store',
    summary: 'Place an order',
    description:
      'Orders an animal and reserves it: the animal becomes pending. Of any number of simultaneous orders for one animal exactly one succeeds. The order belongs to the account of the key; a key with `admin` may name another account.',
    scope: 'orders:write',
    body: json(NewOrder),
    success: created(Order, { description: 'The order.' }),
    errors: ['not_found', 'pet_not_available'],
  }),
  getOrder: endpoint({
    method: 'GET',
    path: '/store/orders/{orderId}',
    params,
    tag: 'store',
    summary: 'Fetch an order',
    description: 'Returns one order. Without the scope `orders:manage`, an order of another account is not found.',
    scope: readers,
    success: resource(Order, { description: 'The order.' }),
  }),
  updateOrder: endpoint({
    method: 'PATCH',
    path: '/store/orders/{orderId}',
    params,
    tag: 'store',
    summary: 'Change an order',
    description:
      'Changes the note or the shipping date of an order that is neither delivered nor cancelled. Without the scope `orders:manage` the order must belong to the account of the key.',
    scope: ['orders:write', 'orders:manage'],
    body: mergePatch(OrderChange),
    success: updated(Order, { description: 'The order as it is now.' }),
    errors: ['conflict'],
  }),
  approveOrder: step('approve', 'orders:manage', {
    summary: 'Approve an order',
    description: 'Confirms that a placed order will be delivered.',
  }),
  deliverOrder: step('deliver', 'orders:manage', {
    summary: 'Deliver an order',
    description: 'Records that an approved order was delivered: its animal is sold.',
  }),
  cancelOrder: step('cancel', ['orders:write', 'orders:manage'], {
    summary: 'Cancel an order',
    description:
      'Cancels an order that is not delivered: its animal is available again. Without the scope `orders:manage` the order must belong to the account of the key.',
  }),
  getInventory: endpoint({
    method: 'GET',
    path: '/store/inventory',
    tag: 'store',
    summary: 'Count the animals by status',
    description: 'Returns how many animals are available, pending and sold.',
    scope: [...readers, 'pets:read'],
    success: resource(Inventory, { description: 'The numbers.', cachedUntil: ['pets'] }),
  }),
}
