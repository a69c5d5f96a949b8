import { afterAll, describe, expect, test } from 'bun:test'
import { rmSync, truncateSync, writeFileSync } from 'node:fs'
import { createSiteListener, testLog } from '../../testing/site-listener.ts'
import { createStoredFiles, findIn } from '../../testing/stored-files.ts'
import { createContents } from './contents.ts'
import { createAddressCache, createSite } from './site.ts'

const files = createStoredFiles()
afterAll(() => files.remove())
const logged: string[] = []
const log = testLog(logged)
const text = 'The quick brown fox. '.repeat(500)
const limits = { memoryBytes: 100_000, fileBytes: 20_000 }

describe('a compressed form that is not on disk or has another content', () => {
  const page = files.add('404.html', '<h1>Lost</h1>'.repeat(100), { isCompressed: true })
  const small = files.add('small.txt', `${text} small`, { isCompressed: true })
  const large = files.add('large.txt', Buffer.from(crypto.getRandomValues(new Uint8Array(30_000))), {
    isCompressed: true,
  })
  const changed = files.add('changed.txt', `${text} changed`, { isCompressed: true })
  for (const { encodings } of [page, small, large]) {
    rmSync(files.pathOf(encodings?.br?.hash ?? ''))
    truncateSync(files.pathOf(encodings?.gzip?.hash ?? ''), 0)
  }
  for (const form of [changed.encodings?.br, changed.encodings?.gzip]) {
    writeFileSync(files.pathOf(form?.hash ?? ''), Buffer.alloc(form?.size ?? 0))
  }
  const own = createSite(findIn([page, small, large, changed]), { contents: createContents(files, limits), log })
  const other = createSiteListener(() => own)
  afterAll(() => other.stop())

  test('is one log line with its hash, and the response is the one to a client that accepts no coding', async () => {
    for (const [path, file] of [
      ['/small.txt', small],
      ['/large.txt', large],
      ['/changed.txt', changed],
      ['/none', page],
    ] as const) {
      logged.length = 0
      for (const method of ['GET', 'HEAD']) {
        const send = async (coding: string) => {
          const response = await other.send(path, { 'accept-encoding': coding }, method)
          return [response.status, { ...Object.fromEntries(response.headers), date: '' }, await response.text()]
        }
        const identity = await send('identity')
        expect(identity[1]).toMatchObject({ etag: `"${file.hash.slice(0, 32)}"`, vary: 'Accept-Encoding' })
        for (const coding of ['br', 'gzip'] as const) {
          expect([path, method, coding, ...(await send(coding))]).toEqual([path, method, coding, ...identity])
        }
      }
      expect(logged).toEqual(
        [file.encodings?.br, file.encodings?.gzip].map((form) => expect.stringContaining(form?.hash ?? '')),
      )
      for (const line of logged) {
        expect(line).toMatch(/a compressed form .* is sent uncompressed: deploy the site again.*path=/)
      }
    }
    expect(other.logged).toEqual([])
  })

  test('leaves the conditions of a request to the uncompressed file', async () => {
    const tag = `"${small.hash.slice(0, 32)}"`
    const statusOf = (headers: Record<string, string>) =>
      other.send('/small.txt', { 'accept-encoding': 'br', ...headers }).then(({ status }) => status)
    expect(await statusOf({ 'if-none-match': tag })).toBe(304)
    expect(await statusOf({ 'if-match': tag.replace(/"$/, '-br"') })).toBe(412)
  })
})

test('a file whose compressed form and whose own bytes cannot be read is a 503, and the log names both', async () => {
  const file = files.add('both.txt', `${text} both`, { isCompressed: true })
  const hashes = [file.encodings?.br?.hash ?? '', file.hash]
  for (const hash of hashes) rmSync(files.pathOf(hash))
  const own = createSite(findIn([file]), { contents: createContents(files, limits), log })
  logged.length = 0
  const response = await own(new Request('http://shop.example/both.txt', { headers: { 'accept-encoding': 'br' } }))
  expect([response.status, logged]).toEqual([503, hashes.map((hash) => expect.stringContaining(hash))])
})

test('a file that was unreadable before is logged again once the site was deployed again', async () => {
  const file = files.add('twice.txt', `${text} twice`)
  rmSync(files.pathOf(file.hash))
  const addresses = createAddressCache()
  const send = async (name: string) => {
    const own = createSite(findIn([{ ...file }]), { contents: createContents(files, limits), log, addresses, name })
    for (let n = 0; n < 3; n++) await own(new Request('http://shop.example/twice.txt'))
    return logged.splice(0).length
  }
  logged.length = 0
  expect([await send('first'), await send('second')]).toEqual([1, 1])
})
