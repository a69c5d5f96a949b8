import { startPetstore } from 'petstore-appliance/testing'
import { expect, test } from 'vitest'
import { createShop } from '../shop.mjs'

test('an order whose request was lost is placed by the second attempt', async () => {
  await using store = await startPetstore({ seed: { pets: [{ name: 'Ada', categoryId: 2 }] } })
  store.fail({ method: 'POST' }, { lost: 'request' }, { times: 1 })
  expect(await createShop(store).order(1)).toMatchObject({ id: 1, status: 'placed' })
  expect(store.requests.map(({ status }) => status)).toEqual([undefined, 201])
})
