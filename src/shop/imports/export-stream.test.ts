import { afterEach, beforeEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import { emptyFolder } from '../../testing/executable.ts'
import { openTestStore, type TestStore } from '../../testing/harness.ts'
import { longestExportMs, maximumExports } from './export.ts'

let folder: ReturnType<typeof emptyFolder>
let store: TestStore
beforeEach(async () => {
  folder = emptyFolder()
  store = await openTestStore({ databasePath: join(folder.path, 'production.db') })
  await store.call('POST', '/v1/pets', { body: { name: '=1+1', categoryId: 1 } })
  await store.call('POST', '/v1/pets', { body: { name: 'Zoë, "the cat"', categoryId: 99, status: 'sold' } })
})
afterEach(async () => {
  await store.close()
  folder.remove()
})

const addMany = (count: number) =>
  store.app.writer.write(() => {
    for (let i = 0; i < count; i++) store.app.pets.add({ name: `Rex ${i}`, categoryId: 1, status: 'available' })
  })
const header =
  'id,name,categoryId,category,status,number,breed,color,sex,birthDate,microchip,price,description,published,attributes'
const open = () => store.app.exports.open({ format: 'csv', bom: false })

test('the file has all animals in the requested format, and a name', async () => {
  const csv = await store.call('GET', '/v1/exports/pets')
  expect(csv.text).toBe(
    `${header}\r\n1,'=1+1,1,Dog,available,,,,,,,,,true,\r\n2,"Zoë, ""the cat""",99,,sold,,,,,,,,,true,\r\n`,
  )
  expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(csv.headers.get('content-disposition')).toBe('attachment; filename="pets-2026-11-20.csv"')
  expect(csv.headers.get('cache-control')).toBe('no-store')
  expect(csv.headers.get('x-ratelimit-limit')).toBe('1000')
  const ndjson = await store.call('GET', '/v1/exports/pets?format=ndjson')
  expect(ndjson.headers.get('content-type')).toBe('application/x-ndjson')
  expect(
    ndjson.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).name),
  ).toEqual(['=1+1', 'Zoë, "the cat"'])
  expect((await store.call('GET', '/v1/exports/pets?format=json')).json.code).toBe('invalid_parameter')
})

test('an export has an ETag that lasts until an animal or a category changes', async () => {
  const path = '/v1/exports/pets'
  const get = (headers: Record<string, string> = {}, query = '') => store.call('GET', path + query, { headers })
  const etag = (await get()).headers.get('etag') ?? ''
  expect((await store.call('HEAD', path)).headers.get('etag')).toBe(etag)
  const current = await get({ 'If-None-Match': etag })
  expect([current.status, current.text, current.headers.get('etag')]).toEqual([304, '', etag])
  expect((await get({ 'If-None-Match': etag }, '?format=ndjson')).status).toBe(200)
  expect((await get({ 'If-None-Match': etag, 'Accept-Encoding': 'gzip' })).status).toBe(200)
  expect((await get({ 'If-Match': '"other"' })).json.code).toBe('precondition_failed')
  await store.call('POST', '/v1/store/orders', { body: { petId: 1 } })
  const ordered = await get({ 'If-None-Match': etag })
  expect([ordered.status, ordered.text.includes(',pending')]).toEqual([200, true])
  await store.call('PUT', '/v1/categories/99', { body: { name: 'Goat' } })
  const renamed = await get({ 'If-None-Match': ordered.headers.get('etag') ?? '' })
  expect([renamed.status, renamed.text.includes(',99,Goat,')]).toEqual([200, true])
})

test('an export is compressed for a client that accepts it', async () => {
  await addMany(3_000)
  const plain = await store.call('GET', '/v1/exports/pets')
  expect([plain.headers.get('content-encoding'), plain.headers.get('vary')]).toEqual([null, 'Accept-Encoding'])
  const request = new Request('http://localhost/v1/exports/pets', {
    headers: { Authorization: `Bearer ${store.key}`, 'Accept-Encoding': 'gzip, br' },
  })
  const response = await store.app.api.fetch(request)
  expect([response.headers.get('content-encoding'), response.headers.get('vary')]).toEqual(['gzip', 'Accept-Encoding'])
  const bytes = await response.bytes()
  expect(bytes.length).toBeLessThan(plain.text.length / 4)
  expect(new TextDecoder().decode(Bun.gunzipSync(bytes))).toBe(plain.text)
})

test('HEAD has the headers and begins no export', async () => {
  const head = await store.call('HEAD', '/v1/exports/pets')
  expect([head.status, head.text, head.headers.get('content-type')]).toEqual([200, '', 'text/csv; charset=utf-8'])
  for (let i = 0; i < 2 * maximumExports; i++) await store.call('HEAD', '/v1/exports/pets')
  expect((await store.call('GET', '/v1/exports/pets')).status).toBe(200)
})

test('an export is a snapshot: what changes while it is read is not in it', async () => {
  await addMany(3_000)
  const source = open()
  const head = await source.next()
  const first = await source.next()
  await store.call('DELETE', '/v1/pets/3002')
  await store.call('POST', '/v1/pets', { body: { name: 'Late', categoryId: 1 } })
  let text = `${head}${first}`
  for (let part = await source.next(); part !== undefined; part = await source.next()) text += part
  source.close()
  expect(text.trim().split('\r\n')).toHaveLength(3_003)
  expect(text).toContain('\r\n3002,')
  expect(text).not.toContain('Late')
})

test('at most four exports run at a time; one that was closed early makes room', async () => {
  const sources = Array.from({ length: maximumExports }, open)
  const rejected = await store.call('GET', '/v1/exports/pets')
  expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([503, '5'])
  sources[0]?.close()
  sources[0]?.close()
  expect((await store.call('GET', '/v1/exports/pets')).status).toBe(200)
  for (const source of sources) source.close()
})

test('an export that is read too slowly is ended', async () => {
  const source = open()
  await source.next()
  store.clock.skip(longestExportMs + 1)
  expect(await source.next().catch((error: Error) => error.message)).toContain('too slowly')
  source.close()
})

test('closing the store ends the exports', async () => {
  const source = open()
  store.app.exports.stop()
  expect(await source.next().catch((error: Error) => error.message)).toContain('was ended')
})

test('a store in memory is exported too', async () => {
  const memory = await openTestStore()
  await memory.call('POST', '/v1/pets', { body: { name: 'Ada', categoryId: 2 } })
  expect((await memory.call('GET', '/v1/exports/pets')).text).toContain('1,Ada,2,Cat,available')
  await memory.close()
})

test('exporting needs pets:read', async () => {
  const { key } = await store.newKey({ scopes: ['orders:read'] })
  expect((await store.call('GET', '/v1/exports/pets', { key })).status).toBe(403)
})
