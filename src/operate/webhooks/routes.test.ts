import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Scope } from '../../api/scopes.ts'
import { openWebhookStore } from './testing/open.ts'
import { startReceiver, type TestReceiver } from './testing/receiver.ts'

let store: Awaited<ReturnType<typeof openWebhookStore>>
let receiver: TestReceiver

beforeAll(() => {
  receiver = startReceiver()
})
afterAll(() => receiver.stop())
beforeEach(async () => {
  store = await openWebhookStore()
})
afterEach(() => store.close())

const partner: readonly Scope[] = ['pets:read', 'orders:read', 'webhooks:read', 'webhooks:write']
const url = 'https://partner.example/hook'

test('a webhook is created with its secret, which no other response has', async () => {
  const { secret, ...created } = await store.create({ url, types: ['pet.*'], description: ' Newsletter ' })
  expect(secret).toMatch(/^whsec_/)
  expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32)
  expect(created).toEqual({
    id: 1,
    accountId: 1,
    url,
    types: ['pet.*'],
    orders: 'own',
    description: 'Newsletter',
    enabled: true,
    state: 'working',
    pending: 0,
    createdAt: '2026-11-20T10:15:00.000Z',
    lastDelivery: null,
  })
  expect(await store.get(1)).toEqual(created)
  expect((await store.call('GET', '/v1/webhooks')).json).toEqual([created])
})

test('a repeated request with the same Idempotency-Key does not show the secret again', async () => {
  const options = { body: { url, types: ['pet.*'] }, headers: { 'Idempotency-Key': 'one' } }
  await store.call('POST', '/v1/webhooks', options)
  const { headers, json } = await store.call('POST', '/v1/webhooks', options)
  expect([headers.get('idempotent-replayed'), json.id, json.secret]).toEqual(['true', 1, null])
})

test('keys have the scopes of webhooks only on request', async () => {
  const { key } = await store.newKey()
  expect((await store.call('GET', '/v1/webhooks', { key })).status).toBe(403)
  expect((await store.call('POST', '/v1/webhooks', { key, body: { url, types: ['pet.*'] } })).status).toBe(403)
})

test('webhooks of another account are not found, and admin sees all', async () => {
  const one = await store.newKey({ scopes: partner })
  const other = await store.newKey({ scopes: partner })
  const { id, accountId } = await store.create({ url, types: ['pet.*'] }, one.key)
  expect(accountId).toBe(one.accountId)
  for (const [method, path] of [
    ['GET', ''],
    ['DELETE', ''],
    ['POST', '/secret'],
    ['POST', '/test'],
    ['GET', '/deliveries'],
  ] as const) {
    expect((await store.call(method, `/v1/webhooks/${id}${path}`, { key: other.key })).status).toBe(404)
  }
  expect((await store.call('GET', '/v1/webhooks', { key: other.key })).json).toEqual([])
  expect((await store.get(id)).accountId).toBe(one.accountId)
  const body = { url, types: ['pet.*'], accountId: other.accountId }
  expect((await store.call('POST', '/v1/webhooks', { key: one.key, body })).json.code).toBe('insufficient_scope')
  expect((await store.create(body)).accountId).toBe(other.accountId)
  expect((await store.call('POST', '/v1/webhooks', { body: { ...body, accountId: 99 } })).status).toBe(404)
})

test('a key subscribes only to what it may see', async () => {
  const { key } = await store.newKey({ scopes: ['orders:read', 'webhooks:write'] })
  const create = (body: object) => store.call('POST', '/v1/webhooks', { key, body: { url, ...body } })
  expect((await create({ types: ['order.*', 'pet.created'] })).json).toEqual({
    code: 'insufficient_scope',
    status: 403,
    message: 'The API key that creates the webhook may not see pet.created: that needs the scope pets:read.',
  })
  const { key: other } = await store.newKey({ scopes: ['webhooks:write'] })
  const { json } = await store.call('POST', '/v1/webhooks', { key: other, body: { url, types: ['order.*'] } })
  expect(json.message).toEndWith('may not see order.*: that needs the scope orders:read or orders:manage.')
  expect((await create({ types: ['order.*'], orders: 'all' })).json.message).toContain('orders:manage')
  expect((await create({ types: ['key.*'] })).status).toBe(403)
  expect((await create({ types: ['order.*'] })).status).toBe(201)
})

test('a key that may see less cannot send the events of a webhook elsewhere', async () => {
  const { accountId } = await store.newKey({ scopes: partner })
  const { json: weak } = await store.call('POST', '/v1/keys', {
    body: { name: 'Weak', accountId, scopes: ['pets:read', 'webhooks:read', 'webhooks:write'] },
  })
  const { id } = await store.create({ url: 'HTTPS://Partner.example/hook', types: ['key.*'], accountId })
  const patch = { key: weak.key, body: { url: 'https://elsewhere.example/' } }
  expect((await store.call('PATCH', `/v1/webhooks/${id}`, patch)).json.code).toBe('insufficient_scope')
  expect((await store.call('POST', `/v1/webhooks/${id}/secret`, { key: weak.key })).status).toBe(403)
  expect((await store.get(id)).url).toBe(url)
  const messageOf = async (webhook: { id: number }) =>
    (await store.call('POST', `/v1/webhooks/${webhook.id}/secret`, { key: weak.key })).json.message
  expect(await messageOf({ id })).toBe('This API key lacks the scope admin.')
  const { json: strong } = await store.call('POST', '/v1/keys', {
    body: { name: 'Strong', accountId, scopes: [...partner, 'orders:manage', 'projects:read'] },
  })
  const other = await store.create({ url, types: ['pet.*'] }, strong.key)
  expect(await messageOf(other)).toBe('This API key lacks the scopes orders:read, orders:manage, projects:read.')
})

