import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { contextOf } from '../api/context.ts'
import type { Site } from '../api/host.ts'
import { createHttpProbe } from '../dns/http-probe.ts'
import { createSiteListener } from '../testing/site-listener.ts'
import { probePath } from './hosts.ts'
import { createTestHosts, type TestTarget } from './testing/hosts.ts'

const slugs = new Map<string, TestTarget>()
const domains = new Map<string, TestTarget>()
const withHttps = new Set<string>()
const challenges = new Map<string, string>()
const certificate = { cert: '', key: '' }
let httpsPort = 443
let trusted = false

const siteOf =
  (text: string): Site =>
  () =>
    new Response(text)

const parts = {
  slugs,
  domains,
  httpsPort: () => httpsPort,
  platform: (request: Request) => new Response(contextOf(request)?.requiredOrigin ?? 'the API'),
  certificateOf: (name: string) => (withHttps.has(name) ? certificate : undefined),
  challengeResponse: (name: string, token: string) => challenges.get(`${name} ${token}`),
  isTrusted: () => trusted,
}
const hosts = createTestHosts(parts)
const plain = createSiteListener((host) => (request) => hosts.respondInClear(request, host))
/** A client names the same host in the handshake and in the request. */
const secure = createSiteListener(
  (name = '') =>
    (request) =>
      hosts.respondOverHttps(request, name, name),
)
const behindProxy = createTestHosts({ ...parts, isProxied: true })
const proxied = createSiteListener((host) => (request) => behindProxy.respondInClear(request, host))
afterAll(() => Promise.all([plain.stop(), secure.stop(), proxied.stop()]))

beforeEach(() => {
  httpsPort = 443
  trusted = false
  challenges.clear()
  withHttps.clear()
  for (const name of ['api.stores.example', 'ada.example', 'www.ada.example']) withHttps.add(name)
  slugs.clear()
  slugs.set('ada', { redirect: { to: 'ada.example', status: 307 } })
  slugs.set('ben', { site: siteOf('Ben') })
  domains.clear()
  domains.set('ada.example', { site: siteOf('Ada') })
  domains.set('www.ada.example', { redirect: { to: 'ada.example', status: 301 } })
  domains.set('new.example', { site: siteOf('New') })
})

type Server = typeof plain

async function get(server: Server, host: string, path = '/', headers: Readonly<Record<string, string>> = {}) {
  const response = await server.send(path, { host, ...headers })
  const location = response.headers.get('location')
  return [response.status, ...(location === null ? [await response.text()] : [location])]
}

describe('in the clear', () => {
  test('a site is redirected to HTTPS once it has a certificate, and served until then', async () => {
    expect(await get(plain, 'ada.example', '/a%20b?c=d')).toEqual([308, 'https://ada.example/a%20b?c=d'])
    expect(await get(plain, 'new.example')).toEqual([200, 'New'])
    withHttps.add('new.example')
    expect(await get(plain, 'NEW.example.')).toEqual([308, 'https://new.example/'])
  })

  test('a redirect leads straight to the final target, and is not more permanent than it', async () => {
    expect(await get(plain, 'www.ada.example', '/x?y')).toEqual([308, 'https://ada.example/x?y'])
    expect(await get(plain, 'ada.stores.example', '/x')).toEqual([307, 'https://ada.example/x'])
    for (const [status, combined] of [
      [301, 308],
      [302, 302],
      [307, 307],
      [308, 308],
    ] as const) {
      domains.set('www.ada.example', { redirect: { to: 'ada.example', status } })
      expect([status, (await get(plain, 'www.ada.example'))[0]]).toEqual([status, combined])
    }
  })

  test('a redirect names the port of HTTPS only if the request names a port', async () => {
    httpsPort = 8443
    expect(await get(plain, 'ada.example')).toEqual([308, 'https://ada.example/'])
    expect(await get(plain, 'ada.example:8080')).toEqual([308, 'https://ada.example:8443/'])
    expect(await get(plain, 'www.ada.example:8080')).toEqual([308, 'https://ada.example:8443/'])
    httpsPort = 443
    expect(await get(plain, 'ada.example:8080')).toEqual([308, 'https://ada.example/'])
  })

  test('the pages of the API are redirected, and it rejects requests that could carry a key', async () => {
    const host = 'api.stores.example'
    expect(await get(plain, host, '/docs')).toEqual([308, 'https://api.stores.example/docs'])
    for (const path of ['/v1', '/v1/pets', '/v1/unknown', '/metrics']) {
      const response = await plain.send(path, { host }, 'POST')
      expect([path, await response.text()]).toEqual([path, 'https://api.stores.example'])
    }
    withHttps.delete(host)
    expect(await get(plain, host, '/docs')).toEqual([503, expect.stringContaining('no certificate yet')])
  })

  test('a challenge has its response before any redirect, and for its own host alone', async () => {
    const path = '/.well-known/acme-challenge/token'
    for (const host of ['ada.example', 'api.stores.example', 'www.ada.example', 'unknown.example']) {
      challenges.set(`${host} token`, `token.${host}`)
      expect([host, ...(await get(plain, host, path))]).toEqual([host, 200, `token.${host}`])
      challenges.clear()
      const status = host === 'unknown.example' ? 421 : 404
      expect([host, (await get(plain, host, path))[0]]).toEqual([host, status])
    }
    challenges.set('ada.example token', 'x')
    expect((await get(plain, 'new.example', path))[0]).toBe(404)
  })

  test('the probe has its response at every host', async () => {
    for (const host of ['ada.example', 'api.stores.example', 'unknown.example', '192.0.2.1']) {
      expect([host, ...(await get(plain, host, probePath))]).toEqual([host, 200, 'this process'])
    }
  })

  test('an unknown host is misdirected, and a malformed one is a bad request', async () => {
    for (const host of ['stores.example', 'x.edge.stores.example', '127.0.0.1', 'localhost']) {
      expect([host, (await get(plain, host))[0]]).toEqual([host, 421])
    }
    expect((await plain.sendLines('GET / HTTP/1.1', 'Host: a b'))?.status).toBe(400)
    expect((await plain.sendLines('GET / HTTP/1.1', 'Host: ada.example', 'Host: ada.example')).status).toBe(400)
  })
})

