import { afterEach, expect, test } from 'bun:test'
import type { AppConfig } from '../app/app-parts.ts'
import { parseNetwork } from '../lib/network.ts'
import { openTestStore } from '../testing/harness.ts'
import { createSiteListener } from '../testing/site-listener.ts'
import { createAbsoluteAddresses } from './absolute-addresses.ts'
import { attachCommand, contextOf } from './context.ts'

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** A store with two animals, behind a listener. */
async function serve(config: Partial<AppConfig> = {}) {
  const store = await openTestStore(config)
  const listener = createSiteListener(() => store.app.api.fetch)
  closing.push(listener.close, store.close)
  const headers = { Authorization: `Bearer ${store.key}` }
  const post = (path: string, body: object, own: Readonly<Record<string, string>> = {}) =>
    fetch(listener.url + path, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json', ...own },
      body: JSON.stringify(body),
    })
  for (const name of ['Ada', 'Bea']) await post('/v1/pets', { name, categoryId: 1 })
  return {
    store,
    url: listener.url,
    post,
    get: (path: string, own: Readonly<Record<string, string>> = {}) =>
      fetch(listener.url + path, { headers: { ...headers, ...own } }),
    /** The `Link` of the first page of animals, of a request with these headers. */
    async linkFor(own: Readonly<Record<string, string>> = {}): Promise<string | null> {
      return (await fetch(`${listener.url}/v1/pets?limit=1`, { headers: { ...headers, ...own } })).headers.get('link')
    },
  }
}

const next = (base: string) => `<${base}/v1/pets?limit=1&cursor=cGV0czox>; rel="next"`
const loopback = parseNetwork('127.0.0.1')

test('Link and Location begin with the address that the client has sent the request to', async () => {
  const { url, get, post, linkFor } = await serve()
  expect(await linkFor()).toBe(next(url))
  expect(await linkFor({ Host: 'shop.example:8443' })).toBe(next('http://shop.example:8443'))
  expect(await linkFor({ Host: 'a.b' })).toBe(next('http://a.b'))
  const pet = { name: 'Cleo', categoryId: 1 }
  const created = await post('/v1/pets', pet, { 'Idempotency-Key': 'once' })
  expect(created.headers.get('location')).toBe(`${url}/v1/pets/3`)
  const replayed = await post('/v1/pets', pet, { 'Idempotency-Key': 'once', Host: 'shop.example' })
  expect([replayed.status, replayed.headers.get('location')]).toEqual([201, 'http://shop.example/v1/pets/3'])
  for (const [path, status, own] of [
    ['/v1/pets/1', 200, {}],
    ['/v1/pets/99', 404, {}],
    ['/v1/pets/1', 401, { Authorization: '' }],
  ] as const) {
    const response = await get(path, own)
    const successor = `<${url}/v1/pets>; rel="successor-version"`
    expect([path, response.status, response.headers.get('link')]).toEqual([path, status, successor])
  }
})

test('a 304 has the address of its request, and the ETag of a page does not depend on it', async () => {
  const { get } = await serve()
  const first = await get('/v1/pets?limit=1', { Host: 'one.example' })
  const etag = first.headers.get('etag') ?? ''
  const again = await get('/v1/pets?limit=1', { Host: 'two.example', 'If-None-Match': etag })
  expect([again.status, again.headers.get('etag'), again.headers.get('link')]).toEqual([
    304,
    etag,
    next('http://two.example'),
  ])
})

test('the scheme is https if a trusted proxy reports it, but not if anybody else does', async () => {
  const forwarded = { Host: 'shop.example', 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'other.example' }
  const direct = await serve()
  expect(await direct.linkFor(forwarded)).toBe(next('http://shop.example'))
  const proxied = await serve({ trustedProxies: loopback ? [loopback] : [] })
  expect(await proxied.linkFor(forwarded)).toBe(next('https://shop.example'))
  expect(await proxied.linkFor({ Host: 'shop.example' })).toBe(next('http://shop.example'))
})

test('an address that the operator has given comes first, with its path', async () => {
  for (const base of ['https://shop.example/api', 'http://127.0.0.1:9000', 'https://shop.example/$&/v1/store']) {
    const { linkFor, post, get } = await serve({ givenUrl: `${base}/v1` })
    expect(await linkFor({ Host: 'inner.example' })).toBe(next(base))
    expect((await post('/v1/categories', { name: 'Snail' })).headers.get('location')).toBe(`${base}/v1/categories/7`)
    expect((await get('/v1/pets/1')).headers.get('link')).toBe(`<${base}/v1/pets>; rel="successor-version"`)
  }
})

test('a parameter cannot add an address', async () => {
  const { get, post, url } = await serve()
  for (const name of ['a </v1/>', 'b </v1/>']) await post('/v1/pets', { name, categoryId: 1 })
  const page = await get(`/v1/pets?limit=1&q=${encodeURIComponent('</v1/>')}`)
  expect(page.headers.get('link')).toStartWith(`<${url}/v1/pets?q=%3C%2Fv1%2F%3E&limit=1&cursor=`)
})

test('every link of a response is absolute', async () => {
  const { store } = await serve()
  const absolute = createAbsoluteAddresses({ ...store.app, givenUrl: 'https://shop.example/v1' })
  const request = new Request('http://localhost/v1/old')
  attachCommand(request, 0)
  const context = contextOf(request)
  if (context) context.isCommand = false
  const headers = new Headers([
    ['Link', '</v1/new>; rel="successor-version"'],
    ['Link', '</v1/old?cursor=a>; rel="next"'],
  ])
  const { headers: sent } = absolute(request, new Response(null, { headers }))
  const links = [
    '<https://shop.example/v1/new>; rel="successor-version"',
    '<https://shop.example/v1/old?cursor=a>; rel="next"',
  ]
  expect(sent.get('link')).toBe(links.join(', '))
})

test('for a command, which uses a socket, addresses are paths', async () => {
  const { store } = await serve({ givenUrl: 'https://shop.example/v1' })
  const request = new Request('http://petstore.local/v1/pets?limit=1')
  attachCommand(request, 0)
  expect((await store.app.api.fetch(request)).headers.get('link')).toBe(next(''))
})
