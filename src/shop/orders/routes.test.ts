import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { Scope } from '../../api/scopes.ts'
import { openTestStore, type TestStore } from '../../testing/harness.ts'

let store: TestStore
beforeEach(async () => {
  store = await openTestStore()
  for (const name of ['Ada', 'Bea', 'Cleo']) await store.call('POST', '/v1/pets', { body: { name, categoryId: 1 } })
})
afterEach(() => store.close())

const place = (body: object) => store.call('POST', '/v1/store/orders', { body })
const step = (id: number, name: string) => store.call('POST', `/v1/store/orders/${id}/${name}`)
const inventory = async () => (await store.call('GET', '/v1/store/inventory')).json

test('placing an order reserves its animal, and delivering it sells the animal', async () => {
  const shipDate = new Date(store.clock.now() + 86_400_000).toISOString()
  const placed = await place({ petId: 1, quantity: 1, shipDate })
  const createdAt = new Date(store.clock.now()).toISOString()
  const order = {
    id: 1,
    accountId: 1,
    petId: 1,
    petName: 'Ada',
    quantity: 1,
    price: null,
    currency: null,
    note: null,
    shipDate,
    status: 'placed',
    complete: false,
    createdAt,
    updatedAt: createdAt,
    approvedAt: null,
    deliveredAt: null,
    cancelledAt: null,
    returnedAt: null,
  }
  expect([placed.status, placed.json]).toEqual([201, order])
  expect(await inventory()).toEqual({ available: 2, pending: 1, sold: 0 })
  store.clock.advance(1_000)
  const updatedAt = new Date(store.clock.now()).toISOString()
  const approved = { ...order, status: 'approved', updatedAt, approvedAt: updatedAt }
  expect((await step(1, 'approve')).json).toEqual(approved)
  store.clock.advance(1_000)
  const deliveredAt = new Date(store.clock.now()).toISOString()
  const delivered = await step(1, 'deliver')
  expect(delivered.json).toEqual({
    ...approved,
    status: 'delivered',
    complete: true,
    updatedAt: deliveredAt,
    deliveredAt,
  })
  expect(await inventory()).toEqual({ available: 2, pending: 0, sold: 1 })
  const found = await store.call('GET', placed.headers.get('location') ?? '')
  expect([found.json, found.headers.get('etag')]).toEqual([delivered.json, delivered.headers.get('etag')])
})

test('an order keeps the price and the currency that its animal had when it was placed', async () => {
  await store.call('PATCH', '/v1/store/settings', { body: { currency: 'EUR' } })
  await store.call('PATCH', '/v1/pets/1/profile', { body: { price: 49_900 } })
  expect((await place({ petId: 1 })).json).toMatchObject({ price: 49_900, currency: 'EUR' })
  await store.call('PATCH', '/v1/pets/1/profile', { body: { price: null } })
  await store.call('PATCH', '/v1/store/settings', { body: { currency: 'USD' } })
  const kept = { id: 1, price: 49_900, currency: 'EUR' }
  expect((await step(1, 'approve')).json).toMatchObject(kept)
  expect((await store.call('GET', '/v1/store/orders')).json).toMatchObject([kept])
  // A client sends back what it has read: the price is not part of a change.
  const changed = await store.call('PATCH', '/v1/store/orders/1', { body: { ...kept, note: 'Soon', price: 1 } })
  expect(changed.json).toMatchObject({ ...kept, note: 'Soon' })
  expect((await place({ petId: 2 })).json).toMatchObject({ price: null, currency: null })
})

test('an order keeps the name that its animal had when it was placed', async () => {
  await place({ petId: 1 })
  await store.call('PATCH', '/v1/pets/1', { body: { name: 'Renamed' } })
  expect((await step(1, 'cancel')).json).toMatchObject({ petName: 'Ada', cancelledAt: expect.any(String) })
})