describe('over HTTPS', () => {
  test('redirects have the status of the domain and are cached for five minutes', async () => {
    const response = await secure.send('/x?y', { host: 'www.ada.example' })
    expect([response.status, response.headers.get('location'), response.headers.get('cache-control')]).toEqual([
      301,
      'https://ada.example/x?y',
      'max-age=300',
    ])
    expect(await get(secure, 'ada.stores.example')).toEqual([307, 'https://ada.example/'])
  })

  test('HSTS is sent by the API always, and by a site or redirect if its domain has it', async () => {
    const hsts = async (host: string) => (await secure.send('/', { host })).headers.get('strict-transport-security')
    expect(await hsts('api.stores.example')).toBe('max-age=31536000')
    expect([await hsts('ada.example'), await hsts('www.ada.example')]).toEqual([null, null])
    domains.set('ada.example', { site: async () => new Response('Ada'), hsts: true })
    domains.set('www.ada.example', { redirect: { to: 'ada.example', status: 301 }, hsts: true })
    expect([await hsts('ada.example'), await hsts('www.ada.example')]).toEqual(['max-age=31536000', 'max-age=31536000'])
    expect((await plain.send('/', { host: 'ada.example' })).headers.get('strict-transport-security')).toBeNull()
  })
})

describe('behind a proxy', () => {
  test('the headers of a trusted one count', async () => {
    trusted = true
    const https = { 'x-forwarded-proto': 'https' }
    expect(await get(proxied, 'ada.example', '/', https)).toEqual([200, 'Ada'])
    expect(await get(proxied, 'api.stores.example', '/v1/pets', https)).toEqual([200, 'the API'])
    // Two proxies: the first one received the request of the client.
    const both = { 'x-forwarded-proto': 'https,http' }
    expect(await get(proxied, 'ada.example', '/', both)).toEqual([200, 'Ada'])
    expect((await get(proxied, 'ada.example', '/', { 'x-forwarded-proto': 'http, https' }))[0]).toBe(308)
    expect((await get(proxied, 'unknown.example', '/', https))[0]).toBe(421)
    expect(await get(proxied, 'ada.example', '/x', { 'x-forwarded-proto': 'http' })).toEqual([
      308,
      'https://ada.example/x',
    ])
    expect(await get(proxied, 'api.stores.example', '/v1/pets', { 'x-forwarded-proto': 'http' })).toEqual([
      200,
      'https://api.stores.example',
    ])
  })

  test('X-Forwarded-Host, which a proxy passes on as the client sent it, does not choose the site', async () => {
    trusted = true
    const forged = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'api.stores.example' }
    expect(await get(proxied, 'ada.example', '/v1/pets', forged)).toEqual([200, 'Ada'])
    expect((await get(proxied, 'unknown.example', '/', forged))[0]).toBe(421)
  })

  test('one that does not name the scheme gets an explanation instead of a loop of redirects', async () => {
    trusted = true
    expect(await get(proxied, 'ada.example')).toEqual([400, expect.stringContaining('X-Forwarded-Proto')])
  })

  test('the service recognises itself, whether the proxy is trusted or not', async () => {
    const probe = createHttpProbe({
      path: probePath,
      expected: 'this process',
      port: proxied.port,
      allowPrivateAddresses: true,
    })
    for (const isTrusted of [true, false]) {
      trusted = isTrusted
      expect((await probe('ada.example', '127.0.0.1', new AbortController().signal)).detail).toBe('this service')
    }
  })

  test('the headers of all others are ignored', async () => {
    const forged = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'ada.example' }
    expect(await get(proxied, 'api.stores.example', '/v1/pets', forged)).toEqual([200, 'https://api.stores.example'])
    expect(await get(proxied, 'ada.example', '/x', forged)).toEqual([308, 'https://ada.example/x'])
    expect((await get(proxied, 'unknown.example', '/', forged))[0]).toBe(421)
  })
})

