import { afterEach, beforeEach, expect, test } from 'bun:test'
import { openTestStore, type TestStore } from '../../../testing/harness.ts'

let store: TestStore
beforeEach(async () => {
  store = await openTestStore()
  await store.call('POST', '/v1/pets', { body: { name: 'Ada', categoryId: 1 } })
})
afterEach(() => store.close())

const patch = (body: unknown, headers: Record<string, string> = {}) =>
  store.call('PATCH', '/v1/pets/1', { body, headers })
const etag = async () => (await store.call('GET', '/v1/pets/1')).headers.get('etag') ?? ''

test('a change keeps the members that are not sent, and its ETag is that of a GET', async () => {
  const changed = await patch({ name: ' Áda ' })
  expect(changed.json).toEqual({ id: 1, name: 'Áda', categoryId: 1, status: 'available' })
  expect(changed.headers.get('etag')).toBe(await etag())
  expect((await patch({})).json).toEqual(changed.json)
  expect((await store.call('GET', '/v1/pets')).json).toEqual([changed.json])
})

test('a change that leaves every member as it is changes nothing: the undo of its import removes the animal', async () => {
  const headers = { 'Content-Type': 'text/csv' }
  await store.call('POST', '/v1/imports', { rawBody: 'name,category\nBea,Dog\nCleo,Dog\nDea,Dog\n', headers })
  const seen = (await store.call('GET', '/v1/pets/3')).json
  for (const [id, body] of [
    [2, {}],
    [3, { ...seen, name: ` ${seen.name} ` }],
    [4, { name: 'Dora' }],
  ] as const) {
    const changed = await store.call('PATCH', `/v1/pets/${id}`, { body })
    expect([changed.status, changed.json]).toEqual([200, (await store.call('GET', `/v1/pets/${id}`)).json])
  }
  await store.call('POST', '/v1/pets/batch', { body: { ids: [2], change: { status: 'available' } } })
  const undone = await store.call('DELETE', '/v1/imports/1')
  expect(undone.json).toMatchObject({ removed: 2, changed: 1 })
  expect((await store.call('GET', '/v1/pets?ids=2,3,4')).json).toMatchObject([{ id: 4, name: 'Dora' }])
})

test('a merge patch is accepted, other media types are not, and null does not remove a member', async () => {
  const merge = { 'Content-Type': 'application/merge-patch+json' }
  expect((await patch({ categoryId: 9 }, merge)).json.categoryId).toBe(9)
  expect((await patch({}, { 'Content-Type': 'application/json-patch+json' })).status).toBe(415)
  expect((await patch({ name: null })).json.code).toBe('invalid_body')
})

test('the status changes from available to pending or sold, from pending to available or sold, and from sold to available', async () => {
  const steps = [
    ['pending', 200],
    ['available', 200],
    ['sold', 200],
    ['pending', 409],
    ['sold', 200],
    ['available', 200],
  ] as const
  for (const [status, expected] of steps) expect((await patch({ status })).status).toBe(expected)
  await patch({ status: 'sold' })
  expect((await patch({ status: 'pending' })).json.code).toBe('invalid_status_transition')
})

test('an animal that an open order reserves can be renamed, but not deleted, and its status cannot be changed', async () => {
  await store.call('POST', '/v1/store/orders', { body: { petId: 1 } })
  expect((await patch({ status: 'sold' })).json).toMatchObject({ code: 'conflict', status: 409 })
  expect((await store.call('DELETE', '/v1/pets/1')).json).toMatchObject({ code: 'conflict', status: 409 })
  expect((await patch({ name: 'Reserved', status: 'pending' })).json).toMatchObject({
    name: 'Reserved',
    status: 'pending',
  })
})

test('with If-Match the second of two editors does not overwrite the change of the first', async () => {
  const seen = await etag()
  expect((await patch({ name: 'First' }, { 'If-Match': seen })).status).toBe(200)
  const second = await patch({ name: 'Second' }, { 'If-Match': seen })
  expect(second.json).toMatchObject({ code: 'precondition_failed', status: 412 })
  expect((await store.call('DELETE', '/v1/pets/1', { headers: { 'If-Match': seen } })).status).toBe(412)
  expect((await patch({ name: 'Any' }, { 'If-Match': '*' })).status).toBe(200)
  const current = await etag()
  expect((await store.call('DELETE', '/v1/pets/1', { headers: { 'If-Match': `"x", ${current}` } })).status).toBe(204)
  expect((await patch({ name: 'Gone' }, { 'If-Match': current })).status).toBe(404)
})

test('of simultaneous changes with the same ETag exactly one succeeds', async () => {
  const headers = { 'If-Match': await etag() }
  const responses = await Promise.all(['a', 'b', 'c', 'd'].map((name) => patch({ name }, headers)))
  expect(responses.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412])
})

test('If-Match is checked for orders, categories, keys and accounts too', async () => {
  await store.call('POST', '/v1/store/orders', { body: { petId: 1 } })
  const stale = { 'If-Match': '"stale"' }
  const changes = [
    ['POST', '/v1/store/orders/1/approve', undefined],
    ['PUT', '/v1/categories/1', { name: 'Hound' }],
    ['PUT', '/v1/categories/99', { name: 'New' }],
    ['PATCH', '/v1/keys/1', { name: 'x' }],
    ['POST', '/v1/keys/1/roll', {}],
    ['DELETE', '/v1/keys/1/ban', undefined],
    ['DELETE', '/v1/keys/1', undefined],
    ['PATCH', '/v1/accounts/1', { name: 'x' }],
  ] as const
  for (const [method, path, body] of changes) {
    const response = await store.call(method, path, { headers: stale, ...(body ? { body } : {}) })
    expect([path, response.status]).toEqual([path, 412])
  }
  for (const path of ['/v1/store/orders/1', '/v1/categories/1', '/v1/accounts/1']) {
    const { headers } = await store.call('GET', path)
    const fresh = { 'If-Match': headers.get('etag') ?? '' }
    const response = path.includes('orders')
      ? await store.call('POST', `${path}/approve`, { headers: fresh })
      : await store.call(path.includes('accounts') ? 'PATCH' : 'PUT', path, { headers: fresh, body: { name: 'Hound' } })
    expect([path, response.status]).toEqual([path, 200])
    expect(response.headers.get('etag')).toBe((await store.call('GET', path)).headers.get('etag'))
  }
})

test('changing an animal needs pets:write', async () => {
  const reader = await store.newKey({ scopes: ['pets:read'] })
  expect((await store.call('PATCH', '/v1/pets/1', { key: reader.key, body: {} })).status).toBe(403)
  expect((await store.call('DELETE', '/v1/pets/1', { key: reader.key })).status).toBe(403)
})
