import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { zipOf } from '../../hosting/deploys/testing/per-test.ts'
import { emptyFolder, isBuilt, startPetstoreProcess } from '../../testing/executable.ts'
import { type CallResult, openTestStore, type TestStore } from '../../testing/harness.ts'

let store: TestStore
beforeEach(async () => {
  store = await openTestStore()
})
afterEach(() => store.close())

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const pet = { name: 'Ada', categoryId: 1 }

const post = (idempotencyKey: string, body: unknown = pet, path = '/v1/pets', key = store.key) =>
  store.call('POST', path, { body, key, headers: { 'Idempotency-Key': idempotencyKey } })
const petCount = async () => (await store.call('GET', '/v1/pets?limit=100')).json.length

test('the same request with the same key is performed once and receives the first response again', async () => {
  const first = await post('order-1')
  const again = await post('order-1')
  expect(first.headers.get('idempotent-replayed')).toBeNull()
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect([again.status, again.text]).toEqual([201, first.text])
  for (const name of ['etag', 'location']) expect(again.headers.get(name)).toBe(first.headers.get(name))
  expect(await petCount()).toBe(1)
})

test('a request that receives a replayed response still counts towards the limits', async () => {
  const first = await post('order-1')
  const again = await post('order-1')
  const remaining = (response: typeof first) => Number(response.headers.get('x-ratelimit-remaining'))
  expect(remaining(again)).toBe(remaining(first) - 1)
})

test('a request with another body or path and the same key is rejected and changes nothing', async () => {
  await post('order-1')
  const error = { code: 'idempotency_key_reused', status: 422 }
  expect((await post('order-1', { ...pet, name: 'Bea' })).json).toMatchObject(error)
  expect((await post('order-1', { name: 'Toys' }, '/v1/categories')).json).toMatchObject(error)
  expect(await petCount()).toBe(1)
})

test('of concurrent requests with one Idempotency-Key one is performed, and the others get 409 or 422', async () => {
  const twins = await Promise.all([post('twin'), post('twin'), post('twin', { ...pet, name: 'Other' })])
  expect(twins.map(({ status }) => status).sort()).toEqual([201, 409, 422])
  expect(await petCount()).toBe(1)
  expect((await post('twin')).headers.get('idempotent-replayed')).toBe('true')
})

test('any number of concurrent repetitions of a finished request get its response', async () => {
  const first = await post('order-1')
  const again = await Promise.all(Array.from({ length: 20 }, () => post('order-1')))
  for (const { status, text, headers } of again) {
    expect([status, text, headers.get('idempotent-replayed')]).toEqual([201, first.text, 'true'])
  }
  expect(await petCount()).toBe(1)
})

test('a key that may not see the record of another key of its account gets 404 instead of the stored response', async () => {
  const { accountId } = await store.newKey()
  const own = { accountId: 1, scopes: ['orders:write', 'orders:read', 'projects:write', 'pets:write'] }
  const { key } = (await store.call('POST', '/v1/keys', { body: { name: 'Till', ...own } })).json
  await store.call('POST', '/v1/pets', { body: pet })
  await store.call('POST', '/v1/pets', { body: pet })
  const archive = { 'Content-Type': 'application/zip', 'Idempotency-Key': 'deploy' }
  const rawBody = new Blob([zipOf({ 'index.html': 'Welcome' }) as Uint8Array<ArrayBuffer>])
  const requests: ((as: string) => Promise<CallResult>)[] = [
    (as) => post('order', { petId: 1, accountId }, '/v1/store/orders', as),
    (as) => post('cancel', {}, '/v1/store/orders/1/cancel', as),
    (as) => post('project', { name: 'Paws', accountId }, '/v1/projects', as),
    (as) => store.call('POST', '/v1/projects/1/deploys', { key: as, headers: archive, rawBody }),
    (as) => post('promote', {}, '/v1/projects/1/deploys/1/promote', as),
  ]
  for (const send of requests) {
    const first = await send(store.key)
    const hidden = await send(key)
    expect([hidden.status, hidden.json.code]).toEqual([404, 'not_found'])
    expect(hidden.headers.get('idempotent-replayed')).toBeNull()
    expect((await send(store.key)).text).toBe(first.text)
  }
  // What the account itself owns is seen by all of its keys.
  const order = await post('own', { petId: 2 }, '/v1/store/orders')
  expect((await post('own', { petId: 2 }, '/v1/store/orders', key)).text).toBe(order.text)
})

test('an error is not stored: once its cause is gone, the same request succeeds', async () => {
  const { json } = await store.call('POST', '/v1/pets', { body: { ...pet, status: 'sold' } })
  const order = { petId: json.id }
  expect((await post('order-1', order, '/v1/store/orders')).status).toBe(409)
  await store.call('PATCH', `/v1/pets/${json.id}`, { body: { status: 'available' } })
  expect((await post('order-1', order, '/v1/store/orders')).status).toBe(201)
})

test('responses are stored for 24 hours; then the key can be used for a new request', async () => {
  await post('order-1')
  store.clock.skip(dayMs - 1)
  expect((await post('order-1')).headers.get('idempotent-replayed')).toBe('true')
  store.clock.skip(1)
  expect((await post('order-1')).headers.get('idempotent-replayed')).toBeNull()
  expect(await petCount()).toBe(2)
})

const tenYearsMs = 3_650 * dayMs

