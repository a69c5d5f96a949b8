import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { startPetstore, type TestPetstore } from 'petstore-appliance/testing'
import { createShop } from '../shop.mjs'

let store: TestPetstore
beforeAll(async () => {
  // Without limits: the minute of a clock that stands still never ends.
  store = await startPetstore({ plan: 'unlimited', seed: { pets: [{ name: 'Ada', categoryId: 2 }] } })
})
beforeEach(() => store.reset())
afterAll(() => store.stop())

test('an order reserves its animal', async () => {
  const shop = createShop(store)
  await shop.order(1)
  expect(await shop.listPets()).toMatchObject([{ id: 1, status: 'pending' }])
})

test('each test begins with the seed', async () => {
  expect(await createShop(store).listPets()).toMatchObject([{ id: 1, name: 'Ada', status: 'available' }])
})

test('more requests than a plan allows in a minute', async () => {
  for (let i = 0; i < 1_200; i++) await createShop(store).listPets()
  expect(store.requests).toHaveLength(1_200)
})
