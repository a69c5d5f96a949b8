import { afterEach, beforeEach, expect, test } from 'bun:test'
import fc from 'fast-check'
import { openTestStore, type TestStore } from '../../testing/harness.ts'
import { petStatuses } from './rules.ts'

let store: TestStore
beforeEach(async () => {
  store = await openTestStore({}, 'business')
})
afterEach(() => store.close())

const add = (body: unknown) => store.call('POST', '/v1/pets', { body })

/** Code points of Unicode that have no appearance, and the blank of Braille. */
const invisible = [0x200b, 0xad, 0x34f, 0x61c, 0x115f, 0x180e, 0x200d, 0x200e, 0x2060, 0x2800, 0x3164, 0xfe0f, 0xe0020]

test('the response to a new animal has all its members, and its Location returns the same', async () => {
  const made = await add({ name: 'Honeysuckle', categoryId: 2 })
  expect(made.status).toBe(201)
  expect(made.json).toEqual({ id: 1, name: 'Honeysuckle', categoryId: 2, status: 'available' })
  const found = await store.call('GET', made.headers.get('location') ?? '')
  expect(found.json).toEqual(made.json)
  expect(found.headers.get('etag')).toBe(made.headers.get('etag'))
})

test('a name is stored trimmed and composed, and an id is ignored', async () => {
  const made = await add({ name: '  Jose\u0301 \u{1F436} ', categoryId: 1, status: 'sold', id: 99 })
  expect(made.json).toEqual({ id: 1, name: 'Jos\u00e9 \u{1F436}', categoryId: 1, status: 'sold' })
})

test('a name needs a visible character, and ignorable ones around it are not stored', async () => {
  for (const codePoint of invisible) {
    const name = String.fromCodePoint(codePoint)
    const refused = await add({ name: `${name} ${name}`, categoryId: 1 })
    expect(refused.json).toEqual({ code: 'invalid_body', message: 'name must not be blank.', status: 400 })
    const made = await add({ name: `${name} Dog${name}`, categoryId: 1 })
    expect([made.status, made.json.name]).toEqual([201, 'Dog'])
  }
})

test('a name that was stored with invisible characters stays as it is when something else changes', async () => {
  await store.app.writer.write(() => {
    for (const name of ['\u200b', 'Dog\u200b']) store.app.pets.add({ name, categoryId: 1, status: 'available' })
  })
  const changed = await store.call('PATCH', '/v1/pets/1', { body: { status: 'sold' } })
  expect(changed.json).toMatchObject({ name: '\u200b', status: 'sold' })
  await store.call('POST', '/v1/pets/batch', { body: { ids: [1, 2], change: { categoryId: 2 } } })
  const { json } = await store.call('GET', '/v1/pets')
  expect(json.map(({ name }: { name: string }) => name)).toEqual(['\u200b', 'Dog\u200b'])
})

test('a name may have a hundred code points, each of them an emoji', async () => {
  expect((await add({ name: '\u{1F436}'.repeat(100), categoryId: 1 })).status).toBe(201)
  expect((await add({ name: '\u{1F436}'.repeat(101), categoryId: 1 })).status).toBe(400)
})

test('an invalid body is rejected with the member and the rule that it breaks', async () => {
  const cases: [unknown, string][] = [
    [{}, 'name is required. categoryId is required.'],
    [{ name: '  ', categoryId: 1 }, 'name must not be blank.'],
    [{ name: 'x'.repeat(101), categoryId: 1 }, 'name must have at most 100 characters.'],
    [{ name: 'a\nb', categoryId: 1 }, 'name must not contain control characters or broken Unicode.'],
    [{ name: 'a\ud800', categoryId: 1 }, 'name must not contain control characters or broken Unicode.'],
    [{ name: 7, categoryId: 1 }, 'name must be a string.'],
    [{ name: 'a', categoryId: '2' }, 'categoryId must be an integer from 1 to 9007199254740991.'],
    [{ name: 'a', categoryId: 0 }, 'categoryId must be an integer from 1 to 9007199254740991.'],
    [{ name: 'a', categoryId: 1.5 }, 'categoryId must be an integer from 1 to 9007199254740991.'],
    [{ name: 'a', categoryId: 2 ** 53 }, 'categoryId must be an integer from 1 to 9007199254740991.'],
    [{ name: 'a', categoryId: 1, status: 'lost' }, 'status must be one of available, pending, sold.'],
    [{ name: 'a', categoryId: 1, status: null }, 'status must be one of available, pending, sold.'],
    [[], 'The body must be a JSON object.'],
    [null, 'The body must be a JSON object.'],
    ['name', 'The body must be a JSON object.'],
  ]
  for (const [body, message] of cases) {
    expect((await add(body)).json).toEqual({ code: 'invalid_body', message, status: 400 })
  }
  expect((await store.call('GET', '/v1/pets')).json).toEqual([])
})

