/** Places and changes orders, together with the status of their animal. To be called in a transaction. */

import type { AccountStore } from '../../access/accounts/store.ts'
import type { EventWriter } from '../../access/events/log.ts'
import type { Principal } from '../../api/principal.ts'
import { AppError } from '../../lib/error.ts'
import { updatePet } from '../pets/changes/change.ts'
import type { PetStore } from '../pets/store.ts'
import { assertOpen, assertShipDate, maySee, type OrderStep, petStatusAfter, statusAfter } from './rules.ts'
import { toOrder } from './schemas.ts'
import type { OrderStore } from './store.ts'
import type { OrderRow } from './table.ts'

export interface OrderStores {
  /** The profiles of animals. */
  readonly profiles: {
    find(petId: number): { readonly price: number | null } | undefined
  }
  readonly storeSettings: {
    currency(): string | null
  }
  readonly orders: OrderStore
  readonly pets: PetStore
  readonly accounts: Pick<AccountStore, 'find'>
  readonly events: EventWriter
}

export type NewOrder = Pick<OrderRow, 'accountId' | 'petId' | 'note' | 'shipDate'>

/**
 * Places an order and reserves its animal. Throws `invalid_body` for a shipping date of more than a day ago,
 * `not_found` for an unknown account or animal, `pet_not_available` for an animal that is pending or sold.
 */
export function placeOrder(stores: OrderStores, order: NewOrder, nowMs: number): OrderRow {
  const { orders, pets, profiles, storeSettings, accounts, events } = stores
  const { accountId, petId, note, shipDate } = order
  assertShipDate(shipDate, nowMs)
  if (!accounts.find(accountId)) throw new AppError('not_found', `There is no account ${accountId}.`)
  const pet = pets.find(petId)
  if (!pet) throw new AppError('not_found', `There is no animal ${petId}.`)
  if (pet.status !== 'available') throw new AppError('pet_not_available', `Animal ${petId} is ${pet.status}.`)
  const price = profiles.find(petId)?.price ?? null
  const currency = price === null ? null : storeSettings.currency()
  const placed = orders.add({ accountId, petId, petName: pet.name, price, currency, note, shipDate, createdAt: nowMs })
  events.write('order.placed', accountId, toOrder(placed))
  updatePet(stores, pet, { ...pet, status: 'pending' })
  return placed
}

/** Throws `not_found` for an order that does not exist or belongs to another account. */
export function getOrder({ orders }: Pick<OrderStores, 'orders'>, principal: Principal, id: number): OrderRow {
  const order = orders.find(id)
  if (!order || !maySee(principal, order)) throw new AppError('not_found', `There is no order ${id}.`)
  return order
}

/**
 * Changes the members of `change` that are not undefined. Throws `invalid_body` for a new shipping date of more than a
 * day ago, and `conflict` for an order that has ended.
 */
export function changeOrder(
  stores: Pick<OrderStores, 'orders' | 'events'>,
  order: OrderRow,
  change: { readonly [K in 'note' | 'shipDate']: OrderRow[K] | undefined },
  nowMs: number,
): OrderRow {
  const { note = order.note, shipDate = order.shipDate } = change
  if (note === order.note && shipDate === order.shipDate) return order
  if (shipDate !== order.shipDate) assertShipDate(shipDate, nowMs)
  assertOpen(order)
  const changed = stores.orders.change(order, { note, shipDate }, nowMs)
  stores.events.write('order.updated', order.accountId, toOrder(changed), toOrder(order))
  return changed
}

/** Changes the status of an order and its animal. Throws `invalid_status_transition` if the step is not allowed. */
export function moveOrder(
  stores: Pick<OrderStores, 'orders' | 'pets' | 'events'>,
  order: OrderRow,
  step: OrderStep,
  nowMs: number,
): OrderRow {
  const { orders, pets, events } = stores
  const status = statusAfter(step, order.status)
  const moved = orders.setStatus(order, status, nowMs)
  events.write(`order.${status}`, order.accountId, toOrder(moved))
  const petStatus = petStatusAfter(step)
  const pet = petStatus && pets.find(order.petId)
  if (petStatus && pet) updatePet(stores, pet, { ...pet, status: petStatus })
  return moved
}
