import { expect, test } from 'bun:test'
import { startPetstore } from 'petstore-appliance/testing'
import { createShop } from '../shop.mjs'

// Each has a store of its own, so they may run at once, in one process or, with --parallel, in several.
test.concurrent.each(['Ada', 'Bea', 'Cleo', 'Dora', 'Emma', 'Fay', 'Gus', 'Hal'])(
  '%s is alone in its store',
  async (name) => {
    await using store = await startPetstore()
    const shop = createShop(store)
    expect((await shop.send('POST', '/pets', { name, categoryId: 1 })).status).toBe(201)
    expect(await shop.listPets()).toMatchObject([{ id: 1, name }])
  },
)