test.each([tenYearsMs, -tenYearsMs])(
  'a clock that is wrong by %d ms for a moment loses no response',
  async (wrongMs) => {
    const sweep = async () => {
      store.clock.advance(10_000)
      await new Promise((resolve) => setImmediate(resolve))
    }
    const isReplayed = async (key: string) => (await post(key)).headers.get('idempotent-replayed') === 'true'
    await post('right')
    store.clock.skip(hourMs)
    store.clock.setWall(store.clock.now() + wrongMs)
    await sweep()
    expect(await isReplayed('right')).toBe(true)
    await post('wrong')
    store.clock.setWall(store.clock.now() - wrongMs)
    for (let i = 0; i < 2; i++) {
      await sweep()
      expect(await isReplayed('right')).toBe(true)
      // Whether it was stored in the future or ten years ago.
      expect(await isReplayed('wrong')).toBe(i === 0 || wrongMs > 0)
      store.clock.skip(hourMs)
    }
  },
)

test('a response is replayed after the clock was corrected by an hour', async () => {
  await post('order-1')
  store.clock.setWall(store.clock.now() - hourMs)
  expect((await post('order-1')).headers.get('idempotent-replayed')).toBe('true')
})

test('a stored response is deleted when it is a day old and not before', async () => {
  const kept = () =>
    Array.from({ length: 3 }, (_, i) => store.app.storedResponses.find(1, `order-${i}`, 0)).filter(Boolean).length
  const sweep = async () => {
    store.clock.advance(10_000)
    await new Promise((resolve) => setImmediate(resolve))
  }
  for (let i = 0; i < 3; i++) await post(`order-${i}`)
  store.clock.skip(dayMs - 20_001)
  await sweep()
  expect(kept()).toBe(3)
  store.clock.skip(10_001)
  await sweep()
  expect(kept()).toBe(0)
})

test('the same Idempotency-Key of another account is another key', async () => {
  const partner = await store.newKey()
  await post('order-1')
  expect((await post('order-1', pet, '/v1/pets', partner.key)).headers.get('idempotent-replayed')).toBeNull()
  expect(await petCount()).toBe(2)
})

test('replaying the creation of a key shows no key', async () => {
  const first = await post('key-1', { name: 'Website' }, '/v1/keys')
  const again = await post('key-1', { name: 'Website' }, '/v1/keys')
  expect(first.json.key).toStartWith('pet_live_')
  expect(again.json).toEqual({ ...first.json, key: null })
  expect((await store.call('GET', '/v1/keys')).json).toHaveLength(2)
  expect(again.headers.get('etag')).toBe((await store.call('GET', `/v1/keys/${first.json.id}`)).headers.get('etag'))
})

test('every POST accepts an Idempotency-Key, even without a body', async () => {
  await store.call('POST', '/v1/pets', { body: pet })
  await store.call('POST', '/v1/store/orders', { body: { petId: 1 } })
  const approve = () =>
    store.call('POST', '/v1/store/orders/1/approve', { headers: { 'Idempotency-Key': 'approve-1' } })
  const first = await approve()
  const again = await approve()
  expect([first.status, again.status, again.text]).toEqual([200, 200, first.text])
  const account = () => post('account-1', { name: 'Paws' }, '/v1/accounts')
  expect((await account()).json.id).toBe((await account()).json.id)
  const roll = () => post('roll-1', { overlapSeconds: 60 }, '/v1/keys/1/roll')
  expect([(await roll()).json.key === null, (await roll()).json.key]).toEqual([false, null])
})

test('an Idempotency-Key has 1 to 255 characters and no control characters', async () => {
  expect((await post('k'.repeat(255))).status).toBe(201)
  const long = await post('k'.repeat(256))
  expect(long.json).toMatchObject({ code: 'invalid_parameter', status: 400 })
  expect(long.json.message).toContain('Idempotency-Key')
  expect((await post('tab\there')).status).toBe(400)
})

describe.skipIf(!isBuilt)('after kill -9', () => {
  test('a retry gets the response that was sent before, and a request without a response is performed once', async () => {
    const folder = emptyFolder()
    const first = await startPetstoreProcess([], { cwd: folder.path })
    const headers = {
      Authorization: `Bearer ${first.ready.key}`,
      'Content-Type': 'application/json',
    }
    const add = (url: string, n: number) =>
      fetch(`${url}/v1/pets`, {
        method: 'POST',
        headers: { ...headers, 'Idempotency-Key': `add-${n}` },
        body: JSON.stringify({ name: `Animal ${n}`, categoryId: 1 }),
      })
    const sent = Array.from({ length: 60 }, (_, n) => add(first.ready.url, n).catch(() => undefined))
    await sent[20]
    await first.kill()
    const responses = await Promise.all(sent)

    const second = await startPetstoreProcess([], { cwd: folder.path })
    for (const [n, before] of responses.entries()) {
      const retry = await add(second.ready.url, n)
      expect(retry.status).toBe(201)
      if (before)
        expect([retry.headers.get('idempotent-replayed'), await retry.text()]).toEqual(['true', await before.text()])
    }
    const pets = await fetch(`${second.ready.url}/v1/pets?limit=100`, { headers })
    const names = ((await pets.json()) as { name: string }[]).map(({ name }) => name)
    expect(names.sort()).toEqual(Array.from({ length: 60 }, (_, n) => `Animal ${n}`).sort())
    await second.kill()
    folder.remove()
  })
})
