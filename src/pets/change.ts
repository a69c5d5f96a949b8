/** Changing and removing an animal. To be called in a transaction. */

import { AppError } from '../lib/error.ts'
import { assertTransition, storedName } from './rules.ts'
import type { PetRow, PetStore } from './store.ts'

export interface PetStores {
  readonly pets: PetStore
  readonly orders: {
    /** The open order that holds an animal. */
    openOrderOf(petId: number): number | undefined
  }
}

/** Throws unless the animal is still as the caller has read it. */
type AssertUnchanged = (pet: PetRow) => void

/**
 * Changes what is given. Throws `not_found`; what `assertUnchanged` throws; `conflict` for the status of an animal that an
 * open order holds; `invalid_status_transition`.
 */
export function changePet(
  stores: PetStores,
  id: number,
  change: Partial<Omit<PetRow, 'id'>>,
  assertUnchanged: AssertUnchanged,
): PetRow {
  const pet = get(stores, id, assertUnchanged)
  const { name = pet.name, categoryId = pet.categoryId, status = pet.status } = change
  if (status !== pet.status) {
    assertNotHeld(stores, id, 'change its status')
    assertTransition(pet.status, status)
  }
  const changed = { id, name: storedName(name), categoryId, status }
  stores.pets.update(pet, changed)
  return changed
}

/** Throws `not_found`; what `assertUnchanged` throws; `conflict` for an animal that an open order holds. */
export function removePet(stores: PetStores, id: number, assertUnchanged: AssertUnchanged): void {
  const pet = get(stores, id, assertUnchanged)
  assertNotHeld(stores, id, 'remove it')
  stores.pets.remove(pet)
}

function get({ pets }: PetStores, id: number, assertUnchanged: AssertUnchanged): PetRow {
  const pet = pets.find(id)
  if (!pet) throw new AppError('not_found', `There is no animal ${id}.`)
  assertUnchanged(pet)
  return pet
}

function assertNotHeld({ orders }: PetStores, id: number, wish: string): void {
  const order = orders.openOrderOf(id)
  if (order !== undefined) {
    throw new AppError('conflict', `Order ${order} holds animal ${id}: deliver or cancel it to ${wish}.`)
  }
}
