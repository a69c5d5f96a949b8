import { afterAll, expect, test } from 'bun:test'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'
import { createBackup } from '../../operate/backups/create.ts'
import { createSiteListener } from '../../testing/site-listener.ts'
import { deploysPerTest } from '../deploys/testing/per-test.ts'
import { misdirectedPage } from './pages.ts'

const shop = deploysPerTest()
const server = createSiteListener(() => shop.store.app.sites.ofSlug('paws')?.site ?? (() => misdirectedPage()))
afterAll(() => server.stop())

const page = 'words and more words. '.repeat(400)
const script = 'let words = 1\n'.repeat(30_000)
const site = { 'index.html': page, 'large.js': script, 'film.bin': 'film'.repeat(300_000) }

const compressFiles = () => shop.runJob('compress the files of live deploys')
const damagedFiles = () =>
  createBackup({ databasePath: shop.databasePath, environment: 'production' }, Date.now).damagedFiles
const pathOf = (hash = '') => shop.store.app.files.pathOf(hash)
const fileOf = (path: string, deployId = 1) => shop.store.app.deployFiles.find(deployId, path)

/** Changes a byte in the middle of a stored file. */
function damage(hash: string | undefined): void {
  const bytes = readFileSync(pathOf(hash))
  const at = Math.floor(bytes.length / 2)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  writeFileSync(pathOf(hash), bytes)
}

async function get(path: string, coding = 'identity') {
  const response = await server.send(path, { 'accept-encoding': coding })
  const bytes = await response.bytes()
  const found = response.headers.get('content-encoding')
  return [response.status, found, (found === 'br' ? brotliDecompressSync(bytes) : Buffer.from(bytes)).toString()]
}

test('deploying a site again repairs files and compressed forms whose bytes have changed, without a restart', async () => {
  await shop.createProject()
  await shop.deploy(site)
  await compressFiles()
  expect(damagedFiles()).toBe(0)
  for (const path of Object.keys(site)) {
    const { hash, encodings } = fileOf(path) ?? {}
    for (const one of [hash, encodings?.br?.hash, encodings?.gzip?.hash]) if (one) damage(one)
  }
  expect(damagedFiles()).toBe(7)
  expect((await get('/'))[0]).toBe(503)
  await shop.deploy(site)
  await compressFiles()
  expect(damagedFiles()).toBe(0)
  for (const [path, content] of Object.entries({ '/': page, '/large.js': script, '/film.bin': site['film.bin'] })) {
    expect(await get(path)).toEqual([200, null, content])
    expect(await get(path, 'br')).toEqual([200, path === '/film.bin' ? null : 'br', content])
  }
})

test('promoting a deploy makes its compressed forms again that are missing or damaged', async () => {
  await shop.createProject()
  await shop.deploy(site)
  await compressFiles()
  await shop.deploy({ 'index.html': 'two' })
  await compressFiles()
  rmSync(pathOf(fileOf('index.html')?.encodings?.br?.hash))
  damage(fileOf('large.js')?.encodings?.gzip?.hash)
  await shop.store.call('POST', '/v1/projects/1/deploys/1/promote')
  expect(await get('/', 'br')).toEqual([200, null, page])
  await compressFiles()
  expect(await get('/', 'br')).toEqual([200, 'br', page])
  expect(damagedFiles()).toBe(0)
})

test('a damaged file is not compressed before a deploy repairs it', async () => {
  await shop.createProject()
  await shop.deploy(site)
  damage(fileOf('index.html')?.hash)
  rmSync(pathOf(fileOf('large.js')?.hash))
  await compressFiles()
  expect([fileOf('index.html')?.encodings, fileOf('large.js')?.encodings]).toEqual([undefined, undefined])
  await shop.deploy(site)
  await compressFiles()
  expect([await get('/', 'br'), await get('/large.js', 'br')]).toEqual([
    [200, 'br', page],
    [200, 'br', script],
  ])
})
