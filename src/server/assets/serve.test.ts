import { afterAll, describe, expect, test } from 'bun:test'
import { emptyFolder } from '../../testing/executable.ts'
import { createAssetHandler } from './serve.ts'

const folder = emptyFolder()
afterAll(folder.remove)

const codings = { identity: `${folder.path}/a`, br: `${folder.path}/a.br`, gzip: `${folder.path}/a.gz` }
for (const [coding, path] of Object.entries(codings)) await Bun.write(path, `bytes in ${coding}`)

const handle = createAssetHandler('/docs', [
  { path: '/docs', type: 'text/html; charset=utf-8', hash: 'p1', codings },
  { path: '/docs/assets/a-1f.js', type: 'text/javascript; charset=utf-8', hash: 'a1', codings },
  { path: '/docs/assets/b-2f.png', type: 'image/png', hash: 'b1', codings: { identity: codings.identity } },
])

function send(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const response = handle(new Request(`http://localhost${path}`, { method, headers }))
  if (response === undefined) throw new Error(`${path} is not served.`)
  return response
}

test('a file is sent in the smallest coding that the client accepts', async () => {
  const sent: [accepted: string, coding: string][] = [
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['GZIP;q=0.5', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['br; q=0.0, *', 'gzip'],
    ['*;q=0', 'identity'],
    ['identity', 'identity'],
    ['', 'identity'],
  ]
  for (const [accepted, coding] of sent) {
    const response = send('/docs/assets/a-1f.js', { 'Accept-Encoding': accepted })
    expect([accepted, await response.text()]).toEqual([accepted, `bytes in ${coding}`])
    expect(response.headers.get('content-encoding')).toBe(coding === 'identity' ? null : coding)
    expect(response.headers.get('etag')).toBe(`"a1-${coding}"`)
    expect(response.headers.get('vary')).toBe('Accept-Encoding')
  }
  const uncompressed = send('/docs/assets/b-2f.png', { 'Accept-Encoding': 'br' })
  expect(await uncompressed.text()).toBe('bytes in identity')
})

test('files with a hash in their names are immutable for caches, and the page is revalidated with its ETag', () => {
  expect(send('/docs/assets/a-1f.js').headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  expect(send('/docs?url=https://example.com/openapi.json').headers.get('cache-control')).toBe('no-cache')
  for (const tags of ['"p1-gzip"', 'W/"p1-gzip"', '"other", "p1-gzip"', '*']) {
    const response = send('/docs', { 'Accept-Encoding': 'gzip', 'If-None-Match': tags })
    expect([tags, response.status, response.headers.get('etag')]).toEqual([tags, 304, '"p1-gzip"'])
    expect(response.headers.has('content-encoding')).toBe(false)
  }
  expect(send('/docs', { 'If-None-Match': '"p1-gzip"' }).status).toBe(200)
})

test('the security headers of the page forbid inline scripts, other hosts and frames', () => {
  const { headers } = send('/docs')
  const policy = headers.get('content-security-policy') ?? ''
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).not.toContain('unsafe')
  expect(policy).not.toContain('http')
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('referrer-policy')).toBe('same-origin')
})

describe('other requests', () => {
  test('a method other than GET and HEAD gets 405 with Allow', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      for (const path of ['/docs', '/docs/assets/a-1f.js']) {
        const response = send(path, {}, method)
        expect([method, response.status, response.headers.get('allow')]).toEqual([method, 405, 'GET, HEAD'])
        expect(await response.json()).toMatchObject({ code: 'method_not_allowed', status: 405 })
      }
    }
    expect(send('/docs', {}, 'HEAD').status).toBe(200)
  })

  test('the handler ignores every other path', () => {
    for (const path of ['/', '/docs/', '/docs/assets/', '/docs/assets/a-1f.js.br', '/docs/assets/../../etc/passwd']) {
      expect(handle(new Request(`http://localhost${path}`))).toBeUndefined()
    }
  })
})
