import { afterEach, beforeEach, expect, spyOn, test } from 'bun:test'
import { rmSync, truncateSync } from 'node:fs'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { imageBytes } from '../../shop/photos/testing/images.ts'
import { openTestStore, type TestStore } from '../../testing/harness.ts'
import { createSiteListener } from '../../testing/site-listener.ts'
import { deployJobs } from '../deploys/jobs.ts'
import { buildZip } from '../deploys/testing/zip.ts'
import { misdirectedPage } from './pages.ts'

let store: TestStore
let server: ReturnType<typeof createSiteListener>
beforeEach(async () => {
  store = await openTestStore()
  server = createSiteListener((name = '') => {
    const [slug = ''] = name.split('.')
    return store.app.sites.ofSlug(slug)?.site ?? (() => misdirectedPage())
  })
})
afterEach(async () => {
  await server.stop()
  await store.close()
})

const get = async (slug: string, path = '/', headers: Record<string, string> = {}) => {
  const response = await server.send(path, { host: `${slug}.stores.example`, ...headers })
  return { status: response.status, headers: response.headers, bytes: await response.bytes() }
}
const text = async (slug: string, path = '/') => {
  const { status, bytes } = await get(slug, path)
  return [status, Buffer.from(bytes).toString()]
}
const createProject = (name: string) => store.call('POST', '/v1/projects', { body: { name } })
const deploy = async (project: number, files: Readonly<Record<string, string>>) => {
  const archive = buildZip(Object.entries(files).map(([name, content]) => ({ name, content })))
  const response = await store.call('POST', `/v1/projects/${project}/deploys`, {
    headers: { 'Content-Type': 'application/zip' },
    rawBody: new Blob([new Uint8Array(archive)]),
  })
  expect(response.status).toBe(201)
}
const runJob = (name: string, signal = new AbortController().signal) =>
  deployJobs(store.app)
    .find((job) => job.name === name)
    ?.run(signal)
const compressFiles = (signal?: AbortSignal) => runJob('compress the files of live deploys', signal)

test('the first request after a deploy or a roll back gets the new files', async () => {
  await createProject('Paws')
  expect(await text('paws')).toEqual([404, expect.stringContaining('Nothing published here yet')])
  await deploy(1, { 'index.html': 'one', 'only-one.txt': 'x' })
  expect(await text('paws')).toEqual([200, 'one'])
  expect((await text('paws', '/only-one.txt'))[0]).toBe(200)
  await deploy(1, { 'index.html': 'two' })
  expect(await text('paws')).toEqual([200, 'two'])
  expect((await text('paws', '/only-one.txt'))[0]).toBe(404)
  await store.call('POST', '/v1/projects/1/deploys/1/promote')
  expect(await text('paws')).toEqual([200, 'one'])
  expect((await text('paws', '/only-one.txt'))[0]).toBe(200)
})

test('a date of another deploy or of another life of a deploy is no proof that a copy is current', async () => {
  await createProject('Paws')
  const dateOf = async () => (await get('paws')).headers.get('last-modified') ?? ''
  const since = async (date: string) => (await get('paws', '/', { 'if-modified-since': date })).status
  // All entries have the same date.
  await deploy(1, { 'index.html': 'one' })
  const first = await dateOf()
  expect([first, await since(first)]).toEqual([
    new Date(Math.floor(store.clock.now() / 1000) * 1000).toUTCString(),
    304,
  ])
  await deploy(1, { 'index.html': 'two' })
  expect([await dateOf(), await since(first)]).toEqual([first, 200])
  expect((await get('paws', '/', { 'if-unmodified-since': first })).status).toBe(412)

  store.clock.setWall(store.clock.now() + 5_000)
  await deploy(1, { 'index.html': 'three' })
  const third = await dateOf()
  expect([third === first, await since(first), await since(third)]).toEqual([false, 200, 304])
  await compressFiles()
  expect([await dateOf(), await since(third)]).toEqual([third, 304])

  store.clock.setWall(store.clock.now() + 5_000)
  await store.call('POST', '/v1/projects/1/deploys/1/promote')
  const again = await dateOf()
  expect([[first, third].includes(again), await since(first), await since(third), await since(again)]).toEqual([
    false,
    200,
    200,
    304,
  ])
})

