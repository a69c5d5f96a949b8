/** Orders and the inventory. */

import { Type } from '@sinclair/typebox'
import type { App } from '../app.ts'
import { feature } from '../http/feature.ts'
import { json, needs, noBody } from '../http/input.ts'
import { createPageCache, pageOf, sendPage, type WrittenPage, writePage } from '../http/page.ts'
import { assertMatch, sendRecord } from '../http/representation.ts'
import { idParameter, parseTime } from '../http/validation.ts'
import type { PostContext } from '../idempotency/post.ts'
import { AppError } from '../lib/error.ts'
import { bodyRefusals, type OperationOptions, operation } from '../openapi/operation.ts'
import { placeOrder, takeStep } from './place.ts'
import type { OrderStep } from './rules.ts'
import { Inventory, NewOrder, Order, OrderQuery, Orders, toOrder } from './schemas.ts'
import type { OrderFilter, OrderRow } from './store.ts'

const list = 'orders'
const path = '/v1/store/orders'
const orderId = Type.Object({ orderId: idParameter('Id of the order.') })

/** What all operations here share. */
function storeOperation(options: Omit<OperationOptions, 'stability'>) {
  return operation({ ...options, stability: 'beta' })
}

/** What the routes of the three steps share. */
function stepHooks(step: OrderStep) {
  return {
    parse: noBody('orders:write'),
    params: orderId,
    detail: storeOperation({ ...describedSteps[step], ...stepAnswer, id: `${step}Order` }),
  }
}

const describedSteps: Record<OrderStep, { summary: string; description: string }> = {
  approve: { summary: 'Approve an order', description: 'Says that a placed order will be delivered.' },
  deliver: { summary: 'Deliver an order', description: 'Hands an approved order over: its animal is sold.' },
  cancel: {
    summary: 'Cancel an order',
    description: 'Gives an order up that is not delivered: its animal is available again.',
  },
}

const stepAnswer = {
  scope: 'orders:write',
  status: 200,
  answer: 'The order as it is now.',
  schema: Order,
  headers: ['ETag'],
  refusals: ['malformed_json', 'payload_too_large', 'unsupported_media_type', 'not_found', 'invalid_status_transition'],
  isRepeatable: true,
  isGuarded: true,
} as const

export const orderRoutes = (app: Pick<App, 'orders' | 'pets' | 'posting' | 'clock' | 'announcements'>) => {
  const { orders, pets, posting, clock, announcements } = app

  function writeList(query: OrderQuery): WrittenPage {
    const { limit, after = 0 } = pageOf(query, list)
    const filter: OrderFilter = {
      ...(query.status === undefined ? {} : { status: query.status }),
      ...(query.petId === undefined ? {} : { petId: Number(query.petId) }),
    }
    const read = (most: number) => orders.page(filter, after, most).map(toOrder)
    return writePage({ path, list, query: { ...filter }, limit, read })
  }

  const pages = createPageCache(announcements, 'orders', writeList)

  function answerStep(context: PostContext, id: number, step: OrderStep): Promise<string> {
    const unchanged = (order: OrderRow) => assertMatch(context.request, toOrder(order))
    return posting.post(context, () => ({ body: toOrder(takeStep(app, id, step, clock.now(), unchanged)) }))
  }

  return feature({ prefix: '/store', tags: ['store'] })
    .get(
      '/orders',
      ({ query, request, set }) => {
        const { limit = '', status = '', petId = '', cursor = '' } = query
        return sendPage(request, set, pages.get(`${limit} ${status} ${petId} ${cursor}`, query))
      },
      {
        transform: needs('orders:read', 'limit', 'status', 'petId', 'cursor'),
        query: OrderQuery,
        detail: storeOperation({
          id: 'listOrders',
          summary: 'List orders',
          description: 'Returns a page of orders, by id ascending.',
          scope: 'orders:read',
          status: 200,
          answer: 'A page of orders.',
          schema: Orders,
          conditional: true,
          headers: ['Link'],
          refusals: ['invalid_parameter', 'invalid_cursor'],
        }),
      },
    )
    .post(
      '/orders',
      ({ body, request, set, caller, bodyDigest }) => {
        const shipDate = body.shipDate ? (parseTime(body.shipDate) ?? null) : null
        return posting.post({ request, set, caller, bodyDigest }, () => {
          const order = placeOrder(app, body.petId, shipDate, clock.now())
          return { body: toOrder(order), location: `${path}/${order.id}` }
        })
      },
      {
        parse: json('orders:write', 'application/json'),
        body: NewOrder,
        detail: storeOperation({
          id: 'placeOrder',
          summary: 'Place an order',
          description:
            'Orders an animal and reserves it: it becomes pending. Of any number of simultaneous orders for one animal exactly one wins.',
          scope: 'orders:write',
          status: 201,
          answer: 'The order.',
          schema: Order,
          headers: ['ETag', 'Location'],
          refusals: [...bodyRefusals, 'not_found', 'pet_not_available'],
          isRepeatable: true,
        }),
      },
    )
    .get(
      '/orders/:orderId',
      ({ params, request, set }) => {
        const order = orders.find(Number(params.orderId))
        if (!order) throw new AppError('not_found', `There is no order ${params.orderId}.`)
        return sendRecord(request, set, toOrder(order))
      },
      {
        transform: needs('orders:read'),
        params: orderId,
        detail: storeOperation({
          id: 'getOrder',
          summary: 'Fetch an order',
          description: 'Returns one order.',
          scope: 'orders:read',
          status: 200,
          answer: 'The order.',
          schema: Order,
          conditional: true,
          refusals: ['not_found'],
        }),
      },
    )
    .post(
      '/orders/:orderId/approve',
      ({ params, request, set, caller, bodyDigest }) =>
        answerStep({ request, set, caller, bodyDigest }, Number(params.orderId), 'approve'),
      stepHooks('approve'),
    )
    .post(
      '/orders/:orderId/deliver',
      ({ params, request, set, caller, bodyDigest }) =>
        answerStep({ request, set, caller, bodyDigest }, Number(params.orderId), 'deliver'),
      stepHooks('deliver'),
    )
    .post(
      '/orders/:orderId/cancel',
      ({ params, request, set, caller, bodyDigest }) =>
        answerStep({ request, set, caller, bodyDigest }, Number(params.orderId), 'cancel'),
      stepHooks('cancel'),
    )
    .get('/inventory', ({ request, set }) => sendRecord(request, set, pets.inventory()), {
      transform: needs('orders:read'),
      detail: storeOperation({
        id: 'getInventory',
        summary: 'Count the animals by status',
        description: 'Returns how many animals are available, pending and sold.',
        scope: 'orders:read',
        status: 200,
        answer: 'The numbers.',
        schema: Inventory,
        conditional: true,
      }),
    })
}