test('a note has up to 500 characters of any script on several lines, and an empty one is null', async () => {
  const noteOf = async (petId: number, note: unknown) => (await place({ petId, note })).json
  expect((await noteOf(1, '  Gift\r\nwrapped \u{1F381}\tplease ')).note).toBe('Gift\nwrapped \u{1F381}\tplease')
  expect((await noteOf(2, ' \n ')).note).toBeNull()
  expect((await noteOf(3, '\u{1F381}'.repeat(500))).note).toHaveLength(1_000)
  const wrong: [unknown, string][] = [
    ['x'.repeat(501), 'note must have at most 500 characters, or null.'],
    ['a\u0000b', 'note must not contain control characters or broken Unicode, or null.'],
    ['\ud800', 'note must not contain control characters or broken Unicode, or null.'],
    [7, 'note must be a string, or null.'],
  ]
  for (const [note, message] of wrong) {
    expect(await noteOf(1, note)).toEqual({ code: 'invalid_body', message, status: 400 })
  }
})

test('orders are counted by status: those of the account, or all with orders:manage', async () => {
  const { key, accountId } = await store.newKey()
  for (const petId of [1, 2]) await place({ petId })
  await place({ petId: 3, accountId })
  await step(1, 'approve')
  await step(3, 'approve')
  await step(3, 'deliver')
  const counts = async (options = {}) => (await store.call('GET', '/v1/store/orders/counts', options)).json
  expect(await counts()).toEqual({ placed: 1, approved: 1, delivered: 1, cancelled: 0 })
  expect(await counts({ key })).toEqual({ placed: 0, approved: 0, delivered: 1, cancelled: 0 })
  await step(2, 'cancel')
  expect(await counts()).toEqual({ placed: 0, approved: 1, delivered: 1, cancelled: 1 })
  const reader = await store.newKey({ scopes: ['pets:read'] })
  expect((await counts({ key: reader.key })).code).toBe('insufficient_scope')
})

test('cancelling an order makes its animal available for another order', async () => {
  await place({ petId: 1 })
  expect((await step(1, 'cancel')).json).toMatchObject({ status: 'cancelled', complete: false })
  expect(await inventory()).toEqual({ available: 3, pending: 0, sold: 0 })
  expect((await place({ petId: 1 })).status).toBe(201)
})

test('an order can still be read after its animal was deleted', async () => {
  await place({ petId: 1 })
  await step(1, 'approve')
  await step(1, 'deliver')
  expect((await store.call('DELETE', '/v1/pets/1')).status).toBe(204)
  expect((await store.call('GET', '/v1/store/orders/1')).json).toMatchObject({ petId: 1, status: 'delivered' })
})

test('an order that cannot be placed is rejected with the reason', async () => {
  await place({ petId: 1 })
  expect((await place({ petId: 1 })).json).toMatchObject({ code: 'pet_not_available', status: 409 })
  expect((await place({ petId: 99 })).json).toMatchObject({ code: 'not_found', status: 404 })
  const bad = [{}, { petId: 2, quantity: 2 }, { petId: 2, quantity: 0 }, { petId: 2, shipDate: 'soon' }]
  for (const body of bad) expect((await place(body)).json).toMatchObject({ code: 'invalid_body', status: 400 })
  for (const shipDate of ['2030-02-30T00:00:00Z', '2030-01-01T24:00:00Z', '9999-12-31T23:59:59-01:00', '2030-01-01']) {
    const response = await place({ petId: 2, shipDate })
    expect(response.json.message).toBe('shipDate must be a time such as 2030-06-01T12:00:00Z (RFC 3339), or null.')
  }
  const past = await place({ petId: 2, shipDate: new Date(store.clock.now() - 86_400_001).toISOString() })
  const message = 'shipDate must not be more than a day in the past.'
  expect(past.json).toEqual({ code: 'invalid_body', message, status: 400 })
  expect((await place({ petId: 2, shipDate: null })).status).toBe(201)
})

test('the shipping date may be today, as the midnight at which the day began in any time zone', async () => {
  const today = new Date(store.clock.now()).toISOString().slice(0, 10)
  expect((await place({ petId: 1, shipDate: `${today}T00:00:00Z` })).json.shipDate).toBe(`${today}T00:00:00.000Z`)
  const dayAgo = new Date(store.clock.now() - 86_400_000).toISOString()
  expect((await place({ petId: 2, shipDate: dayAgo })).status).toBe(201)
})

test('an unknown order is not found, and a step that its status does not allow is rejected', async () => {
  expect((await step(9, 'approve')).json.code).toBe('not_found')
  expect((await store.call('POST', '/v1/store/orders/x/approve')).json.code).toBe('not_found')
  await place({ petId: 1 })
  expect((await step(1, 'deliver')).json).toMatchObject({ code: 'invalid_status_transition', status: 409 })
  expect((await step(1, 'return')).status).toBe(404)
})