test('sites of two projects have nothing in common, and a slug of no project has none', async () => {
  await createProject('Paws')
  await createProject('Claws')
  expect((await text('paw'))[0]).toBe(421)
  await deploy(1, { 'index.html': 'paws', 'a.txt': 'a' })
  await deploy(2, { 'index.html': 'claws' })
  expect([await text('paws'), await text('claws')]).toEqual([
    [200, 'paws'],
    [200, 'claws'],
  ])
  expect((await text('claws', '/a.txt'))[0]).toBe(404)
  await store.call('DELETE', '/v1/projects/1')
  expect([(await text('paws'))[0], (await text('claws'))[0]]).toEqual([421, 200])
  expect(store.app.sites.ofProject(1)).toBeUndefined()
  expect(store.app.sites.ofProject(2)).toBeDefined()
})

test('text files are sent compressed once the job has compressed them, and vary by coding before that', async () => {
  await createProject('Paws')
  const content = 'words and more words. '.repeat(1_000)
  await deploy(1, { 'index.html': content, 'copy.html': content, 'small.txt': 'x', 'a.bin': 'x'.repeat(5_000) })
  const request = { 'accept-encoding': 'gzip' }
  const before = await get('paws', '/', request)
  expect([before.headers.get('content-encoding'), before.headers.get('vary')]).toEqual([null, 'Accept-Encoding'])
  await compressFiles()
  for (const path of ['/', '/copy']) {
    const after = await get('paws', path, request)
    expect([after.headers.get('content-encoding'), after.headers.get('vary')]).toEqual(['gzip', 'Accept-Encoding'])
    expect(gunzipSync(after.bytes).toString()).toBe(content)
  }
  expect((await get('paws', '/', { 'accept-encoding': 'br' })).headers.get('content-encoding')).toBe('br')
  expect((await get('paws', '/a.bin', request)).headers.get('content-encoding')).toBeNull()
  // The next deploy takes the compressed form over.
  await deploy(1, { 'index.html': content, 'new.html': `${content}!` })
  expect((await get('paws', '/', request)).headers.get('content-encoding')).toBe('gzip')
  expect((await get('paws', '/new', request)).headers.get('content-encoding')).toBeNull()
  await compressFiles()
  expect((await get('paws', '/new', request)).headers.get('content-encoding')).toBe('gzip')
})

test('a page is compressed although a file that is not text has the same content, in the same deploy or before', async () => {
  await createProject('Paws')
  const content = 'words and more words. '.repeat(400)
  const codingOf = async (path: string) =>
    (await get('paws', path, { 'accept-encoding': 'br' })).headers.get('content-encoding')
  await deploy(1, { 'index.html': content, 'z/page': content, only: `${content}!` })
  await compressFiles()
  expect(await codingOf('/')).toBe('br')
  await deploy(1, { 'index.html': content, 'new.html': `${content}!` })
  await compressFiles()
  expect([await codingOf('/'), await codingOf('/new')]).toEqual(['br', 'br'])
})

test('compressed forms that are missing or have another size are made again after the site is deployed again', async () => {
  await createProject('Paws')
  const contents = ['lost', 'cut', 'whole'].map((name) => `${name} words and more words. `.repeat(400))
  const [lost = '', cut = ''] = contents
  const site = { 'lost.html': lost, 'z/page': lost, 'cut.html': cut, 'whole.html': contents[2] ?? '' }
  await deploy(1, site)
  await compressFiles()
  const pathOf = (path: string, coding: 'br' | 'gzip') =>
    store.app.files.pathOf(store.app.deployFiles.find(1, path)?.encodings?.[coding]?.hash ?? '')
  rmSync(pathOf('lost.html', 'br'))
  truncateSync(pathOf('cut.html', 'gzip'), 10)
  await deploy(1, site)
  await compressFiles()
  for (const [path, content] of [
    ['/lost', lost],
    ['/cut', cut],
    ['/z/page', lost],
  ] as const) {
    for (const [coding, decode] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const { headers, bytes } = await get('paws', path, { 'accept-encoding': coding })
      expect([path, headers.get('content-encoding')]).toEqual([path, coding])
      expect(decode(bytes).toString()).toBe(content)
    }
  }
})

test('damaged compressed forms of a file that is not text are dropped, and made again for a page of the same content', async () => {
  await createProject('Paws')
  const content = 'words and more words. '.repeat(400)
  await deploy(1, { 'index.html': content, page: content })
  await compressFiles()
  const { encodings } = store.app.deployFiles.find(1, 'page') ?? {}
  rmSync(store.app.files.pathOf(encodings?.gzip?.hash ?? ''))
  const codingOf = async (path: string) =>
    (await get('paws', path, { 'accept-encoding': 'br' })).headers.get('content-encoding')
  await deploy(1, { page: content })
  await compressFiles()
  expect(await codingOf('/page')).toBeNull()
  await deploy(1, { 'index.html': content })
  await compressFiles()
  expect(await codingOf('/')).toBe('br')
})

