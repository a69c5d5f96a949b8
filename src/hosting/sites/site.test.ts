import { afterAll, describe, expect, test } from 'bun:test'
import { rmSync, truncateSync, writeFileSync } from 'node:fs'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { createSiteListener, testLog } from '../../testing/site-listener.ts'
import { createStoredFiles, findIn } from '../../testing/stored-files.ts'
import { createContents } from './contents.ts'
import { createAddressCache, createSite } from './site.ts'

const files = createStoredFiles()
const logged: string[] = []
const log = testLog(logged)
const modifiedMs = Date.UTC(2026, 10, 1, 12, 30, 15)
const modified = 'Sun, 01 Nov 2026 12:30:15 GMT'
const text = 'The quick brown fox. '.repeat(500)
const film = Buffer.from(Array.from({ length: 50_000 }, (_, index) => index % 251))
const limits = { memoryBytes: 100_000, fileBytes: 20_000 }

const manifest = [
  files.add('index.html', '<h1>Shop</h1>', { modifiedMs }),
  files.add('about.html', '<h1>About</h1>'),
  files.add('docs/index.html', '<h1>Docs</h1>'),
  files.add('text.txt', text, { modifiedMs, isCompressed: true }),
  files.add('film.mp4', film, { modifiedMs }),
  files.add('data.zip', film.subarray(1)),
  files.add('empty.css', ''),
  files.add('LICENSE', 'MIT'),
  files.add('photo.jpg', 'jpeg'),
  files.add('logo.svgz', Bun.gzipSync('<svg/>')),
]
const site = createSite(findIn(manifest), { contents: createContents(files, limits), log })
const server = createSiteListener(() => site)
afterAll(async () => {
  await server.stop()
  files.remove()
})

const picked = ({ headers }: Response, ...names: readonly string[]) => names.map((name) => headers.get(name))

describe('a file', () => {
  test('is sent with its type, its validators and the headers of every file', async () => {
    const response = await server.send('/')
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toEqual({
      'accept-ranges': 'bytes',
      'cache-control': 'public, max-age=0, must-revalidate',
      'content-length': '13',
      'content-type': 'text/html; charset=utf-8',
      date: expect.any(String),
      etag: `"${manifest[0]?.hash.slice(0, 32)}"`,
      'last-modified': modified,
      vary: 'Accept-Encoding',
      'x-content-type-options': 'nosniff',
    })
    expect(await response.text()).toBe('<h1>Shop</h1>')
  })

  test('that is compressed SVG is declared so, whatever the client accepts', async () => {
    const response = await server.send('/logo.svgz', { 'accept-encoding': 'br' })
    expect(picked(response, 'content-type', 'content-encoding')).toEqual(['image/svg+xml', 'gzip'])
    expect(Buffer.from(Bun.gunzipSync(await response.bytes())).toString()).toBe('<svg/>')
  })

  test('has no name of the store in its headers, whether in memory or on disk', async () => {
    for (const path of ['/data.zip', '/LICENSE', '/film.mp4', '/photo.jpg']) {
      const response = await server.send(path)
      expect([path, response.status]).toEqual([path, 200])
      expect(response.headers.get('content-disposition') ?? 'inline').toBe('inline')
    }
    expect(picked(await server.send('/data.zip'), 'content-type')).toEqual(['application/zip'])
    expect(picked(await server.send('/photo.jpg'), 'content-type', 'vary')).toEqual(['image/jpeg', null])
  })

  test('of no bytes is a 200 like any other', async () => {
    const response = await server.send('/empty.css')
    expect([response.status, await response.text(), ...picked(response, 'content-length')]).toEqual([200, '', '0'])
  })

  test('has the same headers by HEAD as by GET, and no body', async () => {
    const requests = ['/', '/docs', '/none', '/text.txt', '/film.mp4', '/empty.css', '/data.zip']
    for (const path of requests) {
      for (const coding of ['identity', 'br', 'gzip']) {
        const get = await server.send(path, { 'accept-encoding': coding })
        const head = await server.send(path, { 'accept-encoding': coding }, 'HEAD')
        const headersOf = ({ headers }: Response) => ({ ...Object.fromEntries(headers), date: headers.has('date') })
        const got = [path, coding, head.status, await head.text(), headersOf(head)]
        expect(got).toEqual([path, coding, get.status, '', headersOf(get)])
        await get.bytes()
      }
    }
  })

  test('can only be read', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const response = await server.send('/', {}, method)
      expect([method, response.status, ...picked(response, 'allow')]).toEqual([method, 405, 'GET, HEAD'])
    }
    expect(server.statuses.at(-1)).toBe('OPTIONS site 405 method_not_allowed')
  })

  test('is compressed as the client accepts, with a tag for each coding', async () => {
    const codings: [accepted: string, coding: string | null, decode: (bytes: Uint8Array) => Uint8Array][] = [
      ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
      ['gzip', 'gzip', gunzipSync],
      ['br;q=0, gzip;q=0.2', 'gzip', gunzipSync],
      ['identity', null, (bytes) => bytes],
      ['*;q=0', null, (bytes) => bytes],
    ]
    const tags = new Set<string | null>()
    for (const [accepted, coding, decode] of codings) {
      const response = await server.send('/text.txt', { 'accept-encoding': accepted })
      expect([accepted, ...picked(response, 'content-encoding', 'vary')]).toEqual([accepted, coding, 'Accept-Encoding'])
      expect(Buffer.from(decode(await response.bytes())).toString()).toBe(text)
      tags.add(response.headers.get('etag'))
    }
    expect(tags.size).toBe(3)
  })
})

