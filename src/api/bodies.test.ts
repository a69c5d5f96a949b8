import { afterEach, beforeEach, expect, test } from 'bun:test'
import { openTestStore, type TestStore } from '../testing/harness.ts'
import { maximumDepth } from './input/json.ts'

let store: TestStore
beforeEach(async () => {
  store = await openTestStore()
})
afterEach(() => store.close())

const json = { 'Content-Type': 'application/json' }
const post = (rawBody: BodyInit, path = '/v1/pets', headers: Record<string, string> = json) =>
  store.call('POST', path, { rawBody, headers })
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

test('a body that is nested too deeply is rejected before it is parsed', async () => {
  for (const depth of [maximumDepth + 1, 1_000, 25_000, 150_000]) {
    for (const body of [nested(depth), `{"name":${nested(depth)},"categoryId":1}`, '{"a":'.repeat(depth)]) {
      const response = await post(body)
      expect(response.json).toMatchObject({ code: 'invalid_body', status: 400 })
      expect(response.json.message).toContain(`deeper than ${maximumDepth} levels`)
    }
  }
  expect((await post(nested(500_000))).json).toMatchObject({ code: 'invalid_body' })
})

test('a body may be nested up to the limit, and brackets in strings do not count', async () => {
  const extra = nested(maximumDepth - 1)
  expect((await post(`{"name":"Ada","categoryId":1,"id":${extra}}`)).status).toBe(201)
  const name = '[{"\\\\'.repeat(20).slice(0, 90)
  expect((await post(JSON.stringify({ name, categoryId: 1, id: '['.repeat(1_000) }))).json).toMatchObject({ name })
})

test('a number that JavaScript would round to an integer is rejected as an integer', async () => {
  const create = (categoryId: string) => post(`{"name":"Ada","categoryId":${categoryId}}`)
  for (const rounded of [
    '9007199254740991.4',
    '1.00000000000000000001',
    '0.99999999999999999999',
    '9007199254740993',
  ]) {
    const response = await create(rounded)
    expect([rounded, response.json.code]).toEqual([rounded, 'invalid_body'])
    expect(response.json.message).toContain('categoryId must be an integer from 1 to 9007199254740991.')
  }
  for (const [text, value] of [
    ['9007199254740991', 9_007_199_254_740_991],
    ['1.0', 1],
    ['1.00000000000000000000', 1],
    ['12e1', 120],
    ['1.2000000000000000000e1', 12],
  ] as const) {
    expect((await create(text)).json).toMatchObject({ categoryId: value })
  }
  // In a member that is ignored such a number is not looked at, and in a string it is text.
  const name = '1.00000000000000000001 \\"1.00000000000000000001, \\\\'
  const others = '"id":[-0.00000000000000001,1.00000000000000000001,1.5,"\\\\"]'
  const created = await post(`{"name":"${name}",${others},"categoryId":1.00000000000000000000}`)
  expect(created.json).toMatchObject({ name: JSON.parse(`"${name}"`), categoryId: 1 })
  const malformed = [
    '01.00000000000000000001',
    '1.00000000000000000001.1',
    '.00000000000000000000001',
    '"1.00000000000000000001',
  ]
  for (const number of malformed) expect([number, (await create(number)).json.code]).toEqual([number, 'malformed_json'])
})

test('every operation with a body rejects one that is not an object', async () => {
  const { id } = await store.newKey()
  const operations = [
    ['POST', '/v1/pets'],
    ['PATCH', '/v1/pets/1'],
    ['POST', '/v1/categories'],
    ['PUT', '/v1/categories/1'],
    ['POST', '/v1/store/orders'],
    ['POST', '/v1/accounts'],
    ['PATCH', '/v1/accounts/1'],
    ['POST', '/v1/keys'],
    ['PATCH', `/v1/keys/${id}`],
    ['POST', `/v1/keys/${id}/roll`],
  ] as const
  await post('{"name":"Ada","categoryId":1}')
  for (const [method, path] of operations) {
    for (const rawBody of ['null', '7', '"abc"', '[]', 'true', '[{}]']) {
      const response = await store.call(method, path, { rawBody, headers: json })
      expect([method, path, rawBody, response.json.code]).toEqual([method, path, rawBody, 'invalid_body'])
      expect(response.json.message).toBe('The body must be a JSON object.')
    }
  }
})

test('a 415 lists the accepted media types or content codings', async () => {
  await post('{"name":"Ada","categoryId":1}')
  const patched = await store.call('PATCH', '/v1/pets/1', {
    rawBody: 'name=Bea',
    headers: { 'Content-Type': 'text/plain' },
  })
  expect([patched.status, patched.headers.get('accept-patch')]).toEqual([
    415,
    'application/json, application/merge-patch+json',
  ])
  const compressed = await post(Bun.gzipSync('{}'), '/v1/pets', { ...json, 'Content-Encoding': 'gzip' })
  expect([compressed.status, compressed.headers.get('accept-encoding')]).toEqual([415, 'identity'])
  expect(compressed.headers.get('accept-patch')).toBeNull()
})

const halfMegabyte = new Uint8Array(524_288).fill(32)

/** Sends half a megabyte of each body, and waits until all but `accepted` of them have their response. */
async function sendStalled(keys: readonly string[], accepted: number) {
  const unfinished = new Set<{ close(): void }>()
  let finished = 0
  const responses = keys.map(async (key) => {
    let cancelled: () => void = () => {}
    const rawBody = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(halfMegabyte)
        unfinished.add(controller)
        cancelled = () => void unfinished.delete(controller)
      },
      cancel: () => cancelled(),
    })
    const response = await store.call('POST', '/v1/pets', { rawBody, headers: json, key })
    finished++
    return response
  })
  while (finished < keys.length - accepted) await new Promise(setImmediate)
  return async () => {
    for (const controller of unfinished) controller.close()
    return Promise.all(responses)
  }
}

const busy = { code: 'too_busy', status: 503 }

test('large bodies of one key that do not end use a limited amount of memory, and other requests are still accepted', async () => {
  const { key: other } = await store.newKey()
  const finish = await sendStalled(
    Array.from({ length: 20 }, () => store.key),
    16,
  )
  expect((await store.call('POST', '/v1/pets', { body: { name: 'Ada', categoryId: 1 } })).status).toBe(201)
  const large = { rawBody: halfMegabyte, headers: json }
  expect((await store.call('POST', '/v1/pets', large)).json).toMatchObject(busy)
  expect((await store.call('POST', '/v1/pets', { ...large, key: other })).status).toBe(400)
  const responses = await finish()
  const rejected = responses.filter(({ status }) => status === 503)
  expect(rejected).toHaveLength(4)
  expect(rejected[0]?.json).toMatchObject(busy)
  expect(rejected[0]?.headers.get('retry-after')).toBe('1')
  expect(responses.filter(({ status }) => status === 400)).toHaveLength(16)
  expect((await store.call('POST', '/v1/pets', large)).status).toBe(400)
})

test('large bodies of many keys that do not end use a limited amount of memory', async () => {
  const keys = await Promise.all(Array.from({ length: 5 }, async () => (await store.newKey()).key))
  const finish = await sendStalled(
    Array.from({ length: 75 }, (_, i) => keys[i % 5] ?? ''),
    64,
  )
  expect((await post('{"name":"Ada","categoryId":1}')).status).toBe(201)
  const responses = await finish()
  expect(responses.filter(({ json }) => json.code === 'too_busy')).toHaveLength(11)
  expect(responses.filter(({ status }) => status === 400)).toHaveLength(64)
})
