import { afterEach, beforeEach, expect, test } from 'bun:test'
import { openTestStore, type TestStore } from '../testing/harness.ts'
import { startPetstore } from '../testing/start-petstore.ts'

let store: TestStore
beforeEach(async () => {
  store = await openTestStore()
  await store.call('POST', '/v1/pets', { body: { name: 'Ada', categoryId: 1 } })
})
afterEach(() => store.close())

const etagOf = async (path: string) => (await store.call('GET', path)).headers.get('etag') ?? ''

test('If-None-Match prevents a change from overwriting an existing record', async () => {
  const name = (id: number, condition: string) =>
    store.call('PUT', `/v1/categories/${id}`, { body: { name: 'Zebra' }, headers: { 'If-None-Match': condition } })
  expect((await name(1, '*')).json).toMatchObject({ code: 'precondition_failed', status: 412 })
  expect((await name(1, await etagOf('/v1/categories/1'))).status).toBe(412)
  expect((await store.call('GET', '/v1/categories/1')).json).toMatchObject({ name: 'Dog' })
  expect((await name(40, '*')).json).toMatchObject({ id: 40, name: 'Zebra' })
})

test('If-None-Match is honoured by every change of a record', async () => {
  const { id } = await store.newKey()
  await store.call('POST', '/v1/store/orders', { body: { petId: 1 } })
  const changes = [
    ['PATCH', '/v1/pets/1', { name: 'Bea' }],
    ['DELETE', '/v1/pets/1', undefined],
    ['POST', '/v1/store/orders/1/approve', undefined],
    ['PATCH', '/v1/accounts/1', { name: 'Shop' }],
    ['PATCH', `/v1/keys/${id}`, { name: 'Till' }],
    ['POST', `/v1/keys/${id}/roll`, {}],
    ['DELETE', `/v1/keys/${id}/ban`, undefined],
    ['DELETE', `/v1/keys/${id}`, undefined],
  ] as const
  for (const [method, path, body] of changes) {
    const response = await store.call(method, path, { body, headers: { 'If-None-Match': '*' } })
    expect([method, path, response.json?.code]).toEqual([method, path, 'precondition_failed'])
  }
})

test('a GET with an If-Match that does not contain the current ETag gets 412', async () => {
  for (const path of ['/v1/pets/1', '/v1/pets', '/v1/categories', '/v1/store/inventory', '/v1/accounts/1']) {
    const etag = await etagOf(path)
    const get = (condition: string) => store.call('GET', path, { headers: { 'If-Match': condition } })
    expect([path, (await get(etag)).status, (await get('*')).status]).toEqual([path, 200, 200])
    expect((await get(`W/${etag}`)).status).toBe(200)
    const other = await get('"other"')
    expect([path, other.json.code, other.headers.get('etag')]).toEqual([path, 'precondition_failed', null])
  }
})