test('a body that is not UTF-8 is rejected', async () => {
  const rawBody = Buffer.concat([Buffer.from('{"name":"Caf'), Buffer.from([0xe9]), Buffer.from('","categoryId":1}')])
  const response = await store.call('POST', '/v1/pets', { rawBody, headers: { 'Content-Type': 'application/json' } })
  expect(response.json.code).toBe('malformed_json')
})

test('a malformed, unknown or too large id is not found', async () => {
  for (const id of ['2', '0', '-1', '1.0', '01', '1e3', 'x', '%20', '9007199254740992', '99999999999999999999']) {
    expect((await store.call('GET', `/v1/pets/${id}`)).json).toMatchObject({ code: 'not_found', status: 404 })
  }
})

test('limit is a whole number in plain digits from 1 to 100', async () => {
  for (const limit of ['0', '101', '-1', '1.5', '1e1', '0x10', ' 3', '+3', '', 'ten', '3 ']) {
    const response = await store.call('GET', `/v1/pets?limit=${encodeURIComponent(limit)}`)
    expect(response.json).toEqual({
      code: 'invalid_parameter',
      message: 'limit must be an integer from 1 to 100.',
      status: 400,
    })
  }
})

test('a cursor of another list is rejected', async () => {
  const forged = [btoa('pets:0'), btoa('pets:x'), btoa('orders:5'), 'a', 'pets:5', btoa('pets:05').replace('=', '')]
  for (const cursor of forged) {
    const response = await store.call('GET', `/v1/pets?cursor=${encodeURIComponent(cursor)}`)
    expect(response.status).toBe(400)
  }
  const code = (await store.call('GET', `/v1/pets?cursor=${btoa('orders:5').replaceAll('=', '')}`)).json.code
  expect(code).toBe('invalid_cursor')
})

test('the pages of a list together have every record once, with any filter and any limit', async () => {
  const enterprise = await store.newKey({ plan: 'enterprise' })
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...petStatuses), { maxLength: 60 }),
      fc.integer({ min: 1, max: 25 }),
      fc.option(fc.constantFrom(...petStatuses), { nil: undefined }),
      async (statuses, limit, status) => {
        const fresh = await openTestStore()
        const { key } = await fresh.newKey({ plan: 'enterprise' })
        const made = await Promise.all(
          statuses.map(async (one, i) => {
            const body = { name: `Animal ${i}`, categoryId: 1 + (i % 3), status: one }
            return (await fresh.call('POST', '/v1/pets', { key, body })).json
          }),
        )
        const pages: unknown[][] = []
        let next: string | undefined = `/v1/pets?limit=${limit}${status ? `&status=${status}` : ''}`
        while (next) {
          const page = await fresh.call('GET', next, { key })
          pages.push(page.json)
          next = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1]
        }
        await fresh.close()
        const expected = made.filter((pet) => !status || pet.status === status).sort((a, b) => a.id - b.id)
        expect(pages.flat()).toEqual(expected)
        for (const page of pages.slice(0, -1)) expect(page).toHaveLength(limit)
        if (pages.length > 1) expect(pages.at(-1)?.length).toBeGreaterThan(0)
      },
    ),
    { numRuns: 5 },
  )
  expect(enterprise.plan).toBe('enterprise')
})

