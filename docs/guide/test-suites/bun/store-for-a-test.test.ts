import { expect, test } from 'bun:test'
import { startPetstore } from 'petstore-appliance/testing'
import { createShop } from '../shop.mjs'

const pets = [{ name: 'Ada', categoryId: 2 }]

test('a Free key is admitted again after its minute', async () => {
  await using store = await startPetstore({ plan: 'free', now: new Date('2026-11-20T10:00:00Z') })
  const shop = createShop(store)
  for (let i = 0; i < 60; i++) expect((await shop.send('GET', '/pets')).status).toBe(200)
  expect((await shop.send('GET', '/pets')).status).toBe(429)
  store.clock.advance(61_000) // the store's time stands still until you move it
  expect((await shop.send('GET', '/pets')).status).toBe(200)
})

test('an order whose response was lost is placed once', async () => {
  await using store = await startPetstore({ seed: { pets } })
  store.fail({ method: 'POST', path: '/v1/store/orders' }, { lost: 'response' }, { times: 1 })
  expect(await createShop(store).order(1)).toMatchObject({ id: 1, status: 'placed' })
  const [first, second] = store.requests
  expect(first?.headers['idempotency-key']).toBe(second?.headers['idempotency-key'])
})

test('an order is given up after three attempts', async () => {
  await using store = await startPetstore({ seed: { pets } })
  store.fail({ path: '/v1/store/orders' }, { status: 503, retryAfterSeconds: 5 })
  await expect(createShop(store).order(1)).rejects.toThrow('503')
  expect(store.requests).toHaveLength(3)
})

test('a partner that may only read places no order', async () => {
  await using store = await startPetstore({ seed: { pets } })
  const { key } = await store.createKey({ plan: 'free', scopes: ['pets:read'] })
  await expect(createShop({ url: store.url, key }).order(1)).rejects.toThrow('403')
})
