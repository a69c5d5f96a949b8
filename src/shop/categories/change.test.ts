import { afterEach, beforeEach, expect, test } from 'bun:test'
import fc from 'fast-check'
import { openTestStore, type TestStore } from '../../testing/harness.ts'
import { nextFreeId } from './change.ts'
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

async function add(categoryId: number, name = 'Ada'): Promise<number> {
  return (await store.call('POST', '/v1/pets', { body: { name, categoryId } })).json.id
}
const merge = (id: number, into: number, headers = {}) =>
  store.call('POST', `/v1/categories/${id}/merge`, { body: { into }, headers })
const get = async (path: string) => (await store.call('GET', path)).json
const newest = async () => (await get('/v1/events?order=desc&limit=1'))[0]

test('a merge moves the animals of a category in any status and removes the category', async () => {
  for (const [categoryId, status] of [
    [2, 'available'],
    [2, 'sold'],
    [1, 'sold'],
    [3, 'available'],
  ]) {
    await store.call('POST', '/v1/pets', { body: { name: 'Ada', categoryId, status } })
  }
  const merged = await merge(2, 1)
  expect([merged.status, merged.json]).toMatchObject([200, { id: 1, name: 'Dog', petCount: 3 }])
  expect(merged.headers.get('etag')).toBe((await store.call('GET', '/v1/categories/1')).headers.get('etag'))
  expect(await get('/v1/categories/2')).toMatchObject({ code: 'not_found' })
  expect((await get('/v1/pets?categoryId=1')).map(({ id }: { id: number }) => id)).toEqual([1, 2, 3])
  expect(await get('/v1/pets?categoryId=1&status=sold&q=ada')).toHaveLength(2)
  expect(await get('/v1/pets/count?categoryId=2')).toEqual({ count: 0, exact: true })
  expect(await get('/v1/store/inventory')).toEqual({ available: 2, pending: 0, sold: 2 })
  expect(await newest()).toMatchObject({ type: 'category.merged', data: { id: 2, into: 1, animals: 2 } })
  expect((await store.call('POST', '/v1/categories', { body: { name: 'Cat' } })).status).toBe(201)
})

test('pages that were cached before a merge are read again after it', async () => {
  await add(2)
  const paths = ['/v1/pets', '/v1/pets?categoryId=2', '/v1/pets/1', '/v1/categories', '/v1/categories/1']
  for (const path of paths) await get(path)
  await merge(2, 1)
  const moved = { id: 1, name: 'Ada', categoryId: 1, status: 'available' }
  const [all, ofCat, one, categories, dog] = await Promise.all(paths.map(get))
  expect([all, ofCat, one]).toEqual([[moved], [], moved])
  expect(categories[0]).toMatchObject({ id: 1, name: 'Dog', petCount: 1 })
  expect(dog).toEqual(categories[0])
})

test('a deleted animal is restored into the category into which its own was merged', async () => {
  const id = await add(2)
  await store.call('DELETE', `/v1/pets/${id}`)
  await merge(2, 1)
  expect(await newest()).toMatchObject({ data: { animals: 0 } })
  expect((await store.call('POST', `/v1/pets/${id}/restore`)).json).toMatchObject({ id, categoryId: 1 })
})

test('an id without a name can be merged, and merged into', async () => {
  for (const id of [42, 43, 43]) await add(id)
  expect((await merge(42, 43)).json).toMatchObject({ id: 43, name: null, petCount: 3 })
  expect((await merge(43, 1)).json).toMatchObject({ id: 1, name: 'Dog', petCount: 3 })
})

test('undoing an import still removes animals whose category was merged', async () => {
  const body = 'name,category\nRex,Hound\nBea,Hound\n'
  const { json } = await store.call('POST', '/v1/imports', { rawBody: body, headers: { 'Content-Type': 'text/csv' } })
  await merge(7, 1)
  expect((await store.call('DELETE', `/v1/imports/${json.id}`)).json).toMatchObject({ removed: 2, changed: 0 })
  expect(await get('/v1/categories/1')).toMatchObject({ id: 1, name: 'Dog', petCount: 0 })
})

test('a category is merged neither into itself, nor into or from one that does not exist, nor against If-Match', async () => {
  expect((await merge(2, 2)).json).toMatchObject({ code: 'invalid_body', status: 400 })
  expect((await merge(2, 42)).json).toMatchObject({ code: 'not_found', message: 'There is no category 42.' })
  expect((await merge(42, 2)).json).toMatchObject({ code: 'not_found', message: 'There is no category 42.' })
  const etag = (await store.call('GET', '/v1/categories/2')).headers.get('etag') ?? ''
  await store.call('PUT', '/v1/categories/2', { body: { name: 'Cats' } })
  expect((await merge(2, 1, { 'If-Match': etag })).status).toBe(412)
  const { key } = await store.newKey({ scopes: ['pets:read'] })
  for (const path of ['/v1/categories/2/merge', '/v1/categories/2']) {
    const method = path.endsWith('merge') ? 'POST' : 'DELETE'
    expect((await store.call(method, path, { key, body: { into: 1 } })).status).toBe(403)
  }
  expect(await get('/v1/categories/2')).toMatchObject({ id: 2, name: 'Cats', petCount: 0 })
})

test('a merge that is repeated with its Idempotency-Key is done once', async () => {
  await add(2)
  const headers = { 'Idempotency-Key': 'merge' }
  const first = await merge(2, 1, headers)
  const second = await merge(2, 1, headers)
  expect([second.status, second.json]).toEqual([200, first.json])
  expect(second.headers.get('idempotent-replayed')).toBe('true')
  expect((await merge(2, 1)).status).toBe(404)
})

test('a merge moves 100,000 animals, and none of a category that has more', async () => {
  const { writer, pets, deletedPets } = store.app
  const id = await add(2)
  await store.call('DELETE', `/v1/pets/${id}`)
  await writer.write(() => {
    for (let i = 0; i < 100_000; i++) pets.add({ name: 'Ada', categoryId: 2, status: 'available' })
  })
  const refused = await merge(2, 1)
  expect(refused.json).toMatchObject({ code: 'conflict', status: 409 })
  expect(refused.json.message).toContain('more than 100,000 animals')
  expect(await get('/v1/categories/2')).toMatchObject({ id: 2, name: 'Cat', petCount: 100_000 })
  deletedPets.remove(id)
  expect((await merge(2, 1)).json).toMatchObject({ id: 1, name: 'Dog', petCount: 100_000 })
})

test('only a category without animals is deleted', async () => {
  const id = await add(2)
  const refused = await store.call('DELETE', '/v1/categories/2')
  expect(refused.json).toMatchObject({ code: 'conflict', status: 409 })
  expect(refused.json.message).toContain('POST /v1/categories/2/merge')
  await store.call('DELETE', `/v1/pets/${id}`)
  const deleted = await store.call('DELETE', '/v1/categories/2')
  expect([deleted.status, deleted.text]).toEqual([204, ''])
  expect(await newest()).toMatchObject({ type: 'category.deleted', data: { id: 2, name: 'Cat', petCount: 0 } })
  expect((await get('/v1/categories')).map((one: { id: number }) => one.id)).toEqual([1, 3, 4, 5, 6])
  expect((await store.call('DELETE', '/v1/categories/2')).status).toBe(404)
  expect((await store.call('POST', `/v1/pets/${id}/restore`)).status).toBe(200)
  expect(await get('/v1/categories/2')).toMatchObject({ id: 2, name: null, petCount: 1 })
})
