import { expect, test } from 'bun:test'
import { importsPerTest, rows } from './testing/per-test.ts'

const { opened, send, names } = importsPerTest()

test('other requests are served while a file arrives, and see none of its animals or all of them', async () => {
  const importing = send(`name,category\n${rows(6_000)}`)
  let isImported = false
  void importing.then(() => {
    isImported = true
  })
  const counts = new Set<number>()
  let created = 0
  for (; !isImported; created++) {
    await opened.store.call('POST', '/v1/pets', { body: { name: `New ${created}`, categoryId: 1 } })
    counts.add((await opened.store.call('GET', '/v1/pets?categoryId=1&q=rex&limit=100')).json.length)
  }
  expect(created).toBeGreaterThan(2)
  expect([...counts].filter((count) => count !== 100)).toEqual([0])
  expect((await importing).json.imported).toBe(6_000)
  const { json: event } = await opened.store.call('GET', '/v1/events?types=import.*')
  expect(event[0].data.lastPetId - event[0].data.firstPetId).toBe(5_999)
  const undone = await opened.store.call('DELETE', '/v1/imports/1')
  expect(undone.json).toMatchObject({ id: 1, removed: 6_000, removedCategories: 0, changed: 0, ordered: 0 })
  expect(await names()).toEqual(Array.from({ length: Math.min(created, 100) }, (_, i) => `New ${i}`))
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

test('of an account at most four imports run at a time, one after the other, and those of others and undos are not affected', async () => {
  expect((await send(file)).status).toBe(201)
  const uploads = stalledUploads(4)
  const other = await otherAccount()
  const running = uploads.map(({ stream }) => send(stream, '', other))
  await Bun.sleep(0)
  expect((await send(file, '', other)).json).toMatchObject({ code: 'too_busy', status: 503 })
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
    ['autumn', 'too_busy'],
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
  expect([refused.status, refused.json.code, refused.headers.get('retry-after')]).toEqual([503, 'too_busy', '10'])
  expect((await opened.store.call('DELETE', '/v1/imports/1')).status).toBe(200)
  for (const upload of uploads) upload.end()
  expect(new Set((await Promise.all(running)).map(({ status }) => status))).toEqual(new Set([201]))
  expect((await send(file)).status).toBe(201)
})

test('at most two files are in memory at a time: others are read when one of them is done', async () => {
  const read: number[] = []
  const ends = [1, 2, 3].map(() => Promise.withResolvers<void>())
  const bodyOf = (i: number) => ({
    async pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      read.push(i)
      await ends[i]?.promise
      controller.enqueue(Buffer.from(file))
      controller.close()
    },
  })
  const accounts = await Promise.all([1, 2, 3].map(otherAccount))
  const running = accounts.map((account, i) => send(new ReadableStream(bodyOf(i), { highWaterMark: 0 }), '', account))
  await Bun.sleep(5)
  expect(read).toEqual([0, 1])
  ends[1]?.resolve()
  expect((await running[1])?.status).toBe(201)
  await Bun.sleep(5)
  expect(read).toEqual([0, 1, 2])
  for (const { resolve } of ends) resolve()
  expect((await Promise.all(running)).map(({ status }) => status)).toEqual([201, 201, 201])
})

test('an import that fails in the middle changes nothing', async () => {
  const { pets } = opened.store.app
  const { add } = pets
  let added = 0
  pets.add = (pet) => {
    if (++added === 1_500) throw new Error('no')
    return add(pet)
  }
  const failing = send(`name,category\n${rows(3_000).replace('Dog', 'Newt')}`)
  expect((await failing).status).toBe(500)
  pets.add = add
  expect(await names()).toEqual([])
  expect((await opened.store.call('GET', '/v1/imports')).json).toEqual([])
  expect((await opened.store.call('GET', '/v1/categories')).json).toHaveLength(6)
  expect((await opened.store.call('GET', '/v1/events?types=import.*')).json).toEqual([])
})

test('the error of another change in the same transaction does not repeat an import', async () => {
  const { pets, writer } = opened.store.app
  const { add } = pets
  let added = 0
  pets.add = (pet) => {
    added++
    return add(pet)
  }
  const { write } = writer
  writer.write = (work) => {
    const failing = writer.writeRepeatable(() => {
      throw new Error('no')
    })
    void failing.catch(() => {})
    return write(work)
  }
  expect((await send(`name,category\n${rows(100)}`)).status).toBe(201)
  expect(added).toBe(100)
})

test('an upload whose key is revoked meanwhile adds nothing', async () => {
  const { id, key } = await opened.store.newKey()
  const upload = stalled(file)
  const running = send(upload.stream, '', { Authorization: `Bearer ${key}` })
  await opened.store.call('DELETE', `/v1/keys/${id}`)
  upload.end()
  expect((await running).json).toMatchObject({ status: 401, code: 'revoked_api_key' })
  expect(await names()).toEqual([])
})

test('a service that stops ends the imports that are running or waiting', async () => {
  const uploads = [stalled(`name,category\n${rows(20_000)}`), stalled(file)]
  const running = uploads.map(({ stream }) => send(stream))
  await Bun.sleep(5)
  for (const upload of uploads) upload.end()
  await opened.store.app.importTurns.stop()
  for (const { status, json } of await Promise.all(running)) {
    expect([status, json.message]).toEqual([
      503,
      expect.stringContaining('The service is stopping. Nothing was changed'),
    ])
  }
  expect((await send(file)).status).toBe(503)
})
