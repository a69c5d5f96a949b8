import { afterEach, beforeEach, expect, test } from 'bun:test'
import { openTestStore, type TestStore } from '../testing/harness.ts'
import { startPetstore, type TestPetstore } from '../testing/start-petstore.ts'

const shop = 'https://shop.example'
let store: TestStore
beforeEach(async () => {
  store = await openTestStore({ corsOrigins: [shop, 'https://other.example'] })
})
afterEach(() => store.close())

/** Sends a preflight like a browser, without the harness's check: a preflight is not an operation of the document. */
const preflight = (headers: Record<string, string>, path = '/v1/pets') =>
  store.app.api.fetch(new Request(`http://localhost${path}`, { method: 'OPTIONS', headers }))
const preflightHeaders = {
  'Access-Control-Request-Method': 'PATCH',
  'Access-Control-Request-Headers': 'authorization,if-match',
}

test('a preflight of an allowed origin needs no key, counts towards no limit and permits every method and header', async () => {
  for (const path of ['/v1/pets', '/v1/pets/1', '/v1/nowhere']) {
    const response = await preflight({ Origin: shop, ...preflightHeaders }, path)
    expect([response.status, await response.text()]).toEqual([204, ''])
    expect(response.headers.get('access-control-allow-origin')).toBe(shop)
    expect(response.headers.get('access-control-allow-methods')).toBe('GET, HEAD, POST, PUT, PATCH, DELETE')
    const permitted = (response.headers.get('access-control-allow-headers') ?? '').toLowerCase().split(', ')
    for (const name of ['authorization', 'content-type', 'idempotency-key', 'if-match', 'if-none-match']) {
      expect(permitted).toContain(name)
    }
    expect(Number(response.headers.get('access-control-max-age'))).toBeGreaterThan(0)
    expect(response.headers.get('vary')).toBe('Origin')
  }
  const first = await store.call('GET', '/v1/pets')
  expect(first.headers.get('x-ratelimit-remaining')).toBe('999')
  const stranger = await store.call('GET', '/v1/pets', { key: null })
  expect(stranger.headers.get('x-ratelimit-remaining')).toBe('599')
})

test('a preflight of another origin, and an OPTIONS that is not a preflight, need a key like other requests', async () => {
  for (const headers of [{ Origin: 'https://evil.example', ...preflightHeaders }, preflightHeaders, { Origin: shop }]) {
    const response = await preflight(headers)
    expect(response.status).toBe(401)
    expect(response.headers.get('access-control-allow-methods')).toBeNull()
  }
})

test('pages of an allowed origin can read every response, including 401 and 429', async () => {
  const { key } = await store.newKey({ plan: 'free' })
  const send = (callKey: string | null, path = '/v1/pets') =>
    store.call('GET', path, { key: callKey, headers: { Origin: shop } })
  const responses = [
    await send(key),
    await send(null),
    await send(key, '/v1/pets?limit=0'),
    await send(key, '/v1/pets/9'),
  ]
  for (let i = 0; i < 60; i++) responses.push(await send(key))
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200, 401, 400, 404, 429]))
  for (const { headers } of responses) {
    expect(headers.get('access-control-allow-origin')).toBe(shop)
    expect(headers.get('vary')).toBe('Origin')
    const exposed = (headers.get('access-control-expose-headers') ?? '').split(', ')
    for (const name of ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'Retry-After', 'Link']) {
      expect(exposed).toContain(name)
    }
    for (const name of [
      'ETag',
      'Location',
      'X-Request-Id',
      'Deprecation',
      'Sunset',
      'Idempotent-Replayed',
      'Content-Disposition',
    ]) {
      expect(exposed).toContain(name)
    }
  }
})

test('another origin gets no CORS headers, but Vary tells caches that the response depends on the origin', async () => {
  const response = await store.call('GET', '/v1/pets', { headers: { Origin: 'https://evil.example' } })
  expect(response.headers.get('access-control-allow-origin')).toBeNull()
  expect(response.headers.get('access-control-expose-headers')).toBeNull()
  expect(response.headers.get('vary')).toBe('Origin')
})

test('without a configured origin no CORS headers are sent', async () => {
  const closed: TestPetstore = await startPetstore()
  const response = await fetch(`${closed.url}/v1/pets`, {
    method: 'OPTIONS',
    headers: { Origin: shop, ...preflightHeaders },
  })
  expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([401, null])
  await closed.stop()
})
