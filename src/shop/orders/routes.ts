/** The handlers of the endpoints of orders and of the inventory. */

import type { Static } from '@sinclair/typebox'
import { mount } from '../../api/mount.ts'
import { namedAccount, type Principal } from '../../api/principal.ts'
import type { EndpointParts, MaySee } from '../../api/route.ts'
import type { Clock } from '../../lib/clock.ts'
import { parseTime } from '../../lib/duration.ts'
import { pageRange } from '../../lib/steps/collect.ts'
import { storedText } from '../../lib/text.ts'
import { orderEndpoints } from './endpoints.ts'
import { changeOrder, getOrder, moveOrder, type OrderStores, placeOrder } from './place.ts'
import { maySee, type OrderStep, visibleAccount } from './rules.ts'
import { type Order, type OrderChange, toOrder } from './schemas.ts'
import type { OrderRow } from './table.ts'

export const orderRoutes = (parts: OrderStores & { readonly clock: Clock; readonly endpointParts: EndpointParts }) => {
  const { orders, pets, clock } = parts

  /** The order that a request changes, if its conditional headers allow that. */
  function checkedOrder(id: number, principal: Principal, assertPreconditions: (record: object) => void): OrderRow {
    const order = getOrder(parts, principal, id)
    assertPreconditions(toOrder(order))
    return order
  }

  const handlerOf =
    (step: OrderStep): StepHandler =>
    ({ params, principal, assertPreconditions }) =>
      toOrder(moveOrder(parts, checkedOrder(params.orderId, principal, assertPreconditions), step, clock.now()))

  const mayReplay: MaySee = ({ principal, record }) => maySee(principal, record as Static<typeof Order>)

  return mount(
    orderEndpoints,
    {
      listOrders({ query: { order = 'asc', ...filter }, principal, cursorId, fetchLimit }) {
        const own = { accountId: visibleAccount(principal) }
        const { records, searchedTo } = orders.page({ ...filter, ...own }, pageRange(order, cursorId), fetchLimit)
        return { records: records.map(toOrder), searchedTo }
      },
      countOrders: ({ principal }) => orders.counts(visibleAccount(principal)),
      placeOrder({ body, principal }) {
        const accountId = namedAccount(principal, body.accountId)
        const { note = null, shipDate = null } = detailsOf(body)
        const order = placeOrder(parts, { accountId, petId: body.petId, note, shipDate }, clock.now())
        return { body: toOrder(order), location: `/v1/store/orders/${order.id}` }
      },
      getOrder: ({ params, principal }) => toOrder(getOrder(parts, principal, params.orderId)),
      updateOrder({ params, body, principal, assertPreconditions }) {
        const order = checkedOrder(params.orderId, principal, assertPreconditions)
        return toOrder(changeOrder(parts, order, detailsOf(body), clock.now()))
      },
      approveOrder: handlerOf('approve'),
      deliverOrder: handlerOf('deliver'),
      cancelOrder: handlerOf('cancel'),
      getInventory: () => pets.inventory(),
    },
    parts.endpointParts,
    { placeOrder: mayReplay, cancelOrder: mayReplay },
  )
}

type StepHandler = Parameters<typeof mount<typeof orderEndpoints>>[1]['cancelOrder']

/** The note and the shipping date of a body as they are stored; undefined if the body does not have them. */
const detailsOf = ({ note, shipDate }: Static<typeof OrderChange>) => ({
  note: note === undefined ? undefined : storedText(note ?? '') || null,
  shipDate: typeof shipDate === 'string' ? parseTime(shipDate) : shipDate,
})
