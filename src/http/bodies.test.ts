import { afterEach, beforeEach, expect, test } from 'bun:test'
import { maximumDepth } from '../endpoint/input/json.ts'
import { openTestStore, type TestStore } from '../testing/harness.ts'

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
  expect((await post(`{"name":"Ada","categoryId":1,"extra":${extra}}`)).status).toBe(201)
  const name = '[{"\\\\'.repeat(20).slice(0, 90)
  expect((await post(JSON.stringify({ name, categoryId: 1, note: '['.repeat(1_000) }))).json).toMatchObject({ name })
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
  // Elsewhere in the body such a number is not looked at, and in a string it is text.
  const name = '1.00000000000000000001 \\"1.00000000000000000001, \\\\'
  const others = '"a":-0.00000000000000001,"b":[1.00000000000000000001,1.5,"\\\\"]'
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

test('every operation with a body rejects one that is no object', async () => {
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

test('large bodies that do not end use a limited amount of memory, and small ones are still accepted', async () => {
  const unfinished = new Set<{ close(): void }>()
  const halfMegabyte = new Uint8Array(524_288).fill(32)
  let rejected = 0
  const stalled = Array.from({ length: 80 }, async () => {
    let cancelled: () => void = () => {}
    const rawBody = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(halfMegabyte)
        unfinished.add(controller)
        cancelled = () => void unfinished.delete(controller)
      },
      cancel: () => cancelled(),
    })
    const response = await post(rawBody)
    if (response.status === 503) rejected++
    return response
  })
  while (rejected < 16) await new Promise(setImmediate)
  expect((await store.call('POST', '/v1/pets', { body: { name: 'Ada', categoryId: 1 } })).status).toBe(201)
  for (const controller of unfinished) controller.close()
  const responses = await Promise.all(stalled)
  const unavailable = responses.filter(({ status }) => status === 503)
  expect(unavailable).toHaveLength(16)
  expect(unavailable[0]?.json).toMatchObject({ code: 'storage_unavailable', status: 503 })
  expect(unavailable[0]?.headers.get('retry-after')).toBe('1')
  expect(responses.filter(({ status }) => status === 400)).toHaveLength(64)
  expect((await post(new Uint8Array(524_288).fill(32))).status).toBe(400)
})
