import { afterEach, beforeEach, expect, test } from 'bun:test'
import { openTestStore, type TestStore } from '../../testing/harness.ts'

let store: TestStore
beforeEach(async () => {
  store = await openTestStore()
})
afterEach(() => store.close())

async function add(categoryId: number, name = 'Ada'): Promise<number> {
  return (await store.call('POST', '/v1/pets', { body: { name, categoryId } })).json.id
}
const merge = (id: number, into: number, headers = {}) =>
  store.call('POST', `/v1/categories/${id}/merge`, { body: { into }, headers })
const get = async (path: string) => (await store.call('GET', path)).json
const newest = async () => (await get('/v1/events?order=desc&limit=1'))[0]

test('a merge moves the animals of a category in any status, and the category is gone', async () => {
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

test('pages that were read before a merge are read anew after it', async () => {
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

test('a merge moves 100,000 animals, and of more it moves none', async () => {
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
