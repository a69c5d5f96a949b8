import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type OpenDatabase, openDatabase } from '../../database/open.ts'
import { openTestStore, type TestStore } from '../../testing/harness.ts'
import { createKeyStore } from './store.ts'

let database: OpenDatabase
let store: TestStore
beforeEach(async () => {
  database = openDatabase(':memory:', 0)
  store = await openTestStore({}, undefined, database)
})
afterEach(() => store.close())

const issue = async (body: object = { name: 'Website' }) => (await store.call('POST', '/v1/keys', { body })).json
const statusWith = async (key: string, path = '/v1/pets') => (await store.call('GET', path, { key })).status
const actions = async () => (await store.call('GET', '/v1/audit')).json.map((entry: { action: string }) => entry.action)

test('an issued key is shown once, works at once, and has all scopes but admin', async () => {
  const created = await store.call('POST', '/v1/keys', { body: { name: ' Website ' } })
  expect(created.status).toBe(201)
  expect(created.headers.get('location')).toBe('/v1/keys/2')
  expect(Object.keys(created.json)).toEqual(['id', 'accountId', 'name', 'plan', 'scopes', 'expiresAt', 'key'])
  expect(created.json).toMatchObject({ name: 'Website', plan: 'free', expiresAt: null })
  expect(created.json.scopes).not.toContain('admin')
  expect(await statusWith(created.json.key)).toBe(200)
  const listed = await store.call('GET', '/v1/keys')
  expect(listed.text).not.toContain(created.json.key)
  expect(listed.json[1]).toMatchObject({ id: 2, name: 'Website', prefix: created.json.key.slice(0, 13) })
})

test('keys of one account share its limits', async () => {
  const first = await issue({ name: 'One' })
  const second = await issue({ name: 'Two', accountId: first.accountId })
  await statusWith(first.key)
  const { headers } = await store.call('GET', '/v1/pets', { key: second.key })
  expect(headers.get('x-ratelimit-remaining')).toBe('58')
})

test('a revocation takes effect with the next request, and revoking again changes nothing', async () => {
  const { id, key } = await issue()
  expect(await statusWith(key)).toBe(200)
  expect((await store.call('DELETE', `/v1/keys/${id}`)).status).toBe(204)
  expect(await statusWith(key)).toBe(401)
  expect((await store.call('DELETE', `/v1/keys/${id}`)).status).toBe(204)
  expect(await actions()).toEqual(['key.revoked', 'key.created', 'account.created', 'key.created', 'account.created'])
})

test('a change of scopes or plan takes effect with the next request', async () => {
  const { id, accountId, key } = await issue()
  expect(await statusWith(key)).toBe(200)
  await store.call('PATCH', `/v1/keys/${id}`, { body: { scopes: ['orders:read'], name: 'Renamed' } })
  expect(await statusWith(key)).toBe(403)
  const changed = await store.call('PATCH', `/v1/accounts/${accountId}`, { body: { plan: 'pro' } })
  expect(changed.json).toMatchObject({ plan: 'pro', perMinute: 300, perDay: 10_000 })
  const current = await store.call('GET', '/v1/keys/current', { key })
  expect(current.headers.get('x-ratelimit-limit')).toBe('300')
  expect(current.json).toMatchObject({ name: 'Renamed', plan: 'pro', scopes: ['orders:read'] })
})

test('a key works until it expires, and its expiry can be removed', async () => {
  const expiresAt = new Date(store.clock.now() + 60_000).toISOString()
  const { id, key } = await issue({ name: 'Short', expiresAt })
  store.clock.advance(59_999)
  expect(await statusWith(key)).toBe(200)
  store.clock.advance(1)
  expect(await statusWith(key)).toBe(401)
  await store.call('PATCH', `/v1/keys/${id}`, { body: { expiresAt: null } })
  expect(await statusWith(key)).toBe(200)
})