test.each([
  [{ url: 'ftp://partner.example/', types: ['pet.*'] }, 'url must be an address such as https://partner.example/hook.'],
  [{ url: 'partner.example/hook', types: ['pet.*'] }, 'url must be an address such as https://partner.example/hook.'],
  [{ url: 'https://jo:secret@partner.example/', types: ['pet.*'] }, 'user name or password'],
  [{ url: 'https://partner.example/#part', types: ['pet.*'] }, 'fragment'],
  [{ url: 'https://10.0.0.1/', types: ['pet.*'] }, 'not on the public internet (private)'],
  [{ url: 'https://0x7f000001.example/', types: [] }, 'types'],
  [{ url: 'https://[::ffff:169.254.169.254]/', types: ['pet.*'] }, 'not on the public internet'],
  [{ url: 'https://2852039166/', types: ['pet.*'] }, '169.254.169.254 is not on the public internet (link-local)'],
  [{ url, types: ['pet.crated'] }, 'does not exist, `pet.crated`: did you mean `pet.created`?'],
  [{ url, types: 'pet.*' }, 'types must'],
  [{ url, types: ['pet.*'], orders: 'mine' }, 'orders must be one of own, all'],
  [{ url, types: ['pet.*'], secret: 'whsec_x' }, 'secret'],
  [{ url: `https://partner.example/${'a'.repeat(2_000)}`, types: ['pet.*'] }, 'url'],
])('%o is rejected', async (body, message) => {
  const { status, json } = await store.call('POST', '/v1/webhooks', { body })
  expect([status, json.code]).toEqual([400, 'invalid_body'])
  expect(json.message).toContain(message)
  expect(json.message).toMatch(/[^?]\.$|\w`\?$/)
})

test('without --webhook-network, http is rejected', async () => {
  const plain = await openWebhookStore({ webhookNetworks: [] })
  const { json } = await plain.call('POST', '/v1/webhooks', { body: { url: receiver.url, types: ['pet.*'] } })
  expect(json.message).toBe('url must begin with https://.')
  await plain.close()
})

test('an account has at most 20 webhooks', async () => {
  const { key } = await store.newKey({ scopes: partner })
  for (let i = 0; i < 20; i++) await store.create({ url, types: ['pet.*'] }, key)
  const body = { url, types: ['pet.*'] }
  expect((await store.call('POST', '/v1/webhooks', { key, body })).json.code).toBe('conflict')
  await store.call('DELETE', '/v1/webhooks/1', { key })
  await store.create(body, key)
})

test('an empty description becomes null', async () => {
  expect((await store.create({ url, types: ['pet.*'], description: '  ' })).description).toBeNull()
  const { json } = await store.call('PATCH', '/v1/webhooks/1', { body: { description: '' } })
  expect(json.description).toBeNull()
})

test('its settings are changed, with preconditions, and the change is in the audit log', async () => {
  await store.create({ url, types: ['pet.*'], description: 'Old' })
  const { headers, json } = await store.call('GET', '/v1/webhooks/1')
  const etag = headers.get('etag') ?? ''
  const patch = { types: ['order.placed'], orders: 'all', description: null }
  const changed = await store.call('PATCH', '/v1/webhooks/1', { body: patch, headers: { 'If-Match': etag } })
  expect(changed.json).toEqual({ ...json, ...patch })
  const again = await store.call('PATCH', '/v1/webhooks/1', { body: patch, headers: { 'If-Match': etag } })
  expect(again.status).toBe(412)
  // What was read can be sent back.
  expect((await store.call('PATCH', '/v1/webhooks/1', { body: changed.json })).json).toEqual(changed.json)
  expect((await store.call('PATCH', '/v1/webhooks/1', { body: { from: 'now' } })).json.message).toContain('enabled')
  await store.call('DELETE', '/v1/webhooks/1')
  expect((await store.call('GET', '/v1/webhooks/1')).status).toBe(404)
  const { json: entries } = await store.call('GET', '/v1/audit?action=webhook')
  expect(entries.map(({ action }: { action: string }) => action)).toEqual([
    'webhook.deleted',
    'webhook.changed',
    'webhook.created',
  ])
  expect(JSON.stringify(entries)).not.toContain('whsec_')
})

describe('a test event', () => {
  test('shows the response of the receiver, and changes nothing', async () => {
    const { id } = await store.create({ url: receiver.url, types: ['pet.*'] })
    const { json } = await store.call('POST', `/v1/webhooks/${id}/test`)
    expect(json).toMatchObject({ delivered: true, status: 200, error: null, response: null })
    const { headers, json: sent } = receiver.received.at(-1) as (typeof receiver.received)[number]
    expect(sent).toMatchObject({ type: 'webhook.test', timestamp: '2026-11-20T10:15:00.000Z', data: { webhookId: id } })
    expect(sent.id).toStartWith('evt_test_')
    expect(headers.get('webhook-id')).toBe(sent.id)
    expect((await store.get(id)).lastDelivery).toBeNull()
    expect((await store.call('GET', '/v1/events')).text).not.toContain('webhook.test')
  })

  test('shows what failed, with the response', async () => {
    receiver.answer(() => new Response('no\0 hooks here', { status: 404 }))
    const { id } = await store.create({ url: receiver.url, types: ['pet.*'] })
    const { json } = await store.call('POST', `/v1/webhooks/${id}/test`)
    receiver.answer(() => new Response())
    expect(json).toMatchObject({
      delivered: false,
      status: 404,
      error: 'The receiver responded with 404.',
      response: 'no hooks here',
    })
  })
})
