import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { hostOf } from '../api/host.ts'
import { startServer } from '../app/start-server.ts'
import { type Network, parseNetwork } from '../lib/network.ts'
import { openTestStore } from '../testing/harness.ts'
import { sendRaw } from '../testing/send-raw.ts'
import { startPetstore, type TestPetstore } from '../testing/start-petstore.ts'

describe('the Host header', () => {
  test('is a name or an address, with or without a port', () => {
    for (const [header, host] of [
      ['Shop.Example', 'shop.example'],
      ['shop.example.', 'shop.example'],
      ['shop.example:443', 'shop.example'],
      ['shop.example:', 'shop.example'],
      ['localhost:8080', 'localhost'],
      ['127.0.0.1:1', '127.0.0.1'],
      ['[::1]:8080', '[::1]'],
      ['[2001:db8::1]', '[2001:db8::1]'],
    ] as const) {
      expect([header, hostOf(header)]).toEqual([header, host])
    }
  })

  test('is invalid if it is missing, given twice or malformed', () => {
    const bad = [
      '',
      '[::1',
      'x:99999999',
      'x:65536',
      'a.example, b.example',
      'a b',
      'a/b',
      'u@a',
      'a?b',
      '[zz]',
      ':80',
      '..',
    ]
    for (const header of bad) expect([header, hostOf(header)]).toEqual([header, undefined])
  })
})