test('a tag that a compressing proxy has changed is still that of the record or list', async () => {
  for (const path of ['/v1/pets/1', '/v1/pets']) {
    const etag = await etagOf(path)
    const withCoding = (coding: string) => etag.replace(/"$/, `-${coding}"`)
    const [gzip, br, zstd] = ['gzip', 'br', 'zstd'].map(withCoding)
    const ours = [gzip, br, zstd, `W/${gzip}`, `W/${etag}`, `"other", ${gzip}`]
    const others = [withCoding('gzip-gzip'), withCoding('other'), `w/${etag}`, `W/W/${etag}`, '"-gzip"', 'W/', '']
    for (const [tags, read, matched] of [
      [ours, 304, 200],
      [others, 200, 412],
    ] as const) {
      for (const tag of tags) {
        const unlessCurrent = await store.call('GET', path, { headers: { 'If-None-Match': tag ?? '' } })
        const ifCurrent = await store.call('GET', path, { headers: { 'If-Match': tag ?? '' } })
        expect([tag, unlessCurrent.status, ifCurrent.status]).toEqual([tag, read, matched])
      }
    }
  }
})

test('using a key does not change its ETag, and editing it does', async () => {
  const { id, key } = await store.newKey()
  const before = await store.call('GET', `/v1/keys/${id}`)
  await store.call('GET', '/v1/pets', { key })
  const used = await store.call('GET', `/v1/keys/${id}`)
  expect(used.json.lastUsedAt).not.toBe(before.json.lastUsedAt)
  const etag = before.headers.get('etag') ?? ''
  expect(used.headers.get('etag')).toBe(etag)
  const changed = await store.call('PATCH', `/v1/keys/${id}`, { body: { name: 'Till' }, headers: { 'If-Match': etag } })
  expect(changed.status).toBe(200)
  expect(changed.headers.get('etag')).not.toBe(etag)
  expect(changed.headers.get('etag')).toBe(await etagOf(`/v1/keys/${id}`))
})

test('requests with a key do not change the ETag of GET /keys/current, and its name and limits do', async () => {
  const { id, accountId, key } = await store.newKey()
  const path = '/v1/keys/current'
  const current = (headers = {}) => store.call('GET', path, { key, headers })
  const first = await current()
  const etag = first.headers.get('etag') ?? ''
  expect((await current({ 'If-None-Match': etag })).status).toBe(304)
  const used = await current({ 'If-Match': etag })
  expect([used.status, used.headers.get('etag'), used.json.used.minute]).toEqual([
    200,
    etag,
    first.json.used.minute + 2,
  ])
  await store.call('PATCH', `/v1/accounts/${accountId}`, { body: { plan: 'pro' } })
  const changed = await current({ 'If-None-Match': etag })
  expect([changed.status, changed.json.plan]).toEqual([200, 'pro'])
  await store.call('PATCH', `/v1/keys/${id}`, { body: { name: 'Till' } })
  expect((await current({ 'If-None-Match': changed.headers.get('etag') ?? '' })).json.name).toBe('Till')
})

test('a new animal does not change the ETag of its category', async () => {
  const etag = await etagOf('/v1/categories/1')
  await store.call('POST', '/v1/pets', { body: { name: 'Bea', categoryId: 1 } })
  const renamed = await store.call('PUT', '/v1/categories/1', {
    body: { name: 'Hound' },
    headers: { 'If-Match': etag },
  })
  expect([renamed.status, renamed.json]).toMatchObject([200, { id: 1, name: 'Hound', petCount: 2 }])
})

test('a list that is filtered by one id has the ETag of that animal in X-Record-ETag', async () => {
  await store.call('POST', '/v1/pets', { body: { name: 'Bea', categoryId: 1 } })
  const one = await store.call('GET', '/v1/pets?ids=1')
  const tag = one.headers.get('x-record-etag')
  expect(tag).toBe(await etagOf('/v1/pets/1'))
  expect((await store.call('GET', '/v1/pets?ids=1,2')).headers.get('x-record-etag')).toBeNull()
  expect((await store.call('GET', '/v1/pets?ids=99')).headers.get('x-record-etag')).toBeNull()
  expect((await store.call('GET', '/v1/pets')).headers.get('x-record-etag')).toBeNull()
  const changed = await store.call('PATCH', '/v1/pets/1', {
    body: { name: 'Cleo' },
    headers: { 'If-Match': tag ?? '' },
  })
  expect(changed.status).toBe(200)
})

test('every 304 has its own headers, also for requests at once', async () => {
  await using server = await startPetstore()
  const headers = { Authorization: `Bearer ${server.key}` }
  const url = `${server.url}/v1/pets`
  const etag = (await fetch(url, { headers })).headers.get('etag') ?? ''
  const conditional = { headers: { ...headers, 'If-None-Match': etag } }
  const methods = ['GET', 'GET', 'HEAD']
  const requests = Array.from({ length: 60 }, (_, i) => fetch(url, { ...conditional, method: methods[i % 3] ?? 'GET' }))
  const responses = await Promise.all(requests)
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([304]))
  for (const name of ['x-request-id', 'x-ratelimit-remaining']) {
    expect(new Set(responses.map((response) => response.headers.get(name))).size).toBe(60)
  }
})
