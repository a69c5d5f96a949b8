import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { parseNetwork } from '../lib/network.ts'
import {
  createBrowser,
  openTestDashboard,
  ownerEmail,
  ownerPassword,
  type TestBrowser,
  type TestDashboard,
} from './testing/dashboard.ts'

let dashboard: TestDashboard
let browser: TestBrowser
beforeAll(async () => {
  dashboard = await openTestDashboard()
  browser = await dashboard.setUp()
})
afterAll(() => dashboard.close())

/** A GET and a change that the session may send, and a change without a session. */
const routes = [
  ['GET', '/dashboard/session'],
  ['GET', '/dashboard/sessions'],
  ['POST', '/dashboard/token'],
  ['POST', '/dashboard/sign-in'],
  ['POST', '/dashboard/sign-out'],
] as const

const credentials = { email: ownerEmail, password: ownerPassword }

describe('a request of another site', () => {
  test('is rejected whatever its target and method, and the session continues', async () => {
    for (const site of ['cross-site', 'same-site']) {
      for (const [method, path] of routes) {
        const body = method === 'POST' ? credentials : undefined
        const { status, json, headers } = await browser.send(path, {
          method,
          body,
          headers: { 'sec-fetch-site': site },
        })
        expect([site, path, status, json.code]).toEqual([site, path, 403, 'cross_site_request'])
        expect(headers.has('access-control-allow-origin')).toBe(false)
      }
    }
    expect((await browser.get('/dashboard/session')).status).toBe(200)
  })

  test('of a browser that sends no Sec-Fetch-Site is recognised by its Origin', async () => {
    const others = [
      'https://evil.example',
      'null',
      `${dashboard.url}.evil.example`,
      `${dashboard.url}0`,
      'http://127.0.0.1',
    ]
    for (const origin of others) {
      for (const [method, path] of routes) {
        const body = method === 'POST' ? credentials : undefined
        const sent = { 'sec-fetch-site': null, origin }
        const { status } = await browser.send(path, { method, body, headers: sent })
        expect([origin, path, status]).toEqual([origin, path, 403])
      }
    }
  })

  test('cannot hide by sending neither header: only reading is possible without them', async () => {
    const neither = { 'sec-fetch-site': null, origin: null }
    expect((await browser.post('/dashboard/token', {}, neither)).status).toBe(403)
    expect((await browser.post('/dashboard/sign-in', credentials, neither)).status).toBe(403)
    expect((await browser.get('/dashboard/session', neither)).status).toBe(200)
  })

  test('may be opened from the address bar, but changes nothing from there', async () => {
    const typed = { 'sec-fetch-site': 'none' }
    expect((await browser.get('/dashboard/session', typed)).status).toBe(200)
    expect((await browser.post('/dashboard/token', {}, typed)).status).toBe(403)
  })

  test('gets no CORS headers for a preflight', async () => {
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' }
    const response = await browser.open('/dashboard/token', { method: 'OPTIONS', headers })
    expect(response.status).toBe(405)
    expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
  })
})

describe('the cookie', () => {
  test('is out of reach for scripts, other sites and other paths', async () => {
    const response = await browser.open('/dashboard/sign-in', { method: 'POST', body: credentials })
    const [cookie = ''] = response.headers.getSetCookie()
    expect(cookie).toMatch(/^petstore-[0-9a-f]{16}=[A-Za-z0-9_-]{43}; /)
    expect(cookie.split('; ').slice(1)).toEqual(['Path=/dashboard/', 'HttpOnly', 'SameSite=Strict', 'Max-Age=2592000'])
    expect(response.headers.get('cache-control')).toBe('no-store')
  })

  test('is ignored by the API', async () => {
    for (const path of ['/v1/pets', '/v1/keys/current', '/v1/audit']) {
      const { status, json } = await browser.get(path)
      expect([path, status, json.code]).toEqual([path, 401, 'missing_api_key'])
    }
    const { status } = await browser.post('/v1/pets', { name: 'Eve', categoryId: 1 })
    expect(status).toBe(401)
  })

  test('with another value, no value or 50 kB does not open a session', async () => {
    const [name = ''] = browser.cookies.keys()
    for (const value of ['', 'undefined', 'null', 'a'.repeat(43), 'x'.repeat(8_000)]) {
      const stranger = dashboard.browser()
      stranger.cookies.set(name, value)
      expect((await stranger.get('/dashboard/session')).status).toBe(401)
    }
  })

  test('is found beside worthless ones of the same name', async () => {
    const [name = ''] = browser.cookies.keys()
    const cookie = `${name}=forged; other=1; ${name}=${browser.cookies.get(name)}`
    expect((await browser.get('/dashboard/session', { cookie })).status).toBe(200)
  })
})

