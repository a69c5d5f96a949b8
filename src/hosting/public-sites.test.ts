import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { contextOf } from '../api/http/context.ts'
import { createHttpProbe } from '../dns/lookup/http-probe.ts'
import type { Site } from '../server/handle.ts'
import { createSiteListener } from '../testing/site-listener.ts'
import { createPublicSites, probePath } from './public-sites.ts'
import type { Host } from './sites/hosts.ts'

const hosts = new Map<string, Host>()
const withHttps = new Set<string>()
const challenges = new Map<string, string>()
let httpsPort = 443
let trusted = false

const sites = createPublicSites({
  find: (name) => hosts.get(name),
  hasHttps: (name) => withHttps.has(name),
  httpsPort: () => httpsPort,
  challengeResponse: (name, token) => challenges.get(`${name} ${token}`),
  probeText: 'this process',
  isTrusted: () => trusted,
})
const misdirected: Site = () => new Response(null, { status: 421 })
const plain = createSiteListener(sites.plain)
const secure = createSiteListener((name = '') => sites.secure(name) ?? misdirected)
const proxied = createSiteListener(sites.proxied)
afterAll(() => Promise.all([plain.stop(), secure.stop(), proxied.stop()]))

beforeEach(() => {
  httpsPort = 443
  trusted = false
  challenges.clear()
  withHttps.clear()
  for (const name of ['api.stores.example', 'ada.example', 'www.ada.example']) withHttps.add(name)
  hosts.clear()
  hosts.set('api.stores.example', {
    platform: (request) => new Response(contextOf(request)?.requiredOrigin ?? 'the API'),
  })
  hosts.set('ada.example', { site: () => new Response('Ada') })
  hosts.set('www.ada.example', { redirect: { to: 'ada.example', status: 301 } })
  hosts.set('ada.stores.example', { redirect: { to: 'ada.example', status: 307 } })
  hosts.set('new.example', { site: () => new Response('New') })
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
      hosts.set('www.ada.example', { redirect: { to: 'ada.example', status } })
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
    hosts.set('ada.example', { site: async () => new Response('Ada'), hsts: true })
    hosts.set('www.ada.example', { redirect: { to: 'ada.example', status: 301 }, hsts: true })
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