test('rolling issues a successor with the same scopes, and the old key works for the overlap', async () => {
  const { id, key, accountId } = await issue({ name: 'Website', scopes: ['pets:read'] })
  const rolled = await store.call('POST', `/v1/keys/${id}/roll`, { body: { overlapSeconds: 3_600 } })
  expect(rolled.status).toBe(201)
  expect(rolled.json).toMatchObject({ accountId, name: 'Website', scopes: ['pets:read'], expiresAt: null })
  expect(rolled.headers.get('location')).toBe(`/v1/keys/${rolled.json.id}`)
  const again = await store.call('POST', `/v1/keys/${id}/roll`, { body: {} })
  expect(again.json).toMatchObject({ code: 'conflict', status: 409 })
  expect(again.json.message).toContain(`already been rolled into key ${rolled.json.id}`)
  store.clock.advance(3_599_999)
  expect([await statusWith(key), await statusWith(rolled.json.key)]).toEqual([200, 200])
  store.clock.advance(1)
  expect([await statusWith(key), await statusWith(rolled.json.key)]).toEqual([401, 200])
  expect((await store.call('POST', `/v1/keys/${id}/roll`, { body: {} })).json.code).toBe('conflict')
})

test('a key that was created while the clock was fast is rolled into one that lives as long as it has left', async () => {
  const rightMs = store.clock.now()
  store.clock.setWall(rightMs + 3_650 * 86_400_000)
  const { id } = await issue()
  store.clock.setWall(rightMs)
  const expiresAt = new Date(rightMs + 90 * 86_400_000).toISOString()
  expect((await store.call('PATCH', `/v1/keys/${id}`, { body: { expiresAt } })).status).toBe(200)
  const rolled = await store.call('POST', `/v1/keys/${id}/roll`, { body: {} })
  expect([rolled.status, rolled.json.expiresAt]).toEqual([201, expiresAt])
})

test('the current key is returned with its scopes, its limits and its usage, including this request', async () => {
  const { id, key, accountId, scopes } = await issue()
  await statusWith(key)
  const current = await store.call('GET', '/v1/keys/current', { key })
  expect(current.json).toEqual({
    id,
    accountId,
    name: 'Website',
    plan: 'free',
    scopes,
    expiresAt: null,
    environment: 'production',
    limits: { perMinute: 60, perDay: 1_000 },
    used: { minute: 2, day: 2 },
  })
  expect(current.headers.get('cache-control')).toBe('no-store')
})

test('the last use of a key is in every response at once, even after it was revoked', async () => {
  const { id, key } = await issue()
  const get = async () => (await store.call('GET', `/v1/keys/${id}`)).json.lastUsedAt
  const listed = async () => (await store.call('GET', '/v1/keys')).json[1].lastUsedAt
  expect([await get(), await listed()]).toEqual([null, null])
  await statusWith(key)
  store.clock.advance(1_000)
  await statusWith(key)
  const usedAt = new Date(store.clock.now()).toISOString()
  store.clock.advance(1_000)
  expect([await get(), await listed()]).toEqual([usedAt, usedAt])
  await store.call('DELETE', `/v1/keys/${id}`)
  expect(await get()).toBe(usedAt)
})

test('the time of the last use of a key is stored within ten seconds, without a write per request', async () => {
  const { id, key } = await issue()
  const stored = () => createKeyStore(database.tables).find(id)?.lastUsedAt
  await statusWith(key)
  expect(stored()).toBeNull()
  const usedAt = store.clock.now()
  store.clock.advance(10_000)
  await new Promise((resolve) => setImmediate(resolve))
  expect(stored()).toBe(usedAt)
})

