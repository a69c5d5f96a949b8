import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { startServer } from '../../app/start-server.ts'
import { createManualClock } from '../../lib/clock.ts'
import type { Listener } from '../../server/listener.ts'
import { openTestStore, type TestStore } from '../../testing/harness.ts'
import { expositionType, writeExposition } from './exposition.ts'
import { createRequestMetrics } from './requests.ts'

let store: TestStore
let listener: Listener

beforeEach(async () => {
  store = await openTestStore()
  const processUsage = () => ({ residentBytes: 50_000_000, cpuSeconds: 1.5 })
  listener = startServer(store.app, {
    hostname: '127.0.0.1',
    port: 0,
    servers: {},
    pages: () => undefined,
    processUsage,
  })
})
afterEach(async () => {
  await listener.stop()
  await store.close()
})

function send(path: string, { key = store.key, ...init }: RequestInit & { key?: string | null } = {}) {
  const authorization: Record<string, string> = key === null ? {} : { Authorization: `Bearer ${key}` }
  return fetch(listener.url + path, { ...init, headers: { ...authorization, ...init.headers } })
}

const add = (body: string) =>
  send('/v1/pets', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })

/** The value of each series. */
async function scrape(): Promise<Record<string, number>> {
  const response = await send('/metrics')
  expect(response.status).toBe(200)
  const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  )
}

describe('/metrics', () => {
  test('can be read with a key with the scope metrics:read alone, and by admin', async () => {
    for (const scope of ['metrics:read', 'admin'] as const) {
      const { key } = await store.newKey({ scopes: [scope] })
      expect((await send('/metrics', { key })).status).toBe(200)
    }
    const { key } = await store.newKey({ scopes: ['metrics:read'] })
    for (const path of ['/v1/pets', '/v1/overview', '/v1/events', '/v1/webhooks']) {
      expect((await send(path, { key })).status).toBe(403)
    }
    expect((await send('/v1/keys/current', { key })).status).toBe(200)
  })

  test('has the headers of other responses', async () => {
    const response = await send('/metrics')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe(expositionType)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('x-request-id')).toStartWith('req_')
    expect(response.headers.get('x-ratelimit-remaining')).toBe('999')
  })

  test('responds with 403 to a key without that scope, which new keys do not have', async () => {
    const { json } = await store.call('POST', '/v1/keys', { body: { name: 'New' } })
    const { key } = json
    const response = await send('/metrics', { key })
    expect(response.status).toBe(403)
    expect(await response.json()).toEqual({
      code: 'insufficient_scope',
      message: 'This API key lacks the scope metrics:read.',
      status: 403,
    })
    expect(response.headers.get('www-authenticate')).toContain('error="insufficient_scope", scope="metrics:read"')
  })

  test('responds with 401 without a valid key, and the request counts towards the limit of the address', async () => {
    const [missing, wrong] = [await send('/metrics', { key: null }), await send('/metrics', { key: 'pet_live_no' })]
    expect([missing.status, wrong.status]).toEqual([401, 401])
    expect(missing.headers.get('www-authenticate')).toBe('Bearer realm="petstore"')
    expect(wrong.headers.get('www-authenticate')).toContain('error="invalid_token"')
    expect(wrong.headers.get('x-ratelimit-remaining')).toBe('598')
    for (let i = 0; i < 598; i++) await send('/v1/pets', { key: null })
    expect((await send('/metrics', { key: null })).status).toBe(429)
    expect((await send('/metrics')).status).toBe(200)
  })

  test('accepts the key only in the Authorization header, with the scheme in any case', async () => {
    const spelled = async (authorization: string) =>
      (await send('/metrics', { key: null, headers: { Authorization: authorization } })).status
    expect(await spelled(`bEARER   ${store.key}`)).toBe(200)
    expect(await spelled(`Bearer${store.key}`)).toBe(401)
    expect(await spelled(`BearerX${store.key}`)).toBe(401)
    expect(await spelled(`Basic ${store.key}`)).toBe(401)
    for (const name of ['access_token', '', 'undefined', '%ED%A0%80', '%EF%BF%BD', '%uD800', '\\ud800']) {
      expect((await send(`/metrics?${name}=${store.key}`, { key: null })).status).toBe(401)
    }
  })

  test('counts and limits scrapes like any other request of the key', async () => {
    const { key } = await store.newKey({ plan: 'free', scopes: ['admin'] })
    for (let i = 0; i < 60; i++) expect((await send('/metrics', { key })).status).toBe(200)
    const rejected = await send('/metrics', { key })
    expect(rejected.status).toBe(429)
    expect(rejected.headers.get('retry-after')).toBe('61')
    store.clock.advance(61_000)
    expect((await send('/metrics', { key })).status).toBe(200)
  })
})

