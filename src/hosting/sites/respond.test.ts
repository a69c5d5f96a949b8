import { afterAll, describe, expect, test } from 'bun:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { silentLog } from '../../lib/log.ts'
import { createSiteListener } from '../../testing/site-listener.ts'
import { createStoredFiles, findIn } from '../../testing/stored-files.ts'
import { createContents } from './contents.ts'
import { createSite } from './site.ts'

const files = createStoredFiles()
const modifiedMs = Date.UTC(2026, 10, 1, 12, 30, 15)
const [modified, earlier, later] = [0, -1_000, 86_400_000].map((ms) => new Date(modifiedMs + ms).toUTCString())
const random = (size: number) => Buffer.from(Array.from({ length: size }, (_, index) => (index * 7919) % 253))
const text = (size: number) => Buffer.from('All work and no play. '.repeat(size / 22))

/** Two files in memory and two on disk, with compressed variants and without. */
const contents = { '/a.bin': random(500), '/b.bin': random(30_000), '/c.txt': text(2_200), '/d.txt': text(66_000) }
const manifest = Object.entries(contents).map(([path, bytes]) =>
  files.add(path.slice(1), bytes, { modifiedMs, isCompressed: path.endsWith('.txt') }),
)
// Compressed text of the two files is small; the identity of /d.txt is on disk.
const store = createContents(files, { memoryBytes: 1_000_000, fileBytes: 20_000 })
const site = createSite(findIn(manifest), { contents: store, log: silentLog })
const server = createSiteListener(() => site)
afterAll(async () => {
  await server.stop()
  files.remove()
})

const tagOf = async (path: string, coding = 'identity') => {
  const response = await server.send(path, { 'accept-encoding': coding }, 'HEAD')
  return response.headers.get('etag') ?? ''
}

