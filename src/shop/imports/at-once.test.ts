import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { importsPerTest, rows } from './testing/per-test.ts'

const { opened, send, names, untilUndone } = importsPerTest()

test('other requests read and write while animals are added, and get their own ids', async () => {
  const importing = send(`name,category\n${rows(6_000)}`)
  const order: string[] = []
  void importing.then(() => order.push('imported'))
  let last = 0
  for (let i = 0; i < 3; i++) {
    const { json } = await opened.store.call('POST', '/v1/pets', { body: { name: `New ${i}`, categoryId: 1 } })
    order.push('created')
    last = json.id
  }
  const { json: result } = await importing
  expect(order.slice(0, 3)).toEqual(['created', 'created', 'created'])
  expect(result.imported).toBe(6_000)
  expect((await opened.store.call('GET', '/v1/pets/count')).json.count).toBe(6_003)
  const undone = await opened.store.call('DELETE', '/v1/imports/1')
  expect(undone.json).toEqual({ id: 1, removed: 6_000, removedCategories: 0, changed: 0, ordered: 0 })
  expect(await names()).toEqual(['New 0', 'New 1', 'New 2'])
  expect(last).toBeGreaterThan(0)
})

test('of simultaneous requests to undo an import one succeeds', async () => {
  await send(`name,category\n${rows(500)}`)
  const undone = await Promise.all([1, 2, 3].map(() => opened.store.call('DELETE', '/v1/imports/1')))
  expect(undone.map(({ status }) => status).sort()).toEqual([200, 409, 409])
  expect(await names()).toEqual([])
})

test('of simultaneous imports with a new category, only the one that adds it lists it', async () => {
  const file = `name,category\n${rows(500)}Nora,Newt\n`
  const results = (await Promise.all([1, 2].map(() => send(file)))).map(({ json }) => json)
  expect(results.map(({ newCategories }) => newCategories).sort()).toEqual([[], ['Newt']])
  const [later] = results.filter(({ newCategories }) => newCategories.length === 0)
  await opened.store.call('DELETE', `/v1/imports/${later.id}`)
  expect((await opened.store.call('GET', '/v1/categories/7')).json).toMatchObject({ name: 'Newt', petCount: 1 })
})

/** A body that sends `head` and then waits. */
function stalled(head: string) {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  const stream = new ReadableStream<Uint8Array>({
    start(given) {
      controller = given
      given.enqueue(new TextEncoder().encode(head))
    },
  })
  return { stream, end: () => controller?.close(), fail: () => controller?.error(new Error('disconnected')) }
}

const file = 'name,category\nAda,Cat\n'
const stalledUploads = (count: number) => Array.from({ length: count }, () => stalled(file))

async function otherAccount() {
  const { key } = await opened.store.newKey()
  return { Authorization: `Bearer ${key}` }
}

test('at most four imports of an account run at a time, and those of others and undos are not affected', async () => {
  expect((await send(file)).status).toBe(201)
  const uploads = stalledUploads(4)
  const other = await otherAccount()
  const running = uploads.map(({ stream }) => send(stream, '', other))
  await Bun.sleep(0)
  expect((await send(file, '', other)).json).toMatchObject({ code: 'conflict', status: 409 })
  expect((await send(file)).status).toBe(201)
  expect((await opened.store.call('DELETE', '/v1/imports/1', { headers: other })).status).toBe(200)
  for (const upload of uploads) upload.end()
  expect((await Promise.all(running)).map(({ status }) => status)).toEqual([201, 201, 201, 201])
  expect((await send(file, '', other)).status).toBe(201)
})

test('while an account has the maximum number of imports, its Idempotency-Keys are still recognised', async () => {
  const keyed = (key: string) => ({ 'Idempotency-Key': key })
  const first = await send(file, '', keyed('spring'))
  const uploads = stalledUploads(4)
  const running = uploads.map(({ stream }, i) => send(stream, '', keyed(`upload-${i}`)))
  await Bun.sleep(0)
  const again = await send(file, '', keyed('spring'))
  expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([201, first.text, 'true'])
  const codes = [
    ['spring', 'idempotency_key_reused'],
    ['upload-1', 'idempotency_in_progress'],
    ['autumn', 'conflict'],
  ] as const
  for (const [key, code] of codes) expect((await send('name,category\nBea,Cat\n', '', keyed(key))).json.code).toBe(code)
  for (const upload of uploads) upload.end()
  expect((await Promise.all(running)).map(({ status }) => status)).toEqual([201, 201, 201, 201])
})

