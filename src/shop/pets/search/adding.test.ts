import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { openTestStore, type TestStore } from '../../../testing/harness.ts'

let store: TestStore
beforeEach(async () => {
  store = await openTestStore()
})
afterEach(() => store.close())

const add = (...names: string[]) =>
  store.app.writer.write(() => {
    for (const name of names) store.app.pets.add({ name, categoryId: 1, status: 'available' })
  })
const search = async (q: string, more = '') =>
  (await store.call('GET', `/v1/pets?q=${q}${more}`)).json.map((pet: { name: string }) => pet.name)

describe('while animals are added', () => {
  let steps: number
  beforeEach(() => {
    steps = 0
    const { indexMore } = store.app.pets
    store.app.pets.indexMore = (budgetMs) => {
      steps++
      return indexMore(budgetMs)
    }
  })
  const tick = async (ms: number) => {
    store.clock.advance(ms)
    await new Promise((resolve) => setImmediate(resolve))
  }

  test('faster than they are indexed, most steps are skipped, and the index is completed afterwards', async () => {
    for (let i = 0; i < 10; i++) {
      await add(...Array.from({ length: 2_500 }, (_, n) => `Animal ${n}`))
      await tick(50)
    }
    expect(steps).toBeLessThanOrEqual(2)
    while (store.app.pets.unindexed() > 0) await tick(50)
    expect(await search('animal+2499')).toHaveLength(10)
  })

  test('a hundred a second, a step indexes ten of them, and the rest when no more come', async () => {
    for (let i = 0; i < 40; i++) {
      await add('Ada')
      await tick(10)
    }
    expect([steps, store.app.pets.unindexed() < 10]).toEqual([4, true])
    await tick(10)
    await tick(10)
    expect(store.app.pets.unindexed()).toBe(0)
  })

  test('faster than that, they are found, and are indexed when no more come', async () => {
    for (let i = 0; i < 20; i++) {
      await add('Ada', 'Ada')
      await tick(10)
    }
    expect([steps, store.app.pets.unindexed()]).toEqual([0, 40])
    expect(await search('ada', '&limit=100')).toHaveLength(40)
    await tick(10)
    await tick(10)
    expect(store.app.pets.unindexed()).toBe(0)
  })

  test('for long, they are indexed every 100 milliseconds once 8,192 are not', async () => {
    const added = async (ticks: number) => {
      for (let i = 0; i < ticks; i++) {
        await add(...Array.from({ length: 200 }, () => 'Ada'))
        await tick(10)
      }
      return steps
    }
    expect(await added(40)).toBe(0)
    expect(await added(12)).toBe(2)
  })
})
