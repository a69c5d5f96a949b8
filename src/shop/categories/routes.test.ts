import { afterEach, beforeEach, expect, test } from 'bun:test'
import { openTestStore, type TestStore } from '../../testing/harness.ts'

let store: TestStore
beforeEach(async () => {
  store = await openTestStore()
})
afterEach(() => store.close())

const add = (categoryId: number) => store.call('POST', '/v1/pets', { body: { name: 'Ada', categoryId } })

test('a new store has six categories', async () => {
  const { json } = await store.call('GET', '/v1/categories')
  const names = ['Dog', 'Cat', 'Bird', 'Fish', 'Reptile', 'Small animal']
  expect(json).toMatchObject(names.map((name, i) => ({ id: i + 1, name, petCount: 0 })))
})

test('categories show their numbers of animals, indexed or not, and ids in use that have no name', async () => {
  for (const id of [1, 1, 42]) await add(id)
  store.clock.advance(100)
  await new Promise((resolve) => setImmediate(resolve))
  await add(1)
  await store.call('PATCH', '/v1/pets/1', { body: { categoryId: 2 } })
  await store.call('DELETE', '/v1/pets/2')
  const { json } = await store.call('GET', '/v1/categories')
  expect(json.filter(({ petCount }: { petCount: number }) => petCount > 0)).toMatchObject([
    { id: 1, name: 'Dog', petCount: 1 },
    { id: 2, name: 'Cat', petCount: 1 },
    { id: 42, name: null, petCount: 1 },
  ])
})

test('animals that are changed or deleted are counted correctly', async () => {
  for (const id of [1, 1, 2]) await add(id)
  await store.call('PATCH', '/v1/pets/1', { body: { categoryId: 3, status: 'sold' } })
  await store.call('DELETE', '/v1/pets/2')
  const counts = async () => {
    const { json } = await store.call('GET', '/v1/categories')
    const used = json.filter(({ petCount }: { petCount: number }) => petCount !== 0)
    const inventory = (await store.call('GET', '/v1/store/inventory')).json
    return [used.map(({ id, petCount }: { id: number; petCount: number }) => [id, petCount]), inventory]
  }
  const expected = [
    [
      [2, 1],
      [3, 1],
    ],
    { available: 1, pending: 0, sold: 1 },
  ]
  expect(await counts()).toEqual(expected)
})

test('a category is added under the next free id, above the ids that animals use', async () => {
  await add(42)
  const made = await store.call('POST', '/v1/categories', { body: { name: ' Goat ' } })
  expect([made.status, made.json]).toMatchObject([201, { id: 43, name: 'Goat', petCount: 0 }])
  expect((await store.call('GET', made.headers.get('location') ?? '')).json).toEqual(made.json)
})

test('if the highest possible id is in use, a new category gets the lowest free one', async () => {
  await add(Number.MAX_SAFE_INTEGER)
  const ids = []
  for (const name of ['A', 'B']) ids.push((await store.call('POST', '/v1/categories', { body: { name } })).json.id)
  expect(ids).toEqual([7, 8])
})

test('an id can be named and renamed, whether animals use it or not', async () => {
  await add(42)
  const put = (id: number, name: string) => store.call('PUT', `/v1/categories/${id}`, { body: { name } })
  expect((await put(42, 'Goat')).json).toMatchObject({ id: 42, name: 'Goat', petCount: 1 })
  expect((await put(42, 'goat')).json.name).toBe('goat')
  expect((await put(77, 'Llama')).json).toMatchObject({ id: 77, name: 'Llama', petCount: 0 })
})

test('names that differ only in case are the same name', async () => {
  const taken = await store.call('POST', '/v1/categories', { body: { name: 'DOG' } })
  expect(taken.json).toMatchObject({ code: 'conflict', status: 409 })
  expect((await store.call('PUT', '/v1/categories/2', { body: { name: 'dog' } })).status).toBe(409)
  expect((await store.call('POST', '/v1/categories', { body: { name: 'x'.repeat(65) } })).status).toBe(400)
})

test('names that differ only in ignorable code points are the same name', async () => {
  for (const name of ['Dog\u200b', 'D\u200bog', '\u2060DOG\u2800']) {
    expect((await store.call('POST', '/v1/categories', { body: { name } })).json.code).toBe('conflict')
  }
  expect((await store.call('POST', '/v1/categories', { body: { name: '\u200b' } })).json.code).toBe('invalid_body')
})

test('the list is paged by id', async () => {
  const first = await store.call('GET', '/v1/categories?limit=4')
  const next = /<([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
  const rest = await store.call('GET', next)
  expect([...first.json, ...rest.json].map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6])
})
