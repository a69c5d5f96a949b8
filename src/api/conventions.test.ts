import { afterEach, beforeEach, expect, test } from 'bun:test'
import { endpoints } from '../app/api.ts'
import { openTestStore, type TestStore } from '../testing/harness.ts'
import { scopes } from './scopes.ts'

let store: TestStore
beforeEach(async () => {
  store = await openTestStore()
})
afterEach(() => store.close())

const problem = (code: string, status: number) => ({ code, status, message: expect.any(String) })

test('without a key every path responds with 401, including unknown paths and malformed bodies', async () => {
  const requests = [
    ['GET', '/v1/pets', undefined],
    ['POST', '/v1/pets', '{ this is no JSON'],
    ['GET', '/v1/nowhere', undefined],
    ['DELETE', '/v1/pets', undefined],
    ['PROPFIND', '/v1/pets', undefined],
    ['OPTIONS', '/v1/pets', undefined],
  ] as const
  for (const [method, path, rawBody] of requests) {
    const response = await store.call(method, path, { key: null, ...(rawBody ? { rawBody } : {}) })
    expect(response.json).toEqual(problem('missing_api_key', 401))
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="petstore"')
  }
})

test('a malformed, unknown, expired or revoked key, or one of the other environment, is rejected with the reason', async () => {
  const staging = await openTestStore({ environment: 'staging' })
  const expiring = await store.newKey({ expiresAt: store.clock.now() + 1_000 })
  const revoked = await store.newKey()
  await store.call('DELETE', `/v1/keys/${revoked.id}`)
  store.clock.advance(1_000)
  const unknown = (await staging.newKey()).key.replace('pet_test_', 'pet_live_')
  const cases = [
    ['pet_live_nonsense', 'invalid_api_key', 'copied all of it'],
    [unknown, 'invalid_api_key', 'not known here'],
    [staging.key, 'invalid_api_key', 'staging key'],
    [expiring.key, 'expired_api_key', 'expired'],
    [revoked.key, 'revoked_api_key', 'revoked'],
  ] as const
  for (const [key, code, words] of cases) {
    const response = await store.call('GET', '/v1/pets', { key })
    expect(response.json).toEqual(problem(code, 401))
    expect(response.json.message).toContain(words)
    expect(response.headers.get('www-authenticate')).toContain('error="invalid_token"')
    expect(response.text).not.toContain(key)
  }
  await staging.close()
})

test('a key is accepted only in the Authorization header, with the scheme in any case', async () => {
  expect((await store.call('GET', `/v1/pets?access_token=${store.key}`, { key: null })).status).toBe(401)
  const headers = { Authorization: `bEaReR ${store.key}` }
  expect((await store.call('GET', '/v1/pets', { key: null, headers })).status).toBe(200)
  expect((await store.call('GET', '/v1/pets', { key: null, headers: { Authorization: 'Basic eDp5' } })).json).toEqual(
    problem('missing_api_key', 401),
  )
})

test('a key in quotation marks and a scheme that is given twice are named', async () => {
  for (const [authorization, words] of [
    [`Bearer Bearer ${store.key}`, 'has "Bearer" twice'],
    [`bearer  BEARER Bearer ${store.key}`, 'has "Bearer" twice'],
    [`Bearer "${store.key}"`, 'in quotation marks'],
    [`Bearer '${store.key}'`, 'in quotation marks'],
    [`Bearer ${store.key}"`, 'in quotation marks'],
  ] as const) {
    const response = await store.call('GET', '/v1/pets', { key: null, headers: { Authorization: authorization } })
    expect(response.json).toEqual(problem('invalid_api_key', 401))
    expect(response.json.message).toContain(words)
    expect(response.text).not.toContain(store.key)
  }
})

test('errors are checked in this order: 404 and 405, 403, 413, 415, 400', async () => {
  const reader = await store.newKey({ scopes: ['pets:read'] })
  const big = 'x'.repeat(1_048_577)
  const text = { 'Content-Type': 'text/plain' }
  const json = { 'Content-Type': 'application/json' }
  const post = (key: string, rawBody: string, headers: Record<string, string>) =>
    store.call('POST', '/v1/pets', { key, rawBody, headers })
  expect((await store.call('POST', '/v1/nowhere', { key: reader.key, rawBody: big })).status).toBe(404)
  expect((await store.call('PUT', '/v1/pets', { key: reader.key, rawBody: big })).status).toBe(405)
  expect((await post(reader.key, big, text)).json).toEqual(problem('insufficient_scope', 403))
  expect((await post(store.key, big, text)).json).toEqual(problem('payload_too_large', 413))
  expect((await post(store.key, '{', text)).json).toEqual(problem('unsupported_media_type', 415))
  expect((await post(store.key, '{', json)).json).toEqual(problem('malformed_json', 400))
  expect((await post(store.key, '{}', json)).json).toEqual(problem('invalid_body', 400))
})

