import { afterEach, beforeEach, expect, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import { storeAccount } from '../../access/accounts/store-account.ts'
import { createStores } from '../../app/stores.ts'
import { type OpenDatabase, openDatabase } from '../../database/open.ts'
import { pageRange } from '../../lib/steps/collect.ts'
import { categoryRow } from '../categories/testing/category-row.ts'
import { moveOrder, placeOrder } from '../orders/place.ts'
import { type OrderStatus, orderStatuses } from '../orders/rules.ts'
import { nameFault, type PetStatus, storedName } from '../pets/rules.ts'
import { pageOfProfiles } from '../profiles/read.ts'
import { type Profile, ProfileChange } from '../profiles/schemas.ts'
import { addDemo } from './add.ts'
import type { DemoPhotos } from './photos.ts'
import { looks } from './pictures.ts'

const fileOf = (i: number, size: number) => ({ hash: String(i * 10 + size).padStart(64, '0'), size: 1_000 })
const drawn: DemoPhotos = new Map(
  Object.values(looks)
    .flat()
    .map((look, i) => [
      look,
      [{ width: 640, height: 480, files: { large: fileOf(i, 1), medium: fileOf(i, 2), small: fileOf(i, 3) } }],
    ]),
)

const now = Date.UTC(2026, 10, 20, 10, 15)

function openStore() {
  const database = openDatabase(':memory:', 0)
  const stores = createStores(database)
  const { pets, orders } = stores
  return {
    database,
    ...stores,
    addDemo: () => database.connection.transaction(() => addDemo(stores, drawn, now)).immediate(),
    allPets: () => pets.page({}, { order: 'asc', above: 0, below: Number.MAX_SAFE_INTEGER }, 1_000).records,
    allProfiles: () => pageOfProfiles(stores, {}, pageRange('asc', undefined), 1_000).records,
    allOrders: () => orders.page({}, pageRange('asc', undefined), 1_000).records,
  }
}

let store: ReturnType<typeof openStore>
let databases: OpenDatabase[] = []
const open = () => {
  const opened = openStore()
  databases.push(opened.database)
  return opened
}
beforeEach(() => {
  databases = []
  store = open()
})
afterEach(() => {
  for (const { close } of databases) close()
})

test('it returns the numbers of the records that it has added', () => {
  const { photos, ...others } = store.addDemo()
  expect(others).toEqual({ animals: 300, categories: 7, orders: 15 })
  expect(photos).toBeWithin(250, 300)
  expect(store.allPets()).toHaveLength(300)
  expect(new Set(store.allPets().map(({ categoryId }) => categoryId)).size).toBe(7)
  expect(store.allOrders()).toHaveLength(15)
})

test('its names are valid in the API, tidy and unique', () => {
  store.addDemo()
  const names = store.allPets().map(({ name }) => name)
  expect(names.filter((name) => nameFault(name) !== undefined || storedName(name) !== name)).toEqual([])
  expect(names.filter((name) => !/^\p{Lu}[\p{L}'. -]+$/u.test(name) || /\p{Lu}{2}/u.test(name))).toEqual([])
  expect(new Set(names).size).toBe(names.length)
})

test('the first page already shows several categories', () => {
  store.addDemo()
  const first = store.allPets().slice(0, 20)
  expect(new Set(first.map(({ categoryId }) => categoryId)).size).toBeGreaterThanOrEqual(4)
})

test('every animal has the status of its order, and is available without one', () => {
  store.addDemo()
  const statusBy: Record<OrderStatus, PetStatus> = {
    placed: 'pending',
    approved: 'pending',
    delivered: 'sold',
    cancelled: 'available',
  }
  const expected = new Map(store.allOrders().map(({ petId, status }) => [petId, statusBy[status]]))
  expect(expected.size).toBe(15)
  for (const { id, status } of store.allPets()) expect([id, status]).toEqual([id, expected.get(id) ?? 'available'])
})

test('there are orders in every status, from the last two weeks, the oldest first', () => {
  store.addDemo()
  const orders = store.allOrders()
  expect(new Set(orders.map(({ status }) => status))).toEqual(new Set(orderStatuses))
  const placed = orders.map(({ createdAt }) => createdAt)
  expect(placed).toEqual(placed.toSorted((one, other) => one - other))
  expect(placed[0]).toBeGreaterThan(now - 14 * 86_400_000)
  for (const { status, createdAt, updatedAt, shipDate } of orders) {
    expect(updatedAt).toBeLessThan(now)
    expect(updatedAt > createdAt).toBe(status !== 'placed')
    // An order that is not delivered yet has no ship date in the past.
    if (shipDate !== null && ['placed', 'approved'].includes(status)) expect(shipDate).toBeGreaterThan(now)
  }
})

test('two stores filled at the same time are the same', () => {
  const other = open()
  store.addDemo()
  other.addDemo()
  expect(other.allPets()).toEqual(store.allPets())
  expect(other.allProfiles()).toEqual(store.allProfiles())
  expect(other.allOrders()).toEqual(store.allOrders())
})

test('the profiles are what the API accepts, differ, and lack a part here and there', () => {
  store.addDemo()
  const profiles = store.allProfiles()
  for (const { petId, pet, photos, updatedAt, currency, ...profile } of profiles) {
    expect([petId, [...Value.Errors(ProfileChange, profile)]]).toEqual([petId, []])
    expect(currency).toBe(profile.price === null ? null : 'EUR')
  }
  const lacking = (is: (profile: Profile) => boolean) => profiles.filter(is).length
  for (const is of [
    ({ price }: Profile) => price === null,
    ({ description }: Profile) => description === null,
    ({ photos }: Profile) => photos.length === 0,
    ({ published }: Profile) => !published,
  ]) {
    expect(lacking(is)).toBeWithin(3, 60)
  }
  expect(profiles[0]?.photos[0]?.alt).toMatch(/^[A-Z][A-Za-z ]+, [a-z ]+ \(drawing\)$/)
  expect(new Set(profiles.flatMap(({ photos }) => photos.map(({ large }) => large))).size).toBe(drawn.size)
})

test('existing categories are used, with any case and id', () => {
  store.categories.rename(categoryRow({ id: 1, name: 'DOG' }))
  store.categories.add(categoryRow({ id: 40, name: 'rabbit' }))
  expect(store.addDemo()).toMatchObject({ categories: 7 })
  expect(store.categories.page(0, 100).map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 40])
})

test('a store with an animal, or with the order of a deleted animal, is rejected and left unchanged', () => {
  const pet = store.pets.add({ name: 'Rex', categoryId: 1, status: 'available' })
  expect(store.addDemo).toThrow('already')
  const { id: accountId } = storeAccount(store, { actor: 'command', nowMs: now })
  moveOrder(store, placeOrder(store, { accountId, petId: pet.id, note: null, shipDate: null }, now), 'cancel', now)
  store.pets.remove({ ...pet })
  expect(store.addDemo).toThrow('already')
  expect([store.allPets().length, store.allOrders().length, store.categories.page(0, 100).length]).toEqual([0, 1, 6])
})
