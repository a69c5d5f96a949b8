/** Adds, changes, deletes and restores an animal, and writes the event. Called in a transaction. */

import type { EventWriter } from '../../../access/events/log.ts'
import { AppError } from '../../../lib/error.ts'
import { assertTransition, type PetStatus, storedName } from '../rules.ts'
import type { PetStore } from '../store.ts'
import type { PetRow } from '../table.ts'
import { type DeletedPetStore, restorableMs } from './deleted-pets.ts'

/** The parts that every change of an animal needs. */
export interface PetWriters {
  readonly pets: PetStore
  readonly events: EventWriter
}

export interface PetStores extends PetWriters {
  readonly deletedPets: DeletedPetStore
  readonly orders: {
    /** The id of the open order that reserves an animal. */
    openOrderOf(petId: number): number | undefined
  }
  /** The numbers in the profiles of animals. */
  readonly profiles: {
    /** The animal that has the number of a deleted one. */
    findRival(petId: number): { readonly petId: number; readonly number: string } | undefined
    /** Frees the number of an animal that is deleted. */
    freeNumber(petId: number): void
    /** Gives an animal that is restored its number again. */
    takeNumber(petId: number): void
  }
  /** Is notified of sales and returns without an order. */
  readonly counter: {
    wasSold(petId: number, nowMs: number): void
    cameBack(petId: number, nowMs: number): void
  }
}

/** Throws unless the current state of the animal meets the preconditions of the request. */
type AssertPreconditions = (pet: PetRow) => void

const noPreconditions: AssertPreconditions = () => {}

/** Adds an animal. */
export function addPet({ pets, events }: PetWriters, pet: Omit<PetRow, 'id'>): PetRow {
  const added = pets.add(pet)
  events.write('pet.created', null, added)
  return added
}

/** Changes an animal from `before`, as it was read in the same transaction, to `after`, which differs. */
export function updatePet({ pets, events }: PetWriters, before: PetRow, after: PetRow): void {
  pets.update(before, after)
  events.write('pet.updated', null, after, before)
}

/**
 * Changes the members of `change` at `nowMs` (Unix milliseconds). Throws `not_found`, the error of
 * `assertPreconditions`, `conflict` for the status of an animal that an open order reserves, and
 * `invalid_status_transition`.
 */
export function changePet(
  stores: PetStores,
  id: number,
  change: Partial<Omit<PetRow, 'id'>>,
  nowMs: number,
  assertPreconditions = noPreconditions,
): PetRow {
  const pet = get(stores, id, assertPreconditions)
  const { categoryId = pet.categoryId, status = pet.status } = change
  if (status !== pet.status) {
    assertMayBecome(stores, pet, status)
    if (status === 'sold') stores.counter.wasSold(id, nowMs)
    else if (pet.status === 'sold') stores.counter.cameBack(id, nowMs)
  }
  const name = change.name === undefined ? pet.name : storedName(change.name)
  const changed = { id, name, categoryId, status }
  // Otherwise the animal would count as changed, and undoing its import would keep it.
  if (!Bun.deepEquals(changed, pet)) updatePet(stores, pet, changed)
  return changed
}

/**
 * Deletes an animal, and returns it. Throws `not_found`, the error of `assertPreconditions`, and `conflict` for an
 * animal that an open order reserves.
 */
export function deletePet(stores: PetStores, id: number, nowMs: number, assertPreconditions = noPreconditions): PetRow {
  const pet = get(stores, id, assertPreconditions)
  assertNotReserved(stores, id, 'delete the animal')
  stores.pets.remove(pet)
  stores.deletedPets.add(pet, nowMs)
  stores.profiles.freeNumber(id)
  stores.events.write('pet.deleted', null, pet)
  return pet
}

/**
 * Restores an animal, as it was when it was deleted. Throws `not_found` for one that was not deleted in the last ten
 * minutes, or whose import was undone since, the error of `assertPreconditions` for that state, and `conflict` for an
 * animal that is not deleted, or whose number another animal has now.
 */
export function restorePet(
  { pets, deletedPets, profiles, events }: PetStores,
  id: number,
  nowMs: number,
  assertPreconditions = noPreconditions,
): PetRow {
  if (pets.find(id)) throw new AppError('conflict', `Animal ${id} is not deleted.`)
  const found = deletedPets.find(id)
  if (!found || found.deletedAt + restorableMs <= nowMs) {
    const message = `There is no animal ${id} to restore: a deleted animal can be restored for ten minutes, unless its import was undone in the meantime.`
    throw new AppError('not_found', message)
  }
  const { deletedAt: _, ...pet } = found
  assertPreconditions(pet)
  const rival = profiles.findRival(id)
  if (rival) {
    const message = `Animal ${rival.petId} has the number ${rival.number} now: change that one, and restore this one then.`
    throw new AppError('conflict', message)
  }
  deletedPets.remove(id)
  pets.putBack(pet)
  profiles.takeNumber(id)
  events.write('pet.restored', null, pet)
  return pet
}

/** Throws `conflict` for an animal that an open order reserves, and `invalid_status_transition`. */
export function assertMayBecome(stores: Pick<PetStores, 'orders'>, pet: PetRow, status: PetStatus): void {
  assertNotReserved(stores, pet.id, "change the animal's status")
  assertTransition(pet.status, status)
}

function get({ pets }: PetStores, id: number, assertPreconditions: AssertPreconditions): PetRow {
  const pet = pets.find(id)
  if (!pet) throw new AppError('not_found', `There is no animal ${id}.`)
  assertPreconditions(pet)
  return pet
}

function assertNotReserved({ orders }: Pick<PetStores, 'orders'>, id: number, goal: string): void {
  const order = orders.openOrderOf(id)
  if (order !== undefined) {
    throw new AppError('conflict', `Order ${order} reserves animal ${id}: deliver or cancel the order to ${goal}.`)
  }
}