test('every operation refuses a key with all scopes but its own, and names those that would do', async () => {
  const values: Readonly<Record<string, string>> = { hostname: 'www.shop.example', image: 'logo' }
  for (const [id, { method, path, scope }] of Object.entries(endpoints)) {
    const needed: readonly string[] = [scope].flat()
    if (needed.includes('any')) continue
    const { key } = await store.newKey({ scopes: scopes.filter((one) => one !== 'admin' && !needed.includes(one)) })
    const target = path.replace(/\{([^}]+)\}/g, (_, name: string) => values[name] ?? '1')
    const { json, headers } = await store.call(method, `/v1${target}`, { key })
    expect([id, json]).toEqual([id, problem('insufficient_scope', 403)])
    expect(json.message).toEndWith(` ${needed.join(', ')}.`)
    expect(headers.get('www-authenticate')).toContain(`error="insufficient_scope", scope="${needed.join(' ')}"`)
  }
})

test('a body without a Content-Length is limited too', async () => {
  const chunk = new TextEncoder().encode('"'.padEnd(65_536, 'x'))
  const chunked = (chunks: number) =>
    new ReadableStream<Uint8Array>({
      start(controller) {
        for (let i = 0; i < chunks; i++) controller.enqueue(chunk)
        controller.close()
      },
    })
  const headers = { 'Content-Type': 'application/json' }
  expect((await store.call('POST', '/v1/pets', { rawBody: chunked(17), headers })).status).toBe(413)
  expect((await store.call('POST', '/v1/pets', { rawBody: chunked(1), headers })).json.code).toBe('malformed_json')
})

test('a 405 lists the allowed methods, which include HEAD wherever GET is allowed', async () => {
  const response = await store.call('DELETE', '/v1/pets')
  expect(response.json).toEqual(problem('method_not_allowed', 405))
  expect(response.headers.get('allow')).toBe('GET, HEAD, POST')
  expect((await store.call('PROPFIND', '/v1/pets')).status).toBe(405)
  // No backup has this name.
  expect((await store.call('PUT', '/v1/backups/confirm')).headers.get('allow')).toBe('POST')
  expect((await store.call('PUT', '/v1/backups/copies')).headers.get('allow')).toBe('GET, HEAD')
  expect((await store.call('PROPFIND', '/v1/nowhere')).status).toBe(404)
})

test('a path with a malformed id is not found, for any method, body or scope', async () => {
  const reader = await store.newKey({ scopes: ['pets:read'] })
  for (const key of [store.key, reader.key]) {
    for (const [method, path] of [
      ['PATCH', '/v1/pets/abc'],
      ['DELETE', '/v1/pets/0'],
      ['PUT', '/v1/categories/9007199254740992'],
      ['PUT', '/v1/categories/1.5'],
      ['PUT', '/v1/categories/1e3'],
      ['POST', '/v1/store/orders/x/approve'],
      ['PUT', '/v1/pets/abc'],
    ] as const) {
      expect((await store.call(method, path, { key, rawBody: 'no JSON' })).json).toEqual(problem('not_found', 404))
    }
  }
  for (const method of ['PUT', 'DELETE', 'PATCH']) {
    const response = await store.call(method, '/v1/keys/current', { rawBody: 'no JSON' })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  }
})

test('a POST without a declared body accepts none, null or an empty object, and rejects the members of any other', async () => {
  await store.call('POST', '/v1/pets', { body: { name: 'Ada', categoryId: 1 } })
  await store.call('POST', '/v1/store/orders', { body: { petId: 1 } })
  const approve = (rawBody: string, type: string) =>
    store.call('POST', '/v1/store/orders/1/approve', { rawBody, headers: { 'Content-Type': type } })
  expect((await approve('x'.repeat(1_048_577), 'text/plain')).status).toBe(413)
  expect((await approve('please', 'text/plain')).status).toBe(415)
  expect((await approve('{', 'application/json')).status).toBe(400)
  const refused = await approve('{"note":"please"}', 'application/json')
  expect(refused.json.message).toBe('There is no member `note` here: this operation has none.')
  for (const body of ['[]', '["please"]', '"please"', '7']) {
    expect([body, (await approve(body, 'application/json')).json.code]).toEqual([body, 'invalid_body'])
  }
  expect((await store.call('GET', '/v1/store/orders/1')).json.status).toBe('placed')
  expect((await approve('{}', 'application/json')).status).toBe(200)
  const headers = { 'Content-Type': 'application/json' }
  expect((await store.call('POST', '/v1/store/orders/1/cancel', { rawBody: 'null', headers })).status).toBe(200)
})

