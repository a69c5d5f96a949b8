import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { openDatabase } from '../../database/open.ts'
import { pageRange } from '../../lib/steps/collect.ts'
import { openTestStore, type TestStore } from '../../testing/harness.ts'
import { createAccountStore } from './store.ts'

let store: TestStore
beforeEach(async () => {
  store = await openTestStore()
})
afterEach(() => store.close())

test('a new account is on the free plan and has the limits of that plan', async () => {
  const created = await store.call('POST', '/v1/accounts', { body: { name: 'Paws & Co.' } })
  expect(created.status).toBe(201)
  expect(created.json).toMatchObject({ id: 2, name: 'Paws & Co.', plan: 'free', perMinute: 60, perDay: 1_000 })
  const found = await store.call('GET', created.headers.get('location') ?? '')
  expect([found.text, found.headers.get('etag')]).toEqual([created.text, created.headers.get('etag')])
})

test('the enterprise plan needs both numbers and keeps one that is not sent again; other plans reject them', async () => {
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

test('a change of the plan or the name has an event of that account, which only keys with the scope admin see', async () => {
  const { key, accountId } = await store.newKey({ plan: 'free' })
  const change = (body: object) => store.call('PATCH', `/v1/accounts/${accountId}`, { body })
  await change({ plan: 'free' })
  const { json } = await change({ plan: 'pro' })
  const read = async (reader = store.key) =>
    (await store.call('GET', '/v1/events?types=account.*', { key: reader })).json
  expect(await read()).toEqual([
    expect.objectContaining({
      type: 'account.updated',
      accountId,
      data: json,
      previous: { plan: 'free', perMinute: 60, perDay: 1_000 },
    }),
  ])
  expect(await read(key)).toEqual([])
})

test('usage by day counts the admitted requests, including the current one', async () => {
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

test('an account has the number of its requests today and of its keys in use, which its ETag does not cover', async () => {
  const { key, accountId } = await store.newKey({ plan: 'free' })
  const path = `/v1/accounts/${accountId}`
  const before = await store.call('GET', path)
  expect(before.json).toMatchObject({ usedToday: 0, keyCount: 1 })
  for (let i = 0; i < 3; i++) await store.call('GET', '/v1/pets', { key })
  const expiresAt = new Date(store.clock.now() + 60_000).toISOString()
  const extra = (await store.call('POST', '/v1/keys', { body: { name: 'Extra', accountId } })).json
  await store.call('POST', '/v1/keys', { body: { name: 'Short', accountId, expiresAt } })
  expect((await store.call('GET', path)).json).toMatchObject({ usedToday: 3, keyCount: 3 })
  await store.call('DELETE', `/v1/keys/${extra.id}`)
  store.clock.advance(60_000)
  const after = await store.call('GET', path)
  expect(after.json).toMatchObject({ usedToday: 3, keyCount: 1 })
  expect(after.headers.get('etag')).toBe(before.headers.get('etag'))
  expect((await store.call('GET', '/v1/accounts')).json[1]).toEqual(after.json)
  expect((await store.call('PATCH', path, { body: { name: 'P' } })).json).toMatchObject({ usedToday: 3, keyCount: 1 })
  store.clock.advance(86_400_000)
  expect((await store.call('GET', path)).json.usedToday).toBe(0)
})

describe('the search for accounts', () => {
  const names = async (query: string) => {
    const { json } = await store.call('GET', `/v1/accounts?${query}`)
    return json.map(({ name }: { name: string }) => name)
  }

  test('finds a part of the name without regard to case and accents, page by page', async () => {
    for (const name of ['Paws & Co.', 'Zoë', 'ZOE 2', 'Straße', '100 %', 'Paws & Claws'])
      await store.call('POST', '/v1/accounts', { body: { name } })
    expect(await names('q=paws')).toEqual(['Paws & Co.', 'Paws & Claws'])
    expect(await names('q=zoe')).toEqual(['Zoë', 'ZOE 2'])
    expect(await names('q=STRASSE')).toEqual(['Straße'])
    expect(await names('q=%25')).toEqual(['100 %'])
    expect(await names('q=_')).toEqual([])
    expect(await names('q=undefined')).toEqual([])
    const first = await store.call('GET', '/v1/accounts?q=paws&limit=1')
    const [, next = ''] = /<(.*)>/.exec(first.headers.get('link') ?? '') ?? []
    const second = await store.call('GET', next)
    expect([first, second].map(({ json }) => json[0].name)).toEqual(['Paws & Co.', 'Paws & Claws'])
    expect(second.headers.get('link')).toBeNull()
  })

  test('has a text of 1 to 100 characters, and needs admin', async () => {
    for (const q of ['', 'x'.repeat(101)]) {
      expect((await store.call('GET', `/v1/accounts?q=${q}`)).json.code).toBe('invalid_parameter')
    }
    expect(await names(`q=${'🐾'.repeat(100)}`)).toEqual([])
    const { key } = await store.newKey({ plan: 'free' })
    expect((await store.call('GET', '/v1/accounts?q=a', { key })).status).toBe(403)
  })

  test.each([
    ['continues for some milliseconds until it has found one', 0.5, 1],
    ['then stops, and continues on the next page', 5, 7],
  ])('%s', (_, readingMs, expected) => {
    let nowMs = 0
    const { connection, tables, close } = openDatabase(':memory:', 0)
    const accounts = createAccountStore(tables, () => {}, { monotonic: () => (nowMs += readingMs) })
    connection.run(`
      INSERT INTO accounts (name, plan, created_at)
      WITH RECURSIVE ids(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM ids WHERE n < 50000)
      SELECT iif(n = 50000, 'Needle', 'Hay'), 'free', 0 FROM ids`)
    let [above, pages, found] = [0, 0, [] as string[]]
    do {
      const page = accounts.search('needle', pageRange('asc', above), 10)
      found = page.records.map(({ name }) => name)
      above = page.searchedTo ?? Number.MAX_SAFE_INTEGER
      pages++
    } while (above !== Number.MAX_SAFE_INTEGER)
    expect(found).toEqual(['Needle'])
    expect(pages).toBe(expected)
    close()
  })
})