test('the probes and /metrics respond to HEAD without a body, and to other methods with 405 and Allow', async () => {
  for (const path of ['/healthz', '/readyz', '/metrics', '/openapi.json']) {
    const head = await send(path, { method: 'HEAD' })
    expect([path, head.status, await head.text()]).toEqual([path, 200, ''])
    expect(head.headers.get('content-type')).toBe((await send(path)).headers.get('content-type'))
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
      const other = await send(path, { method })
      expect([path, other.status, other.headers.get('allow')]).toEqual([path, 405, 'GET, HEAD'])
      expect(await other.json()).toMatchObject({ code: 'method_not_allowed', status: 405 })
    }
  }
})

describe('the metrics', () => {
  test('count requests by operation and status, and errors by code', async () => {
    await send('/v1/pets')
    await send('/v1/pets')
    await add('{"name":"Ada","categoryId":1}')
    await add('{"name":7}')
    await send('/v1/pets', { key: null })
    await send('/v1/nowhere')
    await send('/healthz')
    await send('/healthz', { method: 'POST' })
    const metrics = await scrape()
    expect(metrics).toMatchObject({
      'petstore_requests_total{operation="listPets",status="200"}': 2,
      'petstore_requests_total{operation="createPet",status="201"}': 1,
      'petstore_requests_total{operation="createPet",status="400"}': 1,
      'petstore_requests_total{operation="none",status="401"}': 1,
      'petstore_requests_total{operation="none",status="404"}': 1,
      'petstore_requests_total{operation="healthz",status="200"}': 1,
      'petstore_requests_total{operation="healthz",status="405"}': 1,
      'petstore_request_duration_seconds_count{operation="createPet"}': 2,
      'petstore_errors_total{code="invalid_body"}': 1,
      'petstore_errors_total{code="missing_api_key"}': 1,
      'petstore_errors_total{code="not_found"}': 1,
      'petstore_errors_total{code="method_not_allowed"}': 1,
      'petstore_errors_total{code="internal_error"}': 0,
    })
  })

  test('requests for unknown paths add no series', async () => {
    await send('/v1/x')
    await send('/x')
    const before = Object.keys(await scrape())
    for (let i = 0; i < 50; i++) {
      await send(`/v1/x${i}?y=${i}`)
      await send(`/x${i}`)
    }
    await scrape()
    const after = Object.keys(await scrape()).filter((name) => !name.includes('operation="metrics"'))
    expect(after).toEqual(before)
  })

  test('include caches, batches, bans and sizes', async () => {
    await Promise.all(['Ada', 'Bea', 'Cleo'].map((name) => add(`{"name":"${name}","categoryId":1}`)))
    await send('/v1/pets')
    await send('/v1/pets')
    store.app.limiter.bans.begun = 2
    const metrics = await scrape()
    expect(metrics['petstore_cache_hits_total{cache="pages"}']).toBe(1)
    expect(metrics['petstore_cache_misses_total{cache="pages"}']).toBe(1)
    expect(metrics['petstore_cache_hits_total{cache="principals"}']).toBeGreaterThanOrEqual(5)
    expect(metrics['petstore_cache_misses_total{cache="principals"}']).toBeGreaterThanOrEqual(1)
    // The first key is a write too.
    expect(metrics['petstore_write_batch_size_sum']).toBe(4)
    expect(metrics['petstore_write_batch_duration_seconds_count']).toBe(metrics['petstore_write_batch_size_count'] ?? 0)
    expect(metrics).toMatchObject({
      petstore_bans_total: 2,
      petstore_database_wal_size_bytes: 0,
      petstore_uptime_seconds: 0,
      process_resident_memory_bytes: 50_000_000,
      process_cpu_seconds_total: 1.5,
    })
    expect(metrics['petstore_database_size_bytes']).toBeGreaterThan(4096)
    const info = Object.keys(metrics).find((name) => name.startsWith('petstore_build_info'))
    expect(info).toMatch(/\{version="\d+\.\d+\.\d+",bun="[\d.]+",environment="production"\}/)
  })

  test('count events and the streams that are open', async () => {
    const before = (await scrape())['petstore_events_total'] ?? Number.NaN
    await add('{"name":"Ada","categoryId":1}')
    await send('/v1/events/stream')
    const during = await scrape()
    expect(during['petstore_events_total']).toBe(before + 1)
    expect(during['petstore_event_streams{reader="key"}']).toBe(1)
    expect(during['petstore_event_streams{reader="dashboard"}']).toBe(0)
    store.app.endStreams()
    expect((await scrape())['petstore_event_streams{reader="key"}']).toBe(0)
  })

  test('show a failing job and a storage fault as long as they last', async () => {
    const { app, clock } = store
    const { hasUntil } = app.deletedPets
    app.deletedPets.hasUntil = () => {
      throw new Error('no table')
    }
    clock.advance(10_000)
    await Bun.sleep(0)
    app.faults.checked('file_gone', true)
    const during = await scrape()
    expect(during['petstore_job_failing{job="remove deleted animals for good"}']).toBe(1)
    expect(during['petstore_job_failures_total{job="remove deleted animals for good"}']).toBeGreaterThanOrEqual(1)
    expect(during['petstore_storage_fault{fault="file_gone"}']).toBe(1)
    expect(during['petstore_storage_fault{fault="full"}']).toBe(0)
    app.deletedPets.hasUntil = hasUntil
    app.faults.checked('file_gone', false)
    clock.advance(10_000)
    await Bun.sleep(0)
    clock.advance(10_000)
    await Bun.sleep(0)
    const after = await scrape()
    expect(after['petstore_job_failing{job="remove deleted animals for good"}']).toBe(0)
    expect(after['petstore_storage_fault{fault="file_gone"}']).toBe(0)
  })

  test('leave out those of the database, and no others, if it cannot be read', async () => {
    await scrape()
    const countsByStatus = () => {
      throw Object.assign(new Error('database disk image is malformed'), { code: 'SQLITE_CORRUPT' })
    }
    const checks = { counts: {}, inProgress: () => 0 }
    Object.assign(store.app, { domainHosting: { domains: { countsByStatus }, checks } })
    const metrics = await scrape()
    expect(Object.keys(metrics).filter((name) => name.startsWith('petstore_domain'))).toEqual([])
    expect(metrics['petstore_uptime_seconds']).toBe(0)
    expect((await scrape())['petstore_storage_fault{fault="malformed"}']).toBe(1)
    await expect(store.close()).rejects.toThrow('The database file is damaged.')
    store = await openTestStore()
  })

  test('count the 500 of a page that throws', async () => {
    const pages = () => {
      throw new Error('no page')
    }
    const broken = startServer(store.app, { hostname: '127.0.0.1', port: 0, servers: {}, pages })
    const headers = { Authorization: `Bearer ${store.key}` }
    const response = await fetch(`${broken.url}/docs`)
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([500, 'internal_error'])
    const text = await (await fetch(`${broken.url}/metrics`, { headers })).text()
    expect(text).toContain('\npetstore_requests_total{operation="none",status="500"} 1\n')
    expect(text).toContain('\npetstore_errors_total{code="internal_error"} 1\n')
    await broken.stop()
  })

  test('have buckets of response times from half a millisecond to ten seconds', () => {
    const clock = createManualClock(0)
    const requests = createRequestMetrics(clock)
    const context = { operation: 'listPets', startedMs: 0, errorCode: undefined }
    for (const ms of [0.5, 3, 9_000, 1_000]) {
      clock.advance(ms)
      requests.observe({ ...blankContext, ...context, startedMs: clock.monotonic() - ms }, 200)
    }
    const [{ operation, durations } = { operation: '', durations: undefined }] = [...requests.operations()]
    if (!durations) throw new Error('nothing was observed')
    const text = writeExposition([
      { type: 'histogram', name: 't', help: 'T.', scale: 1 / 1000, samples: [[{ operation }, durations]] },
    ])
    const buckets = [...text.matchAll(/le="([^"]+)"} (\d+)/g)].map(([, bound, count]) => `${bound}:${count}`)
    expect(buckets.join(' ')).toBe(
      '0.0005:1 0.001:1 0.0025:1 0.005:2 0.01:2 0.025:2 0.05:2 0.1:2 0.25:2 0.5:2 1:3 2.5:3 5:3 10:4 +Inf:4',
    )
  })
})

const blankContext = {
  peer: { requestIP: () => null },
  hasInvalidHost: false,
  isSecure: false,
  requestId: undefined,
  keyId: undefined,
}
