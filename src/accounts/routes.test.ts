import { afterEach, beforeEach, expect, test } from 'bun:test'
import { openTestStore, type TestStore } from '../testing/harness.ts'

let store: TestStore
beforeEach(async () => {
  store = await openTestStore()
})
afterEach(() => store.close())

test('an account is opened on Free, and its numbers are its plan’s', async () => {
  const made = await store.call('POST', '/v1/accounts', { body: { name: 'Paws & Co.' } })
  expect(made.status).toBe(201)
  expect(made.json).toMatchObject({ id: 2, name: 'Paws & Co.', plan: 'free', perMinute: 60, perDay: 1_000 })
  const found = await store.call('GET', made.headers.get('location') ?? '')
  expect([found.text, found.headers.get('etag')]).toEqual([made.text, made.headers.get('etag')])
})

test('Enterprise needs both numbers and keeps the one that isn’t given again; other plans refuse them', async () => {
  const { id } = (await store.call('POST', '/v1/accounts', { body: { name: 'Big' } })).json
  const change = (body: object) => store.call('PATCH', `/v1/accounts/${id}`, { body })
  expect((await change({ perMinute: 5 })).json.code).toBe('invalid_body')
  expect((await change({ plan: 'enterprise', perMinute: 5 })).json.code).toBe('invalid_body')
  expect((await change({ plan: 'enterprise', perMinute: 5, perDay: 50 })).json).toMatchObject({
    perMinute: 5,
    perDay: 50,
  })
  expect((await change({ perDay: 60 })).json).toMatchObject({ plan: 'enterprise', perMinute: 5, perDay: 60 })
  expect((await change({ plan: 'pro' })).json).toMatchObject({ plan: 'pro', perMinute: 300, perDay: 10_000 })
})

test('usage by day counts what was admitted, up to this very request', async () => {
  const { key, accountId } = await store.newKey({ plan: 'free' })
  for (let i = 0; i < 62; i++) await store.call('GET', '/v1/pets', { key })
  store.clock.advance(86_400_000)
  await new Promise((resolve) => setImmediate(resolve))
  for (let i = 0; i < 3; i++) await store.call('GET', '/v1/pets', { key })
  const { json } = await store.call('GET', `/v1/accounts/${accountId}/usage?days=3`)
  expect(json).toEqual([
    { date: '2026-11-19', requests: 0 },
    { date: '2026-11-20', requests: 60 },
    { date: '2026-11-21', requests: 3 },
  ])
  expect((await store.call('GET', `/v1/accounts/${accountId}/usage`)).json).toHaveLength(30)
  expect((await store.call('GET', `/v1/accounts/${accountId}/usage?days=367`)).status).toBe(400)
})
