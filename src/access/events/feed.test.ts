import { afterEach, beforeEach, expect, test } from 'bun:test'
import { openTestStore, type TestStore } from '../../testing/harness.ts'

let store: TestStore
beforeEach(async () => {
  store = await openTestStore()
})
afterEach(() => store.close())

const add = (name: string) => store.call('POST', '/v1/pets', { body: { name, categoryId: 1 } })
const read = async (query = '', key?: string) =>
  (await store.call('GET', `/v1/events?limit=100${query}`, key === undefined ? {} : { key })).json
const types = async (query = '', key?: string) => (await read(query, key)).map(({ type }: { type: string }) => type)

test('a change has one event with the record as its response has it and the id of its request', async () => {
  const made = await add('Ada')
  const [event] = await read('&types=pet.*')
  expect(JSON.stringify(event.data)).toBe(made.text)
  expect(event).toEqual({
    id: store.clock.now() * 1_000 + 1,
    type: 'pet.created',
    createdAt: '2026-11-20T10:15:00.000Z',
    accountId: null,
    requestId: made.headers.get('x-request-id'),
    data: made.json,
  })
  const one = await store.call('GET', `/v1/events/${event.id}`)
  expect(one.json).toEqual(event)
})

test('each of several changes in one transaction has the id of its request', async () => {
  const made = await Promise.all(['Ada', 'Bea', 'Cleo'].map(add))
  const events = await read('&types=pet.*')
  const requests = events.map(({ requestId, data }: { requestId: string; data: { name: string } }) => [
    data.name,
    requestId,
  ])
  expect(requests).toEqual(made.map(({ json, headers }) => [json.name, headers.get('x-request-id')]))
})

test('ids increase with time, and also while the clock stands still or is set back', async () => {
  for (const ms of [0, 0, 5_000, -60_000]) {
    store.clock.setWall(store.clock.now() + ms)
    await add('Ada')
  }
  const ids = (await read('&types=pet.created')).map(({ id }: { id: number }) => id - store.clock.now() * 1_000)
  const last = 60_000_000
  expect(ids).toEqual([last - 5_000_000 + 1, last - 5_000_000 + 2, last, last + 1])
})

test('a page begins after an event and continues with Link; after is for the first page in ascending order', async () => {
  for (let i = 0; i < 5; i++) await add(`Animal ${i}`)
  const all = await read('&types=pet.*')
  const first = await store.call('GET', `/v1/events?limit=2&types=pet.*&after=${all[0].id}`)
  expect(first.json).toEqual(all.slice(1, 3))
  const next = /<([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
  const second = await store.call('GET', next)
  expect(second.json).toEqual(all.slice(3))
  expect(second.headers.get('link')).toBeNull()
  const newest = await store.call('GET', '/v1/events?order=desc&limit=1')
  expect(newest.json).toEqual(all.slice(-1))
  for (const query of [`${next.split('?')[1]}&after=0`, 'after=0&order=desc', 'types=pets.*', 'types=', 'after=-1']) {
    expect((await store.call('GET', `/v1/events?${query}`)).json.code).toBe('invalid_parameter')
  }
})

test('an unknown type is rejected, and the message names the nearest one', async () => {
  const messageOf = async (types: string) => (await store.call('GET', `/v1/events?types=${types}`)).json.message
  expect(await messageOf('pets.*')).toBe('types has the unknown type `pets.*`: did you mean `pet.*`?')
  expect(await messageOf('pet.*,order.place')).toBe(
    'types has the unknown type `order.place`: did you mean `order.placed`?',
  )
  expect(await messageOf('unicorns')).toContain('must be types of events separated by commas: pet.created, ')
  expect(await messageOf(Array(101).fill('pet.*').join(','))).toBe('types must have at most 100 types.')
})

test('a key sees the events of the records that it may read, and no others', async () => {
  const seller = await store.newKey({ scopes: ['orders:read', 'orders:write'] })
  const other = await store.newKey({ scopes: ['orders:read'] })
  const manager = await store.newKey({ scopes: ['orders:manage'] })
  const reader = await store.newKey({ scopes: ['pets:read'] })
  const writer = await store.newKey({ scopes: ['pets:write'] })
  const { id: petId } = (await add('Ada')).json
  await store.call('POST', '/v1/store/orders', { key: seller.key, body: { petId } })
  expect(await types('', reader.key)).toEqual(['pet.created', 'pet.updated'])
  expect(await types('', seller.key)).toEqual(['order.placed'])
  expect(await types('', other.key)).toEqual([])
  expect(await types('', manager.key)).toEqual(['order.placed'])
  expect((await types()).slice(-3)).toEqual(['pet.created', 'order.placed', 'pet.updated'])
  const [{ id }] = await read('', seller.key)
  expect((await store.call('GET', `/v1/events/${id}`, { key: other.key })).status).toBe(404)
  expect((await store.call('GET', '/v1/events', { key: writer.key })).json.code).toBe('insufficient_scope')
})

test('a change that changes nothing, fails or is rolled back has no event', async () => {
  const { id } = (await add('Ada')).json
  const last = (await read()).at(-1).id
  await store.call('PATCH', `/v1/pets/${id}`, { body: { name: 'Ada' } })
  await store.call('DELETE', '/v1/pets/77')
  const failed = store.app.writer.write(() => {
    store.app.events.write('pet.deleted', null, { id })
    throw new Error('no')
  })
  await expect(failed).rejects.toThrow('no')
  expect(await read(`&after=${last}`)).toEqual([])
  await store.call('PATCH', `/v1/pets/${id}`, { body: { name: 'Bea', status: 'sold' } })
  const [changed] = await read(`&after=${last}`)
  expect(changed.previous).toEqual({ name: 'Ada', status: 'available' })
})

test('an event is published when its commit is on disk, not before', async () => {
  const seen: number[] = []
  store.app.events.onFlushed((newest) => seen.push(newest))
  const before = store.app.events.newestOnDisk()
  await store.app.writer.write(() => {
    store.app.events.write('pet.deleted', null, { id: 1 })
    expect(store.app.events.newestOnDisk()).toBe(before)
  })
  expect(seen).toEqual([store.app.events.newestOnDisk()])
  expect(seen[0]).toBeGreaterThan(before)
})

test('a page after an event that was removed, or that never existed, gets 410', async () => {
  await add('Ada')
  const [{ id }] = await read('&types=pet.*')
  for (const after of [1, id - 1_000_000, id + 1]) {
    const { status, json } = await store.call('GET', `/v1/events?after=${after}`)
    expect([status, json.code]).toEqual([410, 'events_expired'])
  }
})
