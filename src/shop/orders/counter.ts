/**
 * Sales and returns at the counter, without an order. To be called in the transaction in which the status of the animal
 * changes.
 */

import type { EventWriter } from '../../access/events/log.ts'
import { toOrder } from './schemas.ts'
import type { OrderStore } from './store.ts'
import type { OrderRow } from './table.ts'

interface CounterStores {
  readonly orders: Pick<OrderStore, 'lastDelivered' | 'change' | 'addSold'>
  readonly events: EventWriter
}

/** A return that is reverted this soon was a mistake. */
const mistakeMs = 600_000

export function createCounter({ orders, events }: CounterStores) {
  function setReturned(order: OrderRow, returnedAt: number | null, nowMs: number): void {
    const changed = orders.change(order, { returnedAt }, nowMs)
    events.write('order.updated', order.accountId, toOrder(changed), toOrder(order))
  }

  return {
    /** An available or pending animal is marked as sold, at `nowMs` (Unix milliseconds). */
    wasSold(petId: number, nowMs: number): void {
      const order = orders.lastDelivered(petId)
      const isMistake = order?.returnedAt != null && order.returnedAt > nowMs - mistakeMs
      if (isMistake) setReturned(order, null, nowMs)
      else orders.addSold(1, nowMs)
    },
    /** A sold animal is marked as available: the order with which it was delivered shows the return. */
    cameBack(petId: number, nowMs: number): void {
      const order = orders.lastDelivered(petId)
      if (order?.returnedAt === null) setReturned(order, nowMs, nowMs)
      else orders.addSold(-1, nowMs)
    },
  }
}
export type Counter = ReturnType<typeof createCounter>