test('compression that was interrupted continues, and a sweep keeps the compressed files', async () => {
  await createProject('Paws')
  const files = Object.fromEntries(
    Array.from({ length: 120 }, (_, n) => [`${n}.txt`, `${n} words and more words. `.repeat(100)] as const),
  )
  await deploy(1, files)
  const controller = new AbortController()
  const { write } = store.app.writer
  let writes = 0
  store.app.writer.write = (work) => {
    if (++writes === 1) controller.abort()
    return write(work)
  }
  await compressFiles(controller.signal)
  store.app.writer.write = write
  const encoded = async () => {
    let count = 0
    for (const path of Object.keys(files)) if (store.app.deployFiles.find(1, path)?.encodings?.gzip) count++
    return count
  }
  expect(await encoded()).toBe(50)
  await compressFiles()
  expect(await encoded()).toBe(120)
  store.clock.setWall(Date.now() + 2 * 3_600_000)
  await runJob('delete files that no deploy has')
  const { headers } = await get('paws', '/7.txt', { 'accept-encoding': 'br' })
  expect(headers.get('content-encoding')).toBe('br')
  await store.call('DELETE', '/v1/projects/1')
  await runJob('delete removed deploys')
  await runJob('delete files that no deploy has')
  const hash = new Bun.CryptoHasher('sha256').update(files['7.txt'] ?? '').digest('hex')
  expect(store.app.deployFiles.encodingsOf(hash)).toBeUndefined()
  expect(await Bun.file(store.app.files.pathOf(hash)).exists()).toBe(false)
})

test('a site of 20,000 files is served without reading its manifest', async () => {
  await createProject('Paws')
  const { app } = store
  const content = 'one content'
  await deploy(1, { 'index.html': content })
  const hash = new Bun.CryptoHasher('sha256').update(content).digest('hex')
  const owner = { id: 1, accountId: 1 }
  for (let at = 0; at < 20_000; at += 500) {
    const files = Array.from({ length: 500 }, (_, n) => ({
      path: `d${at}/${n}.html`,
      hash,
      size: content.length,
      contentType: 'text/html',
      modifiedMs: 0,
    }))
    await app.writer.write(() => app.deployFiles.add(owner, files))
  }
  let lookUps = 0
  const { find } = app.deployFiles
  app.deployFiles.find = (...args) => {
    lookUps++
    return find(...args)
  }
  expect(await text('paws', '/d19500/499')).toEqual([200, content])
  expect(await text('paws', '/d19500/499')).toEqual([200, content])
  expect(lookUps).toBeLessThanOrEqual(2)
})

test('the sites of the account Store serve photos of animals before their own files, those of others do not', async () => {
  await createProject('Paws')
  const partner = await store.newKey()
  await store.call('POST', '/v1/projects', { key: partner.key, body: { name: 'Claws' } })
  await store.call('POST', '/v1/pets', { body: { name: 'Ada', categoryId: 2 } })
  const { json: photo } = await store.call('POST', '/v1/pets/1/photos', {
    headers: { 'Content-Type': 'image/jpeg' },
    rawBody: new Blob([new Uint8Array(await imageBytes('jpeg'))]),
  })
  const served = await get('paws', photo.large)
  expect([served.status, served.headers.get('content-type')]).toEqual([200, 'image/jpeg'])
  expect((await get('claws', photo.large)).status).toBe(404)
  await deploy(1, { 'index.html': 'home', 'photos/shop.jpg': 'mine' })
  expect((await get('paws', photo.large)).status).toBe(200)
  expect(await text('paws', '/photos/shop.jpg')).toEqual([200, 'mine'])
  await store.call('DELETE', '/v1/pets/1/photos/1')
  expect((await get('paws', photo.large)).status).toBe(404)
})

test('a request for a page does not look up whose site it is', async () => {
  await createProject('Paws')
  await deploy(1, { 'index.html': 'home' })
  expect(await text('paws')).toEqual([200, 'home'])
  using installation = spyOn(store.app.owner, 'installation')
  // Called directly: while a response is awaited, the delivery of webhooks reads the installation too.
  const response = store.app.sites.ofSlug('paws')?.site(new Request('http://paws.stores.example/'))
  expect(installation).not.toHaveBeenCalled()
  expect((await response)?.status).toBe(200)
})