const shops = new Map<string, TestTarget>()
const shopDomains = new Map<string, TestTarget>()
const shopOf = (title: string): TestTarget => ({ site: siteOf(title) })
const apart = createTestHosts({
  platformDomain: 'shop.example',
  sitesDomain: 'sites.example',
  slugs: shops,
  domains: shopDomains,
})
const named = createSiteListener((name) => (request) => apart.respondOverHttps(request, name ?? '', name))
afterAll(() => named.stop())

beforeEach(() => {
  shops.clear()
  shopDomains.clear()
  shops.set('ada', shopOf('Ada’s shop')).set('ben', shopOf('Ben’s shop'))
  shopDomains.set('www.ada.example', shopOf('Ada’s shop'))
})

/** Status and body of the response to a request with these Host headers. */
async function getBy(...hosts: readonly string[]) {
  const { status, body } = await named.sendLines('GET / HTTP/1.1', ...hosts.map((host) => `Host: ${host}`))
  return [status, status === 200 ? Buffer.from(body, 'latin1').toString() : /<h1>(.*)<\/h1>/.exec(body)?.[1]]
}

describe('a request reaches', () => {
  test('the site of its host, in any case of letters, with a port and a final dot or without', async () => {
    for (const host of ['ada.sites.example', 'ADA.Sites.EXAMPLE', 'ada.sites.example:8080', 'ada.sites.example.:80']) {
      expect([host, ...(await getBy(host))]).toEqual([host, 200, 'Ada’s shop'])
    }
    expect(await getBy('ben.sites.example')).toEqual([200, 'Ben’s shop'])
    expect(await getBy('www.ADA.example.')).toEqual([200, 'Ada’s shop'])
  })

  test('the API under its own name alone', async () => {
    expect(await getBy('api.shop.example')).toEqual([200, 'the API'])
    expect(await getBy('API.shop.example.:443')).toEqual([200, 'the API'])
    shops.set('api', shopOf('not the API'))
    shopDomains.set('api.shop.example', shopOf('not the API'))
    expect(await getBy('api.shop.example')).toEqual([200, 'the API'])
  })

  test('nothing under any other name: 421', async () => {
    // Neither a slug nor a domain of a project can stand for a name of the platform.
    const stranger = shopOf('a stranger')
    const below = ['ada.shop.example', 'x.edge.shop.example', 'shop.example', 'sites.example', 'x.ada.sites.example']
    for (const name of [...below, 'x.ada']) {
      shopDomains.set(name, stranger)
      shops.set(name, stranger)
    }
    shops.set('', stranger)
    const unknown = [
      ...below,
      'carl.sites.example',
      'adasites.example',
      'ada',
      'localhost',
      '127.0.0.1',
      '[::1]:80',
      'ada.example',
      'ada.sites.example..',
    ]
    for (const host of unknown) expect([host, ...(await getBy(host))]).toEqual([host, 421, 'No site here'])
  })

  test('nothing with a Host that is missing, given twice or malformed: 400', async () => {
    const unusable = [[], ['ada.sites.example', 'ada.sites.example'], ['ada.sites.example', 'ben.sites.example'], ['']]
    const malformed = [
      'ada.sites.example/',
      '[::1',
      'ada.sites.example:99999',
      'u@ada.sites.example',
      'a b',
      '.sites.example',
    ]
    for (const hosts of [...unusable, ...malformed.map((host) => [host])]) {
      const [status] = await getBy(...hosts)
      expect([hosts, status]).toEqual([hosts, 400])
    }
  })
})

test('the platform’s domain may hold the slugs too, and the API keeps its name', () => {
  const shared = createTestHosts({
    slugs: new Map(['ada', 'api'].map((slug) => [slug, { site: siteOf('a site') }])),
    domains: { get: () => ({ site: siteOf('a domain') }) },
    certificateOf: () => certificate,
  })
  const served = ['api.stores.example', 'ada.stores.example', 'ada.example']
  const rejected = ['stores.example', 'ben.stores.example', 'ada.edge.stores.example', 'edge.stores.example']
  const isServed = (name: string) => shared.certificate(name) !== undefined
  expect([...served, ...rejected].filter(isServed)).toEqual(served)
})

test('a change of a project counts at the next request of an open connection', async () => {
  const host = 'Host: ada.sites.example'
  const send = () => fetch(named.url, { headers: { host: 'ada.sites.example' } }).then((one) => one.text())
  expect(await send()).toBe('Ada’s shop')
  shops.set('ada', shopOf('Ada’s new shop'))
  expect(await send()).toBe('Ada’s new shop')
  shops.delete('ada')
  expect(await send()).toContain('No site here')
  expect((await named.sendLines('GET / HTTP/1.1', host)).status).toBe(421)
})
