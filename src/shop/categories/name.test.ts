import { afterEach, beforeEach, expect, test } from 'bun:test'
import fc from 'fast-check'
import { openTestStore, type TestStore } from '../../testing/harness.ts'
import { nextFreeId } from './name.ts'
import { categoryRow } from './testing/category-row.ts'

let store: TestStore
beforeEach(async () => {
  store = await openTestStore()
})
afterEach(() => store.close())

/** Categories and animals with these ids, and the number of lookups. */
function partsWith(ids: readonly number[]) {
  let looks = 0
  const highestUpTo = (most: number) => {
    looks++
    return Math.max(0, ...ids.filter((id) => id <= most))
  }
  const has = (id: number) => {
    looks++
    return ids.includes(id)
  }
  return {
    categories: { highestId: highestUpTo, find: (id: number) => (has(id) ? categoryRow({ id }) : undefined) },
    pets: { highestCategoryId: () => 0, countInCategory: () => 0 },
    looks: () => looks,
  }
}

test('the next id is free, and is found by a few lookups for any ids in use', () => {
  const top = Number.MAX_SAFE_INTEGER
  const id = fc.oneof(
    fc.integer({ min: 1, max: 20 }),
    fc.integer({ min: top - 5, max: top }),
    fc.integer({ min: 1, max: 53 }).map((bits) => 2 ** bits - 1),
  )
  fc.assert(
    fc.property(fc.uniqueArray(id, { maxLength: 40 }), (ids) => {
      const parts = partsWith(ids)
      const next = nextFreeId(parts)
      expect(ids).not.toContain(next)
      expect(next >= 1 && next <= top).toBe(true)
      expect(parts.looks()).toBeLessThanOrEqual(53)
      if (!ids.includes(top)) expect(next).toBe(Math.max(0, ...ids) + 1)
    }),
  )
})

test('if each of these lookups finds an id in use, the lowest free id is used', () => {
  const ids = Array.from({ length: 53 }, (_, bits) => 2 ** (bits + 1) - 1)
  expect(nextFreeId(partsWith(ids))).toBe(2)
})

test('naming 3,000 categories takes no longer once an animal has the highest possible category', async () => {
  const name = async (prefix: string) => {
    const startMs = performance.now()
    for (let batch = 0; batch < 30; batch++) {
      const names = Array.from({ length: 100 }, (_, i) => `${prefix} ${batch} ${i}`)
      const { key } = await store.newKey({ plan: 'enterprise' })
      await Promise.all(names.map((one) => store.call('POST', '/v1/categories', { key, body: { name: one } })))
    }
    return performance.now() - startMs
  }
  const before = await name('Early')
  const body = { name: 'Rex', categoryId: Number.MAX_SAFE_INTEGER }
  expect((await store.call('POST', '/v1/pets', { body })).status).toBe(201)
  expect(await name('Late')).toBeLessThan(before * 3 + 1_000)
})
