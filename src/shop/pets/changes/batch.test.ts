import { afterEach, beforeEach, expect, test } from 'bun:test'
import { openTestStore, type TestStore } from '../../../testing/harness.ts'

let store: TestStore
beforeEach(async () => {
  store = await openTestStore()
  for (let i = 1; i <= 4; i++) await store.call('POST', '/v1/pets', { body: { name: `Pet ${i}`, categoryId: 1 } })
})
afterEach(() => store.close())

const batch = (body: unknown, headers: Record<string, string> = {}) =>
  store.call('POST', '/v1/pets/batch', { body, headers })
const statuses = async () => (await store.call('GET', '/v1/pets')).json.map(({ status }: { status: string }) => status)

test('each animal has a result, and one that cannot be changed does not affect the others', async () => {
  await store.call('POST', '/v1/store/orders', { body: { petId: 2 } })
  await store.call('PATCH', '/v1/pets/3', { body: { status: 'sold' } })
  const { status, json } = await batch({ ids: [4, 2, 99, 3, 1], change: { status: 'pending', categoryId: 5 } })
  expect(status).toBe(200)
  expect(json).toEqual([
    { id: 4, done: true, pet: { id: 4, name: 'Pet 4', categoryId: 5, status: 'pending' }, code: null, message: null },
    // An order holds it already pending: only its category changes.
    { id: 2, done: true, pet: { id: 2, name: 'Pet 2', categoryId: 5, status: 'pending' }, code: null, message: null },
    { id: 99, done: false, pet: null, code: 'not_found', message: 'There is no animal 99.' },
    { id: 3, done: false, pet: null, code: 'invalid_status_transition', message: expect.stringContaining('sold') },
    { id: 1, done: true, pet: { id: 1, name: 'Pet 1', categoryId: 5, status: 'pending' }, code: null, message: null },
  ])
  expect(await statuses()).toEqual(['pending', 'pending', 'sold', 'pending'])
  const sold = await batch({ ids: [1, 2], change: { status: 'sold' } })
  expect(sold.json.map(({ code }: { code: string }) => code)).toEqual([null, 'conflict'])
})

test('animals are deleted, but not those of open orders, and are restored again', async () => {
  await store.call('POST', '/v1/store/orders', { body: { petId: 2 } })
  const removed = await batch({ ids: [1, 2, 3], delete: true })
  expect(removed.json.map(({ done, pet, code }: Record<string, unknown>) => [done, pet, code])).toEqual([
    [true, null, null],
    [false, null, 'conflict'],
    [true, null, null],
  ])
  const restored = await batch({ ids: [1, 2, 3, 99], restore: true })
  expect(restored.json.map(({ code }: { code: string }) => code)).toEqual([null, 'conflict', null, 'not_found'])
  expect(restored.json[0].pet).toEqual({ id: 1, name: 'Pet 1', categoryId: 1, status: 'available' })
  expect(await statuses()).toHaveLength(4)
})

test('a body has 1 to 100 different ids and exactly one action', async () => {
  const many = Array.from({ length: 100 }, (_, i) => i + 1)
  const hundred = (await batch({ ids: many, change: { categoryId: 7 } })).json
  expect(hundred.map(({ id }: { id: number }) => id)).toEqual(many)
  expect(hundred.filter(({ done }: { done: boolean }) => done)).toHaveLength(4)
  const wrong: [unknown, string][] = [
    [{ ids: [1] }, 'Send exactly one of change, delete and restore.'],
    [{ ids: [1], change: {}, delete: true }, 'Send exactly one of change, delete and restore.'],
    [{ ids: [1], delete: false }, 'delete must be true.'],
    [{ ids: [1], change: 7 }, 'change must be an object.'],
    [{ ids: [1], change: { status: 'lost' } }, 'change.status must be one of available, pending, sold.'],
    [{ ids: [], delete: true }, 'ids must be a list of 1 to 100 different values.'],
    [{ ids: [1, 1], delete: true }, 'ids must be a list of 1 to 100 different values.'],
    [{ ids: [...many, 101], delete: true }, 'ids must be a list of 1 to 100 different values.'],
    // The elements of a list that is too long are not examined.
    [{ ids: ['a', 'b', ...many], delete: true }, 'ids must be a list of 1 to 100 different values.'],
    [{ ids: ['1'], delete: true }, 'ids.0 must be an integer from 1 to 9007199254740991.'],
    [{ delete: true }, 'ids is required.'],
  ]
  for (const [body, message] of wrong) {
    expect((await batch(body)).json).toEqual({ code: 'invalid_body', message, status: 400 })
  }
  expect(await statuses()).toHaveLength(4)
})

test('other writes are made between the parts of a batch', async () => {
  for (let i = 5; i <= 100; i++) await store.call('POST', '/v1/pets', { body: { name: `Pet ${i}`, categoryId: 1 } })
  const order: string[] = []
  const ids = Array.from({ length: 100 }, (_, i) => i + 1)
  const batched = batch({ ids, delete: true }).then(() => order.push('batch'))
  await store.call('POST', '/v1/pets', { body: { name: 'New', categoryId: 1 } }).then(() => order.push('created'))
  await batched
  expect(order).toEqual(['created', 'batch'])
  expect(await statuses()).toHaveLength(1)
})

test('a repeated request with the same Idempotency-Key changes nothing and gets the first results', async () => {
  const headers = { 'Idempotency-Key': 'sell' }
  const body = { ids: [1], change: { status: 'sold' } }
  const first = await batch(body, headers)
  await store.call('PATCH', '/v1/pets/1', { body: { status: 'available' } })
  expect((await batch(body, headers)).text).toBe(first.text)
  expect((await statuses())[0]).toBe('available')
})

test('a batch needs pets:write', async () => {
  const { key } = await store.newKey({ scopes: ['pets:read'] })
  expect((await store.call('POST', '/v1/pets/batch', { key, body: { ids: [1], delete: true } })).status).toBe(403)
})