describe('a request with an invalid Host', () => {
  let store: TestPetstore
  beforeAll(async () => {
    store = await startPetstore()
  })
  afterAll(() => store.stop())

  /** Sends a request as it is and returns the status, the headers and the body of the response. */
  function send(lines: readonly string[], body = '') {
    const { hostname, port } = new URL(store.url)
    return new Promise<{ status: number; headers: Headers; body: string }>((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`))
      let text = ''
      socket.on('data', (data) => {
        text += data
      })
      socket.on('error', reject)
      socket.on('close', () => {
        const [head = '', content = ''] = text.split('\r\n\r\n')
        const [statusLine = '', ...fields] = head.split('\r\n')
        const headers = new Headers(fields.map((field) => field.split(/: (.*)/s).slice(0, 2) as [string, string]))
        resolve({ status: Number(statusLine.split(' ')[1]), headers, body: content })
      })
    })
  }

  const hosts = [['Host: [::1'], ['Host: '], ['Host: x:99999999'], ['Host: a.example', 'Host: b.example']]

  test('gets 400 with the error body and headers of the API, for any method', async () => {
    const body = '{"name":"Ada","categoryId":1}'
    for (const host of hosts) {
      const common = [...host, `Authorization: Bearer ${store.key}`, 'Connection: close']
      const responses = [
        await send(['GET /v1/pets?limit=1 HTTP/1.1', ...common]),
        await send(
          [
            'POST /v1/pets HTTP/1.1',
            ...common,
            'Content-Type: application/json',
            'Idempotency-Key: a',
            `Content-Length: ${body.length}`,
          ],
          body,
        ),
      ]
      for (const { status, headers, body: text } of responses) {
        expect([host, status, JSON.parse(text).code]).toEqual([host, 400, 'invalid_parameter'])
        expect(headers.get('x-request-id')).toStartWith('req_')
        expect(Number(headers.get('x-ratelimit-remaining'))).toBeGreaterThan(0)
      }
    }
  })

  test('without a key gets 401 and is counted for the address of its client', async () => {
    const { status, headers, body } = await send(['GET /v1/pets HTTP/1.1', 'Host: [::1', 'Connection: close'])
    expect([status, JSON.parse(body).code, headers.get('x-ratelimit-limit')]).toEqual([401, 'missing_api_key', '600'])
  })

  test('still reaches the pages and probes, because this listener serves one site', async () => {
    const { status, body } = await send(['GET /healthz HTTP/1.1', 'Host: [::1', 'Connection: close'])
    expect([status, body]).toEqual([200, '{"status":"alive"}'])
  })
})

test('a request that a trusted proxy has received in the clear is rejected if the service is published over HTTPS', async () => {
  const shop = 'https://shop.example'
  const trustedProxies = [parseNetwork('127.0.0.1') as Network]
  const { app, key, newKey, close } = await openTestStore({ trustedProxies, corsOrigins: [shop] })
  const { key: other } = await newKey()
  const start = (production: string) =>
    startServer(app, { hostname: '127.0.0.1', port: 0, servers: { production }, pages: () => undefined })
  const server = start('https://api.shop.example/v1')
  const get = (headers: Record<string, string>, path = '/v1/pets') =>
    fetch(server.url + path, { headers: { Authorization: `Bearer ${key}`, Origin: shop, ...headers } })
  const inClear = { 'X-Forwarded-Proto': 'http', 'X-Forwarded-For': '198.51.100.1' }
  for (const [i, path] of ['/v1/pets', '/v1/nowhere', '/metrics'].entries()) {
    const rejected = await get(inClear, path)
    expect([path, rejected.status, await rejected.json()]).toEqual([
      path,
      403,
      { code: 'https_required', message: expect.stringContaining('Use https://api.shop.example:'), status: 403 },
    ])
    expect(rejected.headers.get('x-request-id')).toMatch(/^req_/)
    expect(rejected.headers.get('x-ratelimit-remaining')).toBe(String(599 - i))
    if (path !== '/metrics') expect(rejected.headers.get('access-control-allow-origin')).toBe(shop)
  }
  for (let i = 3; i < 600; i++) await (await get(inClear)).text()
  expect((await get(inClear)).status).toBe(429)
  // Neither the key nor other clients are limited by that.
  expect((await get({ ...inClear, 'X-Forwarded-For': '198.51.100.2', Authorization: `Bearer ${other}` })).status).toBe(
    403,
  )
  const secure = await get({ 'X-Forwarded-Proto': 'https,http' })
  expect([secure.status, secure.headers.get('x-ratelimit-remaining')]).toEqual([200, '999'])
  expect((await get({})).status).toBe(200)
  await server.stop()
  const plain = start('http://api.shop.example/v1')
  const headers = { Authorization: `Bearer ${key}`, ...inClear }
  expect((await fetch(`${plain.url}/v1/pets`, { headers })).status).toBe(200)
  await plain.stop()
  await close()
})

describe('the platform', () => {
  let store: TestPetstore
  beforeAll(async () => {
    store = await startPetstore()
  })
  afterAll(() => store.stop())

  test('accepts only GET and HEAD outside of the API', async () => {
    for (const path of ['/', '/openapi.json', '/healthz', '/readyz']) {
      const head = await fetch(store.url + path, { method: 'HEAD', redirect: 'manual' })
      expect([path, head.status < 400, await head.text()]).toEqual([path, true, ''])
      for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
        const response = await fetch(store.url + path, { method, redirect: 'manual' })
        expect([path, method, response.status, response.headers.get('allow')]).toEqual([path, method, 405, 'GET, HEAD'])
        expect(((await response.json()) as { code: string }).code).toBe('method_not_allowed')
      }
    }
  })

  test('sends the OpenAPI document again only if it has changed', async () => {
    const first = await fetch(`${store.url}/openapi.json`)
    const etag = first.headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[0-9a-z]+-gzip"$/)
    const second = await fetch(`${store.url}/openapi.json`, { headers: { 'If-None-Match': etag } })
    expect([second.status, await second.text(), second.headers.get('etag')]).toEqual([304, '', etag])
    const plain = await fetch(`${store.url}/openapi.json`, { headers: { 'Accept-Encoding': 'identity' } })
    expect([plain.headers.get('content-encoding'), plain.headers.get('vary')]).toEqual([null, 'Accept-Encoding'])
    expect(await plain.json()).toEqual(await first.json())
  })

  test('lets pages of every origin read the OpenAPI document', async () => {
    const { headers } = await fetch(`${store.url}/openapi.json`, { headers: { Origin: 'https://tools.example' } })
    expect(headers.get('access-control-allow-origin')).toBe('*')
  })

  test('sends a 304 without a length, to HEAD too', async () => {
    const authorization = `Authorization: Bearer ${store.key}`
    const etag = (
      await fetch(`${store.url}/v1/pets`, { headers: { Authorization: `Bearer ${store.key}` } })
    ).headers.get('etag')
    for (const method of ['GET', 'HEAD']) {
      const head = [`${method} /v1/pets HTTP/1.1`, 'Host: a.example', authorization, `If-None-Match: ${etag}`]
      const text = await sendRaw(Number(new URL(store.url).port), `${head.join('\r\n')}\r\nConnection: close\r\n\r\n`)
      expect([method, text.split('\r\n')[0]]).toEqual([method, 'HTTP/1.1 304 Not Modified'])
      expect([method, /^content-length|^transfer-encoding/im.test(text), text.match(/^date:/gim)?.length]).toEqual([
        method,
        false,
        1,
      ])
    }
  })

  test('has a page for a wrong address, and the error body for a client that accepts JSON alone', async () => {
    const get = (accept: string) => fetch(`${store.url}/pets`, { headers: { Accept: accept } })
    for (const accept of ['*/*', 'text/html,application/json;q=0.9']) {
      const page = await get(accept)
      expect([page.status, page.headers.get('content-type'), await page.text()]).toEqual([
        404,
        'text/html; charset=utf-8',
        expect.stringContaining('Page not found'),
      ])
    }
    const error = await get('application/json')
    expect([error.status, await error.json()]).toEqual([
      404,
      { code: 'not_found', message: expect.stringContaining('begin with /v1'), status: 404 },
    ])
    const moved = await fetch(`${store.url}/docs/`, { redirect: 'manual' })
    expect([moved.status, moved.headers.get('location')]).toEqual([308, '/docs'])
  })
})
