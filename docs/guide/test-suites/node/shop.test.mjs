import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { createShop } from '../shop.mjs'
import { startPetstore } from './petstore.mjs'

let store
before(async () => {
  store = await startPetstore({ plan: 'free', seed: { pets: [{ name: 'Ada', categoryId: 2 }] } })
})
beforeEach(() => store.reset())
after(() => store.stop())

test('a Free key is admitted again after its minute', async () => {
  const shop = createShop(store)
  for (let i = 0; i < 60; i++) assert.equal((await shop.send('GET', '/pets')).status, 200)
  assert.equal((await shop.send('GET', '/pets')).status, 429)
  await store.advance(61_000)
  assert.equal((await shop.send('GET', '/pets')).status, 200)
})

test('an order whose response was lost is placed once', async () => {
  await store.fail({ method: 'POST', fault: { lost: 'response' }, times: 1 })
  assert.equal((await createShop(store).order(1)).id, 1)
  assert.deepEqual(
    (await store.requests()).map(({ status }) => status),
    [201, 201],
  )
})
