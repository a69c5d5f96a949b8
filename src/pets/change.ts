/** Changing and removing an animal. To be called in a transaction. */

import { AppError } from '../lib/error.ts'
import { assertTransition, storedName } from './rules.ts'
import type { PetStore } from './store.ts'
import type { PetRow } from './table.ts'

export interface PetStores {
  readonly pets: PetStore
  readonly orders: {
    /** The open order that holds an animal. */
    openOrderOf(petId: number): number | undefined
  }
}

/** Throws unless the preconditions of the request allow a change of the animal as it is. */
type AssertPreconditions = (pet: PetRow) => void

/**
 * Changes the members of `change`. Throws `not_found`; what `assertPreconditions` throws; `conflict` for the status of an animal that an
 * open order holds; `invalid_status_transition`.
 */
export function changePet(
  stores: PetStores,
  id: number,
  change: Partial<Omit<PetRow, 'id'>>,
  assertPreconditions: AssertPreconditions,
): PetRow {
  const pet = get(stores, id, assertPreconditions)
  const { name = pet.name, categoryId = pet.categoryId, status = pet.status } = change
  if (status !== pet.status) {
    assertNotHeld(stores, id, 'change its status')
    assertTransition(pet.status, status)
  }
  const changed = { id, name: storedName(name), categoryId, status }
  stores.pets.update(pet, changed)
  return changed
}

/** Throws `not_found`; what `assertPreconditions` throws; `conflict` for an animal that an open order holds. */
export function removePet(stores: PetStores, id: number, assertPreconditions: AssertPreconditions): void {
  const pet = get(stores, id, assertPreconditions)
  assertNotHeld(stores, id, 'remove it')
  stores.pets.remove(pet)
}

function get({ pets }: PetStores, id: number, assertPreconditions: AssertPreconditions): PetRow {
  const pet = pets.find(id)
  if (!pet) throw new AppError('not_found', `There is no animal ${id}.`)
  assertPreconditions(pet)
  return pet
}

function assertNotHeld({ orders }: PetStores, id: number, wish: string): void {
  const order = orders.openOrderOf(id)
  if (order !== undefined) {
    throw new AppError('conflict', `Order ${order} holds animal ${id}: deliver or cancel it to ${wish}.`)
  }
}
