/**
 * The example store of `petstore demo`: three hundred real animals with profiles and photos, and two weeks of orders
 * for some of them. The records are added and changed by the same functions as those of clients, so that each order is
 * consistent with its animal.
 */

import demoAnimals from '../../../data/demo-animals.csv' with { type: 'text' }
import { type StoreAccountStores, storeAccount } from '../../access/accounts/store-account.ts'
import { AppError } from '../../lib/error.ts'
import { pageRange } from '../../lib/steps/collect.ts'
import { addCategory } from '../categories/change.ts'
import type { CategoryStore } from '../categories/store.ts'
import { readCsv } from '../imports/file/csv.ts'
import { parseReading } from '../imports/file/reading.ts'
import { type ImportedPet, isFault, isInvalid, readRow } from '../imports/file/rows.ts'
import { moveOrder, type OrderStores, placeOrder } from '../orders/place.ts'
import { type OrderStep, orderSteps } from '../orders/rules.ts'
import { addPet } from '../pets/changes/change.ts'
import type { PetRow } from '../pets/table.ts'
import { addPhoto } from '../photos/change.ts'
import type { PhotoStore } from '../photos/store.ts'
import { changeProfile } from '../profiles/change.ts'
import type { ProfileStore } from '../profiles/store.ts'
import type { StoreSettings } from '../settings/store.ts'
import type { DemoPhotos } from './photos.ts'
import type { Species } from './pictures.ts'
import { demoProfile } from './profiles.ts'

export interface DemoStores extends Omit<OrderStores, 'accounts' | 'profiles' | 'storeSettings'>, StoreAccountStores {
  readonly categories: CategoryStore
  readonly profiles: ProfileStore
  readonly photos: PhotoStore
  readonly storeSettings: StoreSettings
}

/** How many records were added. */
export interface AddedDemo {
  readonly animals: number
  readonly categories: number
  readonly photos: number
  readonly orders: number
}

/** The age of an order in hours; in hours after it was placed, its ship date and the time of each step; its note. */
type PastOrder = Readonly<{ hoursAgo: number; ship?: number; note?: string } & Partial<Record<OrderStep, number>>>

/** The oldest first, in the order of their ids. */
const history: readonly PastOrder[] = [
  { hoursAgo: 331.2, ship: 48, approve: 1.7, deliver: 49.3 },
  { hoursAgo: 308.6, ship: 72, approve: 4.1, deliver: 70.8 },
  { hoursAgo: 287.9, cancel: 5.4 },
  { hoursAgo: 260.3, ship: 24, approve: 0.6, deliver: 26.1 },
  { hoursAgo: 236.7, ship: 96, approve: 2.3, deliver: 94.2 },
  { hoursAgo: 213.1, ship: 72, approve: 3.8, cancel: 29.5 },
  { hoursAgo: 190.4, approve: 8.9, deliver: 51.6 },
  { hoursAgo: 162.8, ship: 48, approve: 1.2, deliver: 45.7 },
  { hoursAgo: 118.5, ship: 168, approve: 6.3 },
  { hoursAgo: 95.2, cancel: 0.4 },
  { hoursAgo: 71.9, ship: 120, approve: 20.7, note: 'Call before delivery' },
  { hoursAgo: 46.3, ship: 96, approve: 3.1 },
  { hoursAgo: 27.6, ship: 72, note: 'Collected by the neighbour, Mr. Okafor' },
  { hoursAgo: 9.8 },
  { hoursAgo: 1.3, ship: 48 },
]

/**
 * Fills an empty store as of `nowMs`, always with the same records, and returns how many it has added; called in a
 * transaction. Throws `conflict` if the store already has animals or orders.
 */
export function addDemo(stores: DemoStores, photos: DemoPhotos, nowMs: number): AddedDemo {
  assertEmpty(stores)
  const { id: accountId } = storeAccount(stores, { actor: 'command', nowMs })
  if (stores.storeSettings.currency() === null) stores.storeSettings.setCurrency('EUR')
  const animals = readAnimals().map((animal, place) => addAnimal(stores, animal, place, photos, nowMs))
  for (const [i, order] of history.entries()) {
    const pet = animals[Math.floor(((i + 0.5) * animals.length) / history.length)]
    if (pet) replay(stores, accountId, pet, order, nowMs)
  }
  const categories = new Set(animals.map(({ categoryId }) => categoryId))
  return {
    animals: animals.length,
    categories: categories.size,
    photos: animals.reduce((sum, { id }) => sum + stores.photos.countOf(id), 0),
    orders: history.length,
  }
}

/** Throws `conflict` if the store has animals or orders. */
export function assertEmpty({ pets, orders }: Pick<DemoStores, 'pets' | 'orders'>): void {
  const anyId = pageRange('asc', undefined)
  if (pets.page({}, anyId, 1).records.length > 0 || orders.page({}, anyId, 1).records.length > 0) {
    throw new AppError('conflict', 'The store already has animals or orders: demo fills an empty one (--data DIR).')
  }
}

function readAnimals(): ImportedPet[] {
  return readCsv(demoAnimals, parseReading({})).map((row) => {
    const animal = isFault(row) ? { faults: [row.fault] } : readRow(row.fields)
    if (isInvalid(animal)) throw new Error(`data/demo-animals.csv, line ${row.line}: ${animal.faults.join('; ')}`)
    return animal
  })
}

function addAnimal(
  stores: DemoStores,
  { name, category, status = 'available' }: ImportedPet,
  place: number,
  photos: DemoPhotos,
  nowMs: number,
): PetRow {
  const categoryId =
    category.name === undefined
      ? category.id
      : (stores.categories.findByName(category.name) ?? addCategory(stores, category.name)).id
  const pet = addPet(stores, { name, categoryId, status })
  const { look, profile, photos: most } = demoProfile(category.name as Species, name, place, nowMs)
  changeProfile(stores, pet.id, profile, nowMs)
  for (const photo of (photos.get(look) ?? []).slice(0, most)) {
    const added = addPhoto(stores, { ...photo, petId: pet.id, createdAt: nowMs })
    stores.photos.describe(added, `${profile.breed}, ${look.color.toLowerCase()} (drawing)`)
  }
  return pet
}

function replay(stores: DemoStores, accountId: number, pet: PetRow, order: PastOrder, nowMs: number): void {
  const placedMs = after(nowMs, -order.hoursAgo)
  const shipDate = order.ship === undefined ? null : after(placedMs, order.ship)
  let current = placeOrder(stores, { accountId, petId: pet.id, note: order.note ?? null, shipDate }, placedMs)
  for (const step of orderSteps) {
    const hours = order[step]
    if (hours !== undefined) current = moveOrder(stores, current, step, after(placedMs, hours))
  }
}

function after(ms: number, hours: number): number {
  return ms + Math.round(hours * 3_600_000)
}