test('animals that are added while a client reads pages appear once and move no other record', async () => {
  for (let i = 1; i <= 5; i++) await add({ name: `Animal ${i}`, categoryId: 1 })
  const first = await store.call('GET', '/v1/pets?limit=3')
  await add({ name: 'Late', categoryId: 1 })
  const next = /<([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
  const rest = await store.call('GET', next)
  expect([...first.json, ...rest.json].map((pet) => pet.id)).toEqual([1, 2, 3, 4, 5, 6])
  expect(rest.headers.get('link')).toBeNull()
})

test('the ETag of a page covers its Link: it changes when the page is no longer the last', async () => {
  for (let i = 1; i <= 3; i++) await add({ name: `Animal ${i}`, categoryId: 1 })
  const last = await store.call('GET', '/v1/pets?limit=3')
  await add({ name: 'One more', categoryId: 1 })
  const notLast = await store.call('GET', '/v1/pets?limit=3')
  expect(notLast.json).toEqual(last.json)
  expect(notLast.headers.get('etag')).not.toBe(last.headers.get('etag'))
})

test('every response of the deprecated endpoint has Deprecation and Sunset, including errors', async () => {
  await add({ name: 'Ada', categoryId: 1 })
  const writer = await store.newKey({ scopes: ['pets:write'] })
  const responses = [
    await store.call('GET', '/v1/pets/1'),
    await store.call('GET', '/v1/pets/2'),
    await store.call('GET', '/v1/pets/x'),
    await store.call('GET', '/v1/pets/1', { key: null }),
    await store.call('GET', '/v1/pets/1', { key: writer.key }),
    await store.call('HEAD', '/v1/pets/1'),
  ]
  expect(responses.map(({ status }) => status)).toEqual([200, 404, 404, 401, 403, 200])
  for (const { headers } of responses) {
    expect(headers.get('deprecation')).toBe('@1764892800')
    expect(headers.get('sunset')).toBe('Thu, 05 Dec 2030 00:00:00 GMT')
    expect(headers.get('link')).toBe('</v1/pets>; rel="successor-version"')
  }
})

test('an endpoint whose path looks like that of the deprecated one is not deprecated, even in errors', async () => {
  const responses = [
    await store.call('GET', '/v1/pets/count'),
    await store.call('GET', '/v1/pets/count', { key: null }),
    await store.call('GET', '/v1/pets/count?categoryId=0'),
    await store.call('PATCH', '/v1/pets/9', { body: { name: 'Ada' } }),
  ]
  expect(responses.map(({ status }) => status)).toEqual([200, 401, 400, 404])
  for (const { headers } of responses) expect(headers.get('deprecation')).toBeNull()
})

test('the deprecated endpoint returns 410 from the sunset on, and not a millisecond earlier', async () => {
  await add({ name: 'Ada', categoryId: 1 })
  store.clock.setWall(Date.UTC(2030, 11, 5) - 1)
  expect((await store.call('GET', '/v1/pets/1')).status).toBe(200)
  store.clock.setWall(Date.UTC(2030, 11, 5))
  const response = await store.call('GET', '/v1/pets/1')
  expect(response.json).toMatchObject({ code: 'endpoint_removed', status: 410 })
  expect(response.headers.get('sunset')).toBe('Thu, 05 Dec 2030 00:00:00 GMT')
  expect((await store.call('GET', '/v1/pets')).status).toBe(200)
})

test('the Location of a new animal can be fetched, even after the sunset', async () => {
  for (const nowMs of [store.clock.now(), Date.UTC(2030, 11, 5)]) {
    store.clock.setWall(nowMs)
    const created = await store.call('POST', '/v1/pets', { body: { name: 'Ada', categoryId: 1 } })
    const { status, text } = await store.call('GET', created.headers.get('location') ?? '')
    expect([status, text]).toEqual([200, expect.stringContaining(`"id":${created.json.id},`)])
  }
})

test('reading animals needs pets:read, and adding needs pets:write', async () => {
  const reader = await store.newKey({ scopes: ['pets:read'] })
  const writer = await store.newKey({ scopes: ['pets:write'] })
  const body = { name: 'Ada', categoryId: 1 }
  const rejected = await store.call('POST', '/v1/pets', { key: reader.key, body })
  expect(rejected.json).toMatchObject({ code: 'insufficient_scope', status: 403 })
  expect(rejected.json.message).toContain('pets:write')
  expect((await store.call('GET', '/v1/pets', { key: writer.key })).status).toBe(403)
  expect((await store.call('POST', '/v1/pets', { key: writer.key, body })).status).toBe(201)
  expect((await store.call('GET', '/v1/pets', { key: reader.key })).json).toHaveLength(1)
})

test('the longest Link is as the document describes it', async () => {
  const categoryId = Number.MAX_SAFE_INTEGER
  const name = '🐕'.repeat(100)
  for (let i = 0; i < 2; i++) await store.call('POST', '/v1/pets', { body: { name, categoryId } })
  const ids = [1, 2, ...Array.from({ length: 98 }, (_, i) => Number.MAX_SAFE_INTEGER - i)].join()
  const query = new URLSearchParams({
    limit: '1',
    status: 'available',
    categoryId: `${categoryId}`,
    order: 'desc',
    ids,
    q: name,
  })
  const { headers } = await store.call('GET', `/v1/pets?${query}`)
  expect(headers.get('link')?.length).toBeGreaterThan(3_000)
})
