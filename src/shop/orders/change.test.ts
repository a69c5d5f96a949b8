import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type CallOptions, openTestStore, type TestStore } from '../../testing/harness.ts'

let store: TestStore
let placed: Awaited<ReturnType<TestStore['call']>>
beforeEach(async () => {
  store = await openTestStore()
  await store.call('POST', '/v1/pets', { body: { name: 'Ada', categoryId: 1 } })
  placed = await store.call('POST', '/v1/store/orders', { body: { petId: 1, note: 'Gift', shipDate: inDays(2) } })
  store.clock.advance(1_000)
})
afterEach(() => store.close())

const inDays = (days: number) => new Date(store.clock.now() + days * 86_400_000).toISOString()
const change = (body: unknown, options: CallOptions = {}) =>
  store.call('PATCH', '/v1/store/orders/1', { body, ...options })
const step = (name: string) => store.call('POST', `/v1/store/orders/1/${name}`)
const newest = async () => (await store.call('GET', '/v1/events?order=desc&limit=1')).json[0]

test('a wrong shipping date is corrected without another order', async () => {
  await store.call('GET', '/v1/store/orders')
  const shipDate = inDays(3)
  const changed = await change({ shipDate })
  const expected = { ...placed.json, shipDate, updatedAt: inDays(0) }
  expect([changed.status, changed.json]).toEqual([200, expected])
  expect((await store.call('GET', '/v1/store/orders')).json).toEqual([expected])
  const found = await store.call('GET', '/v1/store/orders/1')
  expect([found.json, found.headers.get('etag')]).toEqual([expected, changed.headers.get('etag')])
  expect(await newest()).toMatchObject({
    type: 'order.updated',
    accountId: 1,
    data: expected,
    previous: { shipDate: placed.json.shipDate, updatedAt: placed.json.updatedAt },
  })
  expect((await step('approve')).json).toMatchObject({ note: 'Gift', shipDate })
})

test('null or an empty text clears a member, and the search finds the new note', async () => {
  expect((await change({ note: '  No bow \r\nplease ' })).json.note).toBe('No bow \nplease')
  expect((await store.call('GET', '/v1/store/orders?q=bow')).json).toHaveLength(1)
  expect((await change({ note: '', shipDate: null })).json).toMatchObject({ note: null, shipDate: null })
  expect((await change({ note: null })).json.note).toBeNull()
})

test('a change that changes nothing has no event, whatever the status of the order', async () => {
  const { id } = await newest()
  for (const body of [{}, { note: 'Gift' }, placed.json]) expect((await change(body)).json).toEqual(placed.json)
  expect((await newest()).id).toBe(id)
  await step('cancel')
  expect((await change({ note: 'Gift' })).json.status).toBe('cancelled')
})

test('a shipping date that has passed in the meantime stays, and a new one must not be in the past', async () => {
  store.clock.skip(5 * 86_400_000)
  expect((await change({ ...placed.json, note: 'Late' })).json).toMatchObject({
    note: 'Late',
    shipDate: placed.json.shipDate,
  })
  expect((await change({ shipDate: inDays(-2) })).json).toMatchObject({ code: 'invalid_body', status: 400 })
  expect((await change({ shipDate: inDays(-1) })).status).toBe(200)
})

test.each(['cancel', 'deliver'])('after %s an order no longer changes', async (last) => {
  if (last === 'deliver') await step('approve')
  const { status } = (await step(last)).json
  const message = `Order 1 is ${status} and can no longer be changed.`
  expect((await change({ note: 'Late' })).json).toEqual({ code: 'conflict', message, status: 409 })
  expect((await store.call('GET', '/v1/store/orders/1')).json.note).toBe('Gift')
})

test('an approved order is changed by its account or with orders:manage, and by no other', async () => {
  await step('approve')
  const other = await store.newKey({ scopes: ['orders:write'] })
  expect((await change({ note: 'Mine' }, { key: other.key })).json.code).toBe('not_found')
  const reader = await store.newKey({ scopes: ['orders:read'] })
  expect((await change({ note: 'Mine' }, { key: reader.key })).json.code).toBe('insufficient_scope')
  const manager = await store.newKey({ scopes: ['orders:manage'] })
  expect((await change({ note: 'Checked' }, { key: manager.key })).json.note).toBe('Checked')
  const own = await store.call('POST', '/v1/keys', { body: { name: 'Till', accountId: 1, scopes: ['orders:write'] } })
  expect((await change({ note: 'Own' }, { key: own.json.key })).json.note).toBe('Own')
})

test('a change honours If-Match, and of two at once one fails', async () => {
  const headers = { 'If-Match': placed.headers.get('etag') ?? '' }
  const both = await Promise.all([change({ note: 'A' }, { headers }), change({ note: 'B' }, { headers })])
  expect(both.map(({ status }) => status).sort()).toEqual([200, 412])
})

test('an unknown member is rejected, and the message names the nearest one', async () => {
  expect((await change({ shipdate: null })).json.message).toContain('`shipDate`')
  expect((await change({ note: 'x'.repeat(501) })).json.code).toBe('invalid_body')
  expect((await change([])).json.code).toBe('invalid_body')
})