test('production and staging on one host have separate sessions in one browser', async () => {
  const staging = await openTestDashboard({ environment: 'staging' })
  try {
    const token = await staging.setupToken()
    const both = createBrowser(staging.url)
    // Browsers send the cookies of a host to each of its ports.
    for (const [name, value] of browser.cookies) both.cookies.set(name, value)
    expect((await both.get('/dashboard/session')).status).toBe(401)
    expect((await both.setUp(token, 'grace@shop.example')).status).toBe(200)
    expect((await both.get('/dashboard/session')).json).toMatchObject({
      owner: { email: 'grace@shop.example' },
      environment: 'staging',
    })
    const production = createBrowser(dashboard.url)
    for (const [name, value] of both.cookies) production.cookies.set(name, value)
    expect((await production.get('/dashboard/session')).json).toMatchObject({ owner: { email: ownerEmail } })
    const bearer = await both.trade()
    const pets = await fetch(`${dashboard.url}/v1/pets`, { headers: { authorization: `Bearer ${bearer}` } })
    expect(pets.status).toBe(401)
  } finally {
    await staging.close()
  }
})

describe('a connection without HTTPS', () => {
  test('by a public name is rejected with the ways out, and the page learns why', async () => {
    const headers = { host: 'shop.example.com', origin: 'http://shop.example.com' }
    const { status, json } = await dashboard.browser().post('/dashboard/sign-in', credentials, headers)
    expect([status, json.code]).toEqual([403, 'https_required'])
    for (const way of ['--platform-domain', '--trusted-proxy', 'ssh -L']) expect(json.message).toContain(way)
    const session = await browser.get('/dashboard/session', headers)
    expect([session.status, session.json.connection.kind]).toEqual([401, 'public'])
    expect((await browser.post('/dashboard/token', {}, headers)).status).toBe(403)
  })

  test('learns the SSH tunnel to the port that the browser has used', async () => {
    for (const [authority, tunnel, origin] of [
      ['shop.example.com:9000', '9000:127.0.0.1:9000', 'http://127.0.0.1:9000'],
      ['[2001:4860::8888]:8081', '8081:127.0.0.1:8081', 'http://127.0.0.1:8081'],
      // A port below 1024 is not open to everybody on the owner's computer.
      ['shop.example.com', '8080:127.0.0.1:80', 'http://127.0.0.1:8080'],
    ] as const) {
      const headers = { host: authority, origin: `http://${authority}` }
      const { json } = await dashboard.browser().post('/dashboard/sign-in', credentials, headers)
      expect(json.message).toContain(`ssh -L ${tunnel} USER@SERVER`)
      expect(json.message).toContain(`with ${origin} instead of http://${authority}.`)
    }
  })

  test('from a private network is possible, and the page learns that it has to warn', async () => {
    const headers = { host: '192.168.1.5:8080', origin: 'http://192.168.1.5:8080' }
    const stranger = dashboard.browser()
    const { json } = await stranger.get('/dashboard/session', headers)
    expect(json.connection).toMatchObject({
      kind: 'private_network',
      message: expect.stringContaining('others on this network'),
    })
    expect((await stranger.post('/dashboard/sign-in', credentials, headers)).status).toBe(200)
  })

  test('by a name below .box, which is a public domain, is rejected', async () => {
    const headers = { host: 'shop.box', origin: 'http://shop.box' }
    const { status, json } = await dashboard.browser().post('/dashboard/sign-in', credentials, headers)
    expect([status, json.code]).toEqual([403, 'https_required'])
  })

  test('through a proxy that petstore does not know is rejected, whatever the proxy says', async () => {
    for (const header of [
      'x-forwarded-for',
      'x-forwarded-proto',
      'x-forwarded-host',
      'forwarded',
      'via',
      'x-real-ip',
    ]) {
      const { status, json } = await dashboard.browser().post('/dashboard/sign-in', credentials, { [header]: 'https' })
      expect([header, status, json.code]).toEqual([header, 403, 'https_required'])
      expect(json.message).toContain('--trusted-proxy')
    }
  })

  test('through a proxy that hides itself is recognised by the origin of the page', async () => {
    const headers = { host: 'localhost:8080', origin: 'http://shop.example.com' }
    const { status, json } = await dashboard.browser().post('/dashboard/sign-in', credentials, headers)
    expect([status, json.code]).toEqual([403, 'https_required'])
    expect(json.message).toContain('--trusted-proxy')
  })
})

