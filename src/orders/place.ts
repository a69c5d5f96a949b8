/** Placing an order and taking it through its life, its animal's status with it. To be called in a transaction. */

import { AppError } from '../lib/error.ts'
import type { PetStore } from '../pets/store.ts'
import { assertShipDate, type OrderStep, petStatusAfter, statusAfter } from './rules.ts'
import type { OrderRow, OrderStore } from './store.ts'

export interface OrderStores {
  readonly orders: OrderStore
  readonly pets: PetStore
}

/**
 * Places an order and reserves its animal. Throws `invalid_body` for a shipping date that has passed,
 * `not_found` for an unknown animal, `pet_not_available` for one that is pending or sold.
 */
export function placeOrder(
  { orders, pets }: OrderStores,
  petId: number,
  shipDate: number | null,
  nowMs: number,
): OrderRow {
  assertShipDate(shipDate, nowMs)
  const pet = pets.find(petId)
  if (!pet) throw new AppError('not_found', `There is no animal ${petId}.`)
  if (pet.status !== 'available') throw new AppError('pet_not_available', `Animal ${petId} is ${pet.status}.`)
  pets.update(pet, { ...pet, status: 'pending' })
  return orders.add({ petId, shipDate, createdAt: nowMs })
}

/** Throws `not_found` for an unknown order, `invalid_status_transition` for a step it can't take. */
export function takeStep(
  { orders, pets }: OrderStores,
  id: number,
  step: OrderStep,
  nowMs: number,
  assertUnchanged: (order: OrderRow) => void,
): OrderRow {
  const order = orders.find(id)
  if (!order) throw new AppError('not_found', `There is no order ${id}.`)
  assertUnchanged(order)
  const status = statusAfter(step, order.status)
  const petStatus = petStatusAfter(step)
  const pet = petStatus && pets.find(order.petId)
  if (petStatus && pet) pets.update(pet, { ...pet, status: petStatus })
  return orders.setStatus(order, status, nowMs)
}