describe('a condition', () => {
  test('decides between the file, 304 and 412 in the order of RFC 9110', async () => {
    const tag = await tagOf('/c.txt')
    const cases: [status: number, headers: Record<string, string | undefined>][] = [
      [304, { 'if-none-match': tag }],
      [304, { 'if-none-match': `W/${tag}` }],
      [304, { 'if-none-match': `"x", ${tag}` }],
      [304, { 'if-none-match': '*' }],
      [200, { 'if-none-match': '"x"' }],
      [200, { 'if-none-match': tag.replaceAll('"', '') }],
      [304, { 'if-none-match': tag, 'if-modified-since': earlier }],
      [200, { 'if-none-match': '"x"', 'if-modified-since': modified }],
      [304, { 'if-modified-since': modified }],
      [200, { 'if-modified-since': earlier }],
      [200, { 'if-modified-since': later }],
      [200, { 'if-modified-since': 'undefined' }],
      [200, { 'if-match': tag }],
      [200, { 'if-match': '*' }],
      [200, { 'if-match': `"x", ${tag}` }],
      [412, { 'if-match': '"x"' }],
      [200, { 'if-match': `W/${tag}` }],
      // The tags of files have the coding themselves: this one is that of another representation.
      [200, { 'if-none-match': tag.replace(/"$/, '-gzip"') }],
      [412, { 'if-match': tag.replace(/"$/, '-gzip"') }],
      [412, { 'if-match': '"x"', 'if-none-match': tag }],
      [304, { 'if-match': tag, 'if-none-match': tag }],
      [200, { 'if-unmodified-since': modified }],
      [200, { 'if-unmodified-since': later }],
      [412, { 'if-unmodified-since': earlier }],
      [200, { 'if-unmodified-since': 'null' }],
      [200, { 'if-match': tag, 'if-unmodified-since': earlier }],
      [304, { 'if-none-match': tag, range: 'bytes=0-1' }],
      [412, { 'if-match': '"x"', range: 'bytes=9999999-' }],
    ]
    for (const [status, headers] of cases) {
      const sent = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined))
      for (const method of ['GET', 'HEAD']) {
        const response = await server.send('/c.txt', sent as Record<string, string>, method)
        expect([method, headers, response.status]).toEqual([method, headers, status])
        const body = await response.text()
        if (status === 304) expect(body).toBe('')
      }
    }
  })

  test('that gives 304 leaves the headers that caches need, and none of a body', async () => {
    const tag = await tagOf('/c.txt', 'br')
    const { headers } = await server.send('/c.txt', { 'accept-encoding': 'br', 'if-none-match': tag })
    expect(Object.fromEntries(headers)).toEqual({
      'cache-control': 'public, max-age=0, must-revalidate',
      date: expect.any(String),
      etag: tag,
      'last-modified': modified ?? '',
      vary: 'Accept-Encoding',
    })
  })

  test('compares the tag of the coding that would be sent', async () => {
    const tag = await tagOf('/c.txt', 'br')
    expect(tag).toEndWith('-br"')
    expect((await server.send('/c.txt', { 'accept-encoding': 'gzip', 'if-none-match': tag })).status).toBe(200)
    expect((await server.send('/c.txt', { 'accept-encoding': 'gzip', 'if-match': tag })).status).toBe(412)
    expect((await server.send('/c.txt', { 'accept-encoding': 'br', 'if-match': tag })).status).toBe(200)
  })
})

describe('a range', () => {
  test('is sent of the identity coding, whatever coding the client accepts', async () => {
    for (const [path, bytes] of Object.entries(contents)) {
      const response = await server.send(path, { range: 'bytes=10-19', 'accept-encoding': 'br, gzip' })
      expect(response.status).toBe(206)
      expect(response.headers.get('content-range')).toBe(`bytes 10-19/${bytes.length}`)
      expect(response.headers.get('content-encoding')).toBeNull()
      expect(response.headers.get('content-length')).toBe('10')
      expect(response.headers.get('etag')).toBe(await tagOf(path))
      expect(await response.bytes()).toEqual(new Uint8Array(bytes.subarray(10, 20)))
    }
  })

  test('behind the end of the file is 416 with its size', async () => {
    for (const [path, bytes] of Object.entries(contents)) {
      const response = await server.send(path, { range: `bytes=${bytes.length}-` })
      expect([response.status, response.headers.get('content-range')]).toEqual([416, `bytes */${bytes.length}`])
      expect(await response.text()).toContain('Range not satisfiable')
    }
  })

  test('of a HEAD is ignored', async () => {
    const response = await server.send('/b.bin', { range: 'bytes=0-1' }, 'HEAD')
    expect([response.status, response.headers.get('content-length')]).toEqual([200, '30000'])
  })

  test('is sent only if If-Range has the tag of the identity coding; a date never counts', async () => {
    for (const [path, bytes] of Object.entries(contents)) {
      const tag = await tagOf(path)
      const partial = await server.send(path, { range: 'bytes=5-', 'if-range': tag })
      expect([path, partial.status, (await partial.bytes()).length]).toEqual([path, 206, bytes.length - 5])
      for (const other of [
        '"x"',
        `W/${tag}`,
        await tagOf(path, 'br').then((one) => `${one}x`),
        modified ?? '',
        'null',
      ]) {
        const whole = await server.send(path, { range: 'bytes=5-', 'if-range': other })
        expect([path, other, whole.status, whole.headers.get('content-range')]).toEqual([path, other, 200, null])
        expect(Buffer.from(await whole.bytes()).equals(bytes)).toBe(true)
      }
    }
  })
})

test('any combination of headers agrees with a plain model', async () => {
  const tags = new Map<string, string>()
  for (const path of Object.keys(contents)) {
    for (const coding of ['identity', 'br', 'gzip']) tags.set(`${path} ${coding}`, await tagOf(path, coding))
  }
  const bound = fc.oneof(fc.nat(700), fc.nat(70_000), fc.constant(''))
  const range = fc.oneof(
    fc.tuple(bound, bound).map(([first, last]) => `bytes=${first}-${last}`),
    fc.constantFrom('bytes=0-1,5-6', 'bytes=x', 'lines=1-2'),
  )
  const condition = fc.constantFrom('identity', 'br', 'gzip', 'other', '*')
  const request = fc.record(
    {
      path: fc.constantFrom(...(Object.keys(contents) as (keyof typeof contents)[])),
      accepted: fc.constantFrom('identity', 'br', 'gzip', 'br, gzip', 'gzip;q=0.5, br;q=0'),
      range,
      ifRange: condition.filter((one) => one !== '*'),
      ifMatch: condition,
      ifNoneMatch: condition,
    },
    { requiredKeys: ['path', 'accepted'] },
  )
  await fc.assert(
    fc.asyncProperty(request, async ({ path, accepted, range, ifRange, ifMatch, ifNoneMatch }) => {
      const bytes = contents[path]
      const tag = (name: string) => (name === '*' ? '*' : (tags.get(`${path} ${name}`) ?? '"other"'))
      const headers = {
        'accept-encoding': accepted,
        ...(range === undefined ? {} : { range }),
        ...(ifRange === undefined ? {} : { 'if-range': tag(ifRange) }),
        ...(ifMatch === undefined ? {} : { 'if-match': tag(ifMatch) }),
        ...(ifNoneMatch === undefined ? {} : { 'if-none-match': tag(ifNoneMatch) }),
      }
      const response = await server.send(path, headers)
      const body = Buffer.from(await response.bytes())

      const part = /^bytes=(\d*)-(\d*)$/.exec(range ?? '')
      const isCompressed = path.endsWith('.txt')
      const coding = !isCompressed ? 'identity' : accepted.startsWith('br') ? 'br' : accepted.split(/[,;]/)[0]
      const [first = '', last = ''] = part?.slice(1) ?? []
      const isRange =
        first + last !== '' &&
        (first === '' || last === '' || Number(first) <= Number(last)) &&
        (ifRange === undefined || tag(ifRange) === tag('identity'))
      const current = tag(isRange ? 'identity' : (coding ?? ''))
      const start = first === '' ? Math.max(0, bytes.length - Number(last)) : Number(first)
      const slice = bytes.subarray(start, first === '' || last === '' ? bytes.length : Number(last) + 1)

      const is = (name: string | undefined) => name !== undefined && (name === '*' || tag(name) === current)
      const got = [response.status, response.headers.get('content-range')]
      if (ifMatch !== undefined && !is(ifMatch)) return expect(got).toEqual([412, null])
      if (is(ifNoneMatch)) return expect([...got, body.length]).toEqual([304, null, 0])
      if (isRange && slice.length === 0) return expect(got).toEqual([416, `bytes */${bytes.length}`])
      if (isRange) {
        expect(got).toEqual([206, `bytes ${start}-${start + slice.length - 1}/${bytes.length}`])
        return expect(body.equals(slice)).toBe(true)
      }
      expect([...got, response.headers.get('etag')]).toEqual([200, null, current])
      const encoding = response.headers.get('content-encoding')
      expect(encoding ?? 'identity').toBe(coding ?? '')
      const decoded = encoding === 'br' ? brotliDecompressSync(body) : encoding === 'gzip' ? gunzipSync(body) : body
      expect(bytes.equals(decoded)).toBe(true)
    }),
    { numRuns: 150 },
  )
})