test('at most sixteen imports of all accounts run at a time, and undos are not affected', async () => {
  expect((await send(file)).status).toBe(201)
  const uploads = stalledUploads(16)
  const accounts = await Promise.all([1, 2, 3, 4].map(otherAccount))
  const running = uploads.map(({ stream }, i) => send(stream, '', accounts[i % 4]))
  await Bun.sleep(0)
  const refused = await send(file)
  expect([refused.status, refused.json.code, refused.headers.get('retry-after')]).toEqual([
    503,
    'storage_unavailable',
    '10',
  ])
  expect((await opened.store.call('DELETE', '/v1/imports/1')).status).toBe(200)
  for (const upload of uploads) upload.end()
  expect(new Set((await Promise.all(running)).map(({ status }) => status))).toEqual(new Set([201]))
  expect((await send(file)).status).toBe(201)
})

test('an upload that breaks off adds nothing and leaves no file', async () => {
  const upload = stalled('name,category\nAda,Cat\n')
  const running = send(upload.stream).catch(() => undefined)
  await Bun.sleep(5)
  expect(readdirSync(opened.folder).filter((name) => name.includes('import'))).toEqual([])
  upload.fail()
  const response = await running
  expect(response?.status ?? 400).toBeGreaterThanOrEqual(400)
  expect(await names()).toEqual([])
  expect(readdirSync(opened.folder).filter((name) => name.includes('import'))).toEqual([])
})

test('an import that fails in the middle is removed, and its ids are never used again', async () => {
  const { pets } = opened.store.app
  const { putBack } = pets
  let added = 0
  pets.putBack = (pet) => {
    if (++added === 1_500) throw new Error('no')
    putBack(pet)
  }
  expect((await send(`name,category\n${rows(3_000).replace('Dog', 'Newt')}`)).status).toBe(500)
  pets.putBack = putBack
  expect(await names()).toEqual([])
  expect((await opened.store.call('GET', '/v1/imports')).json).toEqual([])
  expect((await opened.store.call('GET', '/v1/categories')).json).toHaveLength(6)
  expect((await opened.store.call('POST', '/v1/pets', { body: { name: 'Next', categoryId: 1 } })).json.id).toBe(3_001)
})

test('a service that stops ends the imports that are running', async () => {
  const upload = stalled(`name,category\n${rows(20_000)}`)
  const running = send(upload.stream)
  await Bun.sleep(5)
  upload.end()
  await opened.store.app.runningImports.stop()
  const { status, json } = await running
  expect([status, json.message]).toEqual([503, expect.stringContaining('The service is stopping')])
  expect((await send('name,category\nAda,Cat\n')).status).toBe(503)
})

test('an undo that a service ends when it stops is finished by the next server', async () => {
  await send(`name,category\n${rows(6_000)}`)
  const { pets, runningImports } = opened.store.app
  const { remove } = pets
  let removed = 0
  pets.remove = (pet) => {
    if (++removed === 1_500) {
      void runningImports.stop()
      // The step is over.
      opened.store.clock.advance(10)
    }
    remove(pet)
  }
  const message =
    'The service is stopping. The next start finishes the undo if it has begun; otherwise undo the import again then.'
  for (const attempt of ['first', 'second']) {
    const { status, json } = await opened.store.call('DELETE', '/v1/imports/1')
    expect([attempt, status, json.message]).toEqual([attempt, 503, message])
  }
  await opened.restart()
  const { key } = await opened.store.newKey({ scopes: ['admin'] })
  const find = async () => (await opened.store.call('GET', '/v1/imports/1', { key })).json
  expect(await find()).toMatchObject({ state: 'undoing', undoneAt: null })
  await untilUndone()
  expect(await find()).toMatchObject({ state: 'undone', undoneAt: expect.any(String) })
  expect((await opened.store.call('GET', '/v1/pets', { key })).json).toEqual([])
  const { json } = await opened.store.call('GET', '/v1/audit?action=import.undone', { key })
  const [{ details, ...entry }] = json
  expect([json.length, entry.accountId, details.removed <= 4_500]).toEqual([1, 1, true])
})