describe('an address without a file', () => {
  test('is a plain page with status 404 that names nothing of the service', async () => {
    const response = await server.send('/none?a=b', { 'if-none-match': '*', range: 'bytes=0-1' })
    const page = await response.text()
    expect([response.status, ...picked(response, 'content-type', 'etag', 'x-content-type-options')]).toEqual([
      404,
      'text/html; charset=utf-8',
      null,
      'nosniff',
    ])
    expect(page).toContain('<h1>Page not found</h1>')
    expect(page).not.toMatch(/petstore|\/docs|none/i)
    expect(server.statuses.at(-1)).toBe('GET site 404 not_found')
  })

  test('is the page 404.html of the deploy with status 404, whole and in the accepted coding', async () => {
    const page = files.add('404.html', `<h1>Lost</h1>${' '.repeat(30_000)}`, { isCompressed: true })
    const own = createSite(findIn([page]), { contents: createContents(files, limits), log })
    const other = createSiteListener(() => own)
    for (const path of ['/', '/none', '/a/b/', '/%zz', '/.env']) {
      const response = await other.send(path, { 'if-none-match': '*', 'if-match': '"x"', range: 'bytes=0-1' })
      const got = [path, response.status, (await response.bytes()).length, ...picked(response, 'content-range')]
      expect(got).toEqual([path, 404, page.size, null])
    }
    const compressed = await other.send('/none', { 'accept-encoding': 'br' })
    expect([compressed.status, ...picked(compressed, 'content-encoding')]).toEqual([404, 'br'])
    expect(await other.send('/404.html').then(({ status }) => status)).toBe(200)
    for (const path of [
      '/.well-known/acme-challenge/x',
      '/.well-known/acme%2Dchallenge/',
      '/.well-known/pki-validation/a.txt',
    ]) {
      const response = await other.send(path)
      expect([path, response.status, (await response.text()).includes('Lost')]).toEqual([path, 404, false])
    }
    await other.stop()
  })

  test('redirects to the one that serves the page, with its query', async () => {
    for (const [path, location] of [
      ['/docs', '/docs/'],
      ['/docs?a=1&b=%2F/c', '/docs/?a=1&b=%2F/c'],
      ['/about/', '/about'],
    ] as const) {
      const response = await server.send(path)
      const got = [response.status, ...picked(response, 'location', 'cache-control')]
      expect([path, ...got]).toEqual([path, 308, location, 'public, max-age=0, must-revalidate'])
    }
  })

  test('outside of the deploy does not exist, however the path is written', async () => {
    for (const path of [
      '/../../etc/passwd',
      '/%2e%2e/%2e%2e/etc/passwd',
      '/..%2f..%2fetc/passwd',
      '/..\\..\\etc/passwd',
    ]) {
      const { status, body } = await server.sendLines(`GET ${path} HTTP/1.1`, 'Host: shop.example')
      expect([path, status, body.includes('root:')]).toEqual([path, 404, false])
    }
    const { hash } = files.add('other.txt', 'Another site’s file')
    expect((await server.send(`/${hash}`)).status).toBe(404)
  })
})

test('of the addresses without a file, those are kept in memory at which the fallback has a page', async () => {
  const addresses = createAddressCache()
  const respond = (_: Request, path: string) =>
    path === 'page' ? new Response('page') : new Response(null, { status: 308, headers: { location: '/page' } })
  const withFallback = createSite(findIn(manifest), {
    ...{ contents: createContents(files, limits), log, addresses },
    fallback: { respond, notFound: () => new Response(null, { status: 404 }) },
  })
  for (const path of ['page', 'page/1', 'page/2']) await withFallback(new Request(`http://shop.example/${path}`))
  expect([...addresses.keys()]).toEqual([' page'])
})

describe('a file that is not on disk or has another content', () => {
  test('is a 503 at each request and one log line, and the others are served', async () => {
    const small = files.add('small.txt', 'gone soon')
    const large = files.add('large.bin', film.subarray(2))
    const cut = files.add('cut.bin', film.subarray(3))
    const changed = files.add('changed.txt', 'as it was')
    const page = files.add('404.html', 'gone too')
    const whole = files.add('whole.txt', 'still here')
    for (const { hash } of [small, large, page]) rmSync(files.pathOf(hash))
    truncateSync(files.pathOf(cut.hash), 30_000)
    writeFileSync(files.pathOf(changed.hash), 'AS IT WAS')
    const broken = createSite(findIn([small, large, cut, changed, page, whole]), {
      contents: createContents(files, limits),
      log,
    })
    const other = createSiteListener(() => broken)
    for (const path of ['/small.txt', '/large.bin', '/cut.bin', '/changed.txt', '/none']) {
      logged.length = 0
      for (const method of ['GET', 'HEAD']) {
        for (const range of ['', 'bytes=0-1']) {
          const response = await other.send(path, { range }, method)
          expect([path, method, response.status, ...picked(response, 'retry-after', 'cache-control', 'etag')]).toEqual([
            path,
            method,
            503,
            '60',
            'no-store',
            null,
          ])
        }
      }
      expect(logged).toEqual([expect.stringContaining('a file of a site cannot be read')])
    }
    expect(other.statuses.at(-1)).toBe('HEAD site 503 storage_unavailable')
    expect(await (await other.send('/whole.txt')).text()).toBe('still here')
    expect(other.logged).toEqual([])
    await other.stop()
  })

  test('is served again as soon as it is back', async () => {
    const file = files.add('back.txt', 'restored')
    rmSync(files.pathOf(file.hash))
    const own = createSite(findIn([file]), { contents: createContents(files, limits), log })
    expect((await own(new Request('http://shop.example/back.txt'))).status).toBe(503)
    files.add('back.txt', 'restored')
    expect(await (await own(new Request('http://shop.example/back.txt'))).text()).toBe('restored')
  })
})