test('orders are listed in pages and can be filtered by status and animal', async () => {
  for (const petId of [1, 2, 3]) await place({ petId })
  await step(2, 'cancel')
  await place({ petId: 2 })
  const ids = async (query: string) =>
    (await store.call('GET', `/v1/store/orders?${query}`)).json.map(({ id }: { id: number }) => id)
  expect(await ids('')).toEqual([1, 2, 3, 4])
  expect(await ids('status=placed')).toEqual([1, 3, 4])
  expect(await ids('petId=2')).toEqual([2, 4])
  expect(await ids('petId=2&status=cancelled')).toEqual([2])
  const first = await store.call('GET', '/v1/store/orders?status=placed&limit=2')
  const next = /<([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
  expect(next).toContain('status=placed')
  expect((await store.call('GET', next)).json.map(({ id }: { id: number }) => id)).toEqual([4])
  expect((await store.call('GET', '/v1/store/orders?status=lost')).status).toBe(400)
  expect((await store.call('GET', '/v1/store/orders?petId=0')).status).toBe(400)
})

test('each operation on orders needs its scope', async () => {
  const keyWith = async (scope: Scope) => (await store.newKey({ scopes: [scope] })).key
  const statuses = async (key: string) => {
    const calls = [
      store.call('GET', '/v1/store/orders', { key }),
      store.call('GET', '/v1/store/inventory', { key }),
      store.call('POST', '/v1/store/orders', { key, body: { petId: 1 } }),
      store.call('POST', '/v1/store/orders/99/cancel', { key }),
      store.call('POST', '/v1/store/orders/99/approve', { key }),
      store.call('POST', '/v1/store/orders/99/deliver', { key }),
    ]
    return (await Promise.all(calls)).map(({ status }) => status)
  }
  expect(await statuses(await keyWith('pets:read'))).toEqual([403, 200, 403, 403, 403, 403])
  expect(await statuses(await keyWith('orders:read'))).toEqual([200, 200, 403, 403, 403, 403])
  expect(await statuses(await keyWith('orders:write'))).toEqual([403, 403, 201, 404, 403, 403])
  expect(await statuses(await keyWith('orders:manage'))).toEqual([200, 200, 403, 404, 404, 404])
})

test('an order of another account can be neither seen nor cancelled without orders:manage', async () => {
  const own = await store.newKey()
  const other = await store.newKey()
  const manager = await store.newKey({ scopes: ['orders:manage'] })
  const placed = await store.call('POST', '/v1/store/orders', { key: own.key, body: { petId: 1 } })
  expect(placed.json).toMatchObject({ id: 1, accountId: own.accountId })
  const path = '/v1/store/orders/1'
  for (const [method, url] of [
    ['GET', path],
    ['POST', `${path}/cancel`],
  ] as const) {
    expect((await store.call(method, url, { key: other.key })).json).toMatchObject({ code: 'not_found', status: 404 })
  }
  const list = async (key: string) => (await store.call('GET', '/v1/store/orders', { key })).json
  expect([await list(other.key), await list(own.key), await list(manager.key)]).toEqual([
    [],
    [placed.json],
    [placed.json],
  ])
  expect((await store.call('GET', path, { key: own.key })).json).toEqual(placed.json)
  expect((await store.call('POST', `${path}/cancel`, { key: manager.key })).json).toMatchObject({ status: 'cancelled' })
})

test('a key with admin can place an order for any account, other keys only for their own', async () => {
  const partner = await store.newKey()
  const placeFor = (key: string, petId: number, accountId: number) =>
    store.call('POST', '/v1/store/orders', { key, body: { petId, accountId } })
  expect((await placeFor(store.key, 1, partner.accountId)).json).toMatchObject({ accountId: partner.accountId })
  expect((await placeFor(partner.key, 2, partner.accountId)).status).toBe(201)
  expect((await placeFor(partner.key, 3, 1)).json).toMatchObject({ code: 'insufficient_scope', status: 403 })
  expect((await placeFor(store.key, 3, 999)).json).toMatchObject({ code: 'not_found', status: 404 })
  expect((await store.call('GET', '/v1/pets/3')).json).toMatchObject({ status: 'available' })
})