test('a ban is shown and audited, and lifting it takes effect with the next request', async () => {
  const { key, id } = await store.newKey({ plan: 'free' })
  for (let i = 0; i < 61; i++) await statusWith(key)
  store.clock.advance(3_000)
  for (let i = 0; i < 20; i++) await statusWith(key)
  const banned = await store.call('GET', '/v1/pets', { key })
  expect(banned.json).toMatchObject({ code: 'key_banned', status: 429 })
  expect(banned.headers.get('x-ratelimit-remaining')).toBe('0')
  expect(banned.headers.get('retry-after')).toBe('600')
  await new Promise((resolve) => setImmediate(resolve))
  const until = new Date(store.clock.now() + 600_000).toISOString()
  expect((await store.call('GET', `/v1/keys/${id}`)).json.bannedUntil).toBe(until)
  expect((await store.call('DELETE', `/v1/keys/${id}/ban`)).status).toBe(204)
  store.clock.advance(61_000)
  expect(await statusWith(key)).toBe(200)
  expect((await actions()).slice(0, 2)).toEqual(['key.unbanned', 'key.banned'])
})

test('a key with contradictory settings is rejected with the reason, and nothing is created', async () => {
  const cases: [object, string][] = [
    [{}, 'name is required'],
    [{ name: 'x', accountId: 1, plan: 'pro' }, 'leave them out with accountId'],
    [{ name: 'x', plan: 'enterprise', perDay: 1 }, 'needs both perMinute and perDay'],
    [{ name: 'x', plan: 'pro', perDay: 1 }, 'on the enterprise plan only'],
    [{ name: 'x', scopes: [] }, 'scopes'],
    [{ name: 'x', scopes: ['all'] }, 'must be one of pets:read'],
    [{ name: 'x', scopes: ['admin', 'admin'] }, 'scopes'],
    [{ name: 'x', expiresAt: 'tomorrow' }, 'expiresAt'],
    [{ name: 'x', expiresAt: new Date(store.clock.now()).toISOString() }, 'expiresAt must not be in the past'],
  ]
  for (const [body, words] of cases) {
    const response = await store.call('POST', '/v1/keys', { body })
    expect(response.json).toMatchObject({ code: 'invalid_body', status: 400 })
    expect(response.json.message).toContain(words)
  }
  expect((await store.call('GET', '/v1/keys')).json).toHaveLength(1)
  expect((await store.call('GET', '/v1/accounts')).json).toHaveLength(1)
})

test('an unknown or malformed id is not found', async () => {
  for (const path of ['/v1/keys/99', '/v1/keys/x', '/v1/accounts/99', '/v1/accounts/0', '/v1/accounts/99/usage']) {
    expect(await statusWith(store.key, path)).toBe(404)
  }
  expect((await store.call('DELETE', '/v1/keys/99')).status).toBe(404)
  expect((await store.call('POST', '/v1/keys', { body: { name: 'x', accountId: 99 } })).json.code).toBe('not_found')
})

test('the audit log lists actors and actions in pages, the newest first', async () => {
  for (const name of ['a', 'b', 'c']) await issue({ name })
  const first = await store.call('GET', '/v1/audit?limit=2')
  expect(first.json[1]).toMatchObject({ actor: 'key:1', action: 'account.created' })
  expect(first.json[0]).toMatchObject({ actor: 'key:1', action: 'key.created', keyId: 4, details: { name: 'c' } })
  const next = /<([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
  const second = await store.call('GET', next)
  expect(second.json[0].id).toBe(first.json[1].id - 1)
  expect(second.text).not.toContain('sha256')
})

test('a change that leaves an account, a key or a project as it is, is not recorded', async () => {
  const { accountId, id } = await issue({ name: 'a', plan: 'enterprise', perMinute: 5, perDay: 9 })
  await store.call('POST', '/v1/projects', { body: { name: 'Paws' } })
  const paths = [`/v1/accounts/${accountId}`, `/v1/keys/${id}`, '/v1/projects/1']
  const recorded = async () => (await store.call('GET', '/v1/audit?limit=100')).json.length
  const before = await recorded()
  for (const path of paths) {
    const { json } = await store.call('GET', path)
    for (const body of [{}, json]) {
      const patched = await store.call('PATCH', path, { body })
      expect([path, patched.status, patched.json]).toEqual([path, 200, json])
    }
  }
  expect(await recorded()).toBe(before)
  for (const path of paths) await store.call('PATCH', path, { body: { name: 'b' } })
  expect(await recorded()).toBe(before + 3)
})