describe('behind a trusted proxy', () => {
  let proxied: TestDashboard
  beforeAll(async () => {
    proxied = await openTestDashboard({ trustedProxies: [parseNetwork('127.0.0.1/32')].filter((one) => !!one) })
    await proxied.setUp()
  })
  afterAll(() => proxied.close())

  const forwarded = {
    'x-forwarded-for': '198.51.100.7',
    'x-forwarded-proto': 'https',
    host: 'api.shop.example',
    origin: 'https://api.shop.example',
  }

  test('with HTTPS the cookie has the prefix __Host-, and the one of plain HTTP is not read', async () => {
    const one = proxied.browser()
    const response = await one.open('/dashboard/sign-in', { method: 'POST', body: credentials, headers: forwarded })
    const [cookie = ''] = response.headers.getSetCookie()
    expect(cookie).toMatch(/^__Host-petstore-[0-9a-f]{16}=[^;]+; Path=\/; Secure; HttpOnly; SameSite=Strict; /)
    expect((await one.get('/dashboard/session', forwarded)).json.connection.kind).toBe('https')
    const both = { ...forwarded, 'x-forwarded-proto': 'https, http' }
    expect((await one.get('/dashboard/session', both)).json.connection.kind).toBe('https')
    const plain = proxied.browser()
    for (const [name, value] of one.cookies) plain.cookies.set(name.replace('__Host-', ''), value)
    expect((await plain.get('/dashboard/session', forwarded)).status).toBe(401)
    expect((await one.get('/dashboard/session')).status).toBe(401)
  })

  test('the origin is that of Host, whatever X-Forwarded-Host says', async () => {
    const sent = { ...forwarded, 'x-forwarded-host': 'shop.example', 'sec-fetch-site': null }
    expect((await proxied.browser().post('/dashboard/sign-in', credentials, sent)).status).toBe(200)
    const other = { ...sent, origin: 'https://shop.example' }
    expect((await proxied.browser().post('/dashboard/sign-in', credentials, other)).status).toBe(403)
  })

  test('a public client of plain HTTP is rejected', async () => {
    const plain = { ...forwarded, 'x-forwarded-proto': 'http', origin: 'http://api.shop.example' }
    const { json } = await proxied.browser().post('/dashboard/sign-in', credentials, plain)
    expect(json.code).toBe('https_required')
  })
})

describe('the routes', () => {
  test('reject other methods, other media types and broken bodies as the API does', async () => {
    const put = await browser.send('/dashboard/session', { method: 'PUT', body: {} })
    expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET'])
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await browser.post('/dashboard/sign-in', credentials, form)).status).toBe(415)
    expect((await browser.post('/dashboard/sign-in', { email: ownerEmail })).json).toMatchObject({
      code: 'invalid_body',
      message: 'password is required.',
    })
    expect((await browser.post('/dashboard/sign-in', [])).status).toBe(400)
  })

  test('have the security headers, errors included', async () => {
    for (const path of ['/dashboard/session', '/dashboard/sessions']) {
      for (const one of [browser, dashboard.browser()]) {
        const { headers } = await one.get(path)
        expect(headers.get('cache-control')).toBe('no-store')
        expect(headers.get('x-content-type-options')).toBe('nosniff')
        expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
        expect(headers.get('referrer-policy')).toBe('same-origin')
      }
    }
  })
})

describe('the page', () => {
  afterEach(() => dashboard.clock.skip(60_000))

  test('is served for every address below /dashboard/, with its own nonce and a strict policy', async () => {
    const nonces = new Set<string>()
    for (const path of ['/dashboard/', '/dashboard/setup', '/dashboard/animals/7', '/dashboard/orders?status=placed']) {
      const { status, headers, text } = await dashboard.browser().get(path, { 'sec-fetch-site': 'cross-site' })
      expect([path, status, headers.get('cache-control')]).toEqual([path, 200, 'no-store'])
      const policy = headers.get('content-security-policy') ?? ''
      const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? ''
      expect(text).toContain(`content="${nonce}"`)
      expect(policy).toBe(
        `default-src 'self'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
      )
      nonces.add(nonce)
    }
    expect(nonces.size).toBe(4)
  })

  test('is where / and /dashboard lead; an asset that is gone is not found', async () => {
    const stranger = dashboard.browser()
    const root = await stranger.get('/')
    expect([root.status, root.headers.get('location')]).toEqual([302, '/dashboard/'])
    const bare = await stranger.get('/dashboard')
    expect([bare.status, bare.headers.get('location')]).toEqual([308, '/dashboard/'])
    expect((await stranger.get('/dashboard/assets/gone-1f.js')).status).toBe(404)
    expect((await stranger.send('/dashboard/animals', { method: 'POST', body: {} })).status).toBe(405)
  })
})