test('a compressed body is rejected with 415', async () => {
  const headers = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' }
  const rawBody = Bun.gzipSync('{"name":"Ada","categoryId":1}')
  expect((await store.call('POST', '/v1/pets', { rawBody, headers })).status).toBe(415)
})

test('the response to HEAD is that to GET without a body', async () => {
  await store.call('POST', '/v1/pets', { body: { name: 'Ada', categoryId: 1 } })
  for (const path of ['/v1/pets', '/v1/pets/1']) {
    const get = await store.call('GET', path)
    const head = await store.call('HEAD', path)
    expect([head.status, head.text]).toEqual([200, ''])
    for (const name of ['etag', 'content-type', 'cache-control', 'link', 'sunset']) {
      expect(head.headers.get(name)).toBe(get.headers.get(name))
    }
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(get.text)))
  }
  expect((await store.call('HEAD', '/v1/pets/2')).status).toBe(404)
})

test('every response has a new request id, which the client cannot choose, and the three rate limit headers', async () => {
  const ids = new Set<string | null>()
  for (const path of ['/v1/pets', '/v1/pets?limit=0', '/v1/nowhere', '/v1/pets/9']) {
    const { headers } = await store.call('GET', path, { headers: { 'X-Request-Id': 'chosen' } })
    ids.add(headers.get('x-request-id'))
    expect(headers.get('x-ratelimit-limit')).toBe('1000')
    expect(Number(headers.get('x-ratelimit-remaining'))).toBe(1000 - ids.size)
    expect(headers.get('x-ratelimit-reset')).toBe(String(store.clock.now() / 1000 + 61))
  }
  expect(ids.size).toBe(4)
  expect(ids).not.toContain('chosen')
})

test('If-None-Match with the current ETag gets 304, with any other ETag the whole response', async () => {
  const { headers } = await store.call('GET', '/v1/pets')
  const etag = headers.get('etag') ?? ''
  expect(etag).toMatch(/^"[^"]+"$/)
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const response = await store.call('GET', '/v1/pets', { headers: { 'If-None-Match': known } })
    expect([response.status, response.text]).toEqual([304, ''])
    expect(response.headers.get('etag')).toBe(etag)
    expect(response.headers.get('content-type')).toBeNull()
  }
  await store.call('POST', '/v1/pets', { body: { name: 'Ada', categoryId: 1 } })
  const changed = await store.call('GET', '/v1/pets', { headers: { 'If-None-Match': etag } })
  expect(changed.status).toBe(200)
})

test('a parameter that is given twice is rejected', async () => {
  const twice = await store.call('GET', '/v1/pets?limit=1&limit=1')
  expect(twice.json).toEqual(problem('invalid_parameter', 400))
  expect(twice.json.message).toContain('limit')
})

test('each of 200 concurrent requests is handled with its own principal', async () => {
  const writers = await Promise.all(Array.from({ length: 10 }, () => store.newKey({ scopes: ['pets:write'] })))
  const readers = await Promise.all(Array.from({ length: 10 }, () => store.newKey({ scopes: ['pets:read'] })))
  const body = { name: 'Ada', categoryId: 1 }
  const rounds = Array.from({ length: 10 }, () => [
    ...writers.map(async ({ key, id }) => {
      expect((await store.call('POST', '/v1/pets', { key, body })).status).toBe(201)
      expect((await store.call('GET', '/v1/keys/current', { key })).json.id).toBe(id)
    }),
    ...readers.map(async ({ key, id }) => {
      expect((await store.call('POST', '/v1/pets', { key, body })).status).toBe(403)
      expect((await store.call('GET', '/v1/keys/current', { key })).json.id).toBe(id)
    }),
  ])
  await Promise.all(rounds.flat())
})

test('an unexpected error is a 500 whose body does not contain the error message', async () => {
  store.app.pets.find = () => {
    throw new Error('SELECT secret FROM pets')
  }
  const response = await store.call('GET', '/v1/pets/1')
  expect(response.json).toEqual(problem('internal_error', 500))
  expect(response.text).not.toContain('SELECT')
})
