/**
 * A parameter or a member that does not exist is rejected with the nearest name that does; a record can be sent back.
 */

import { afterEach, beforeEach, expect, test } from 'bun:test'
import { dayMs } from '../access/limits/days.ts'
import { endpoints } from '../app/api.ts'
import { openTestStore, type TestStore } from '../testing/harness.ts'

let store: TestStore
beforeEach(async () => {
  store = await openTestStore()
})
afterEach(() => store.close())

const pet = { name: 'Ada', categoryId: 1 }
const order = () => store.call('POST', '/v1/store/orders', { body: { petId: 1 } })
const get = async (path: string) => (await store.call('GET', path)).json

test('every operation rejects a parameter that it does not have, and does nothing', async () => {
  await store.call('POST', '/v1/pets', { body: pet })
  await order()
  await store.call('POST', '/v1/projects', { body: { name: 'Paws' } })
  const before = await get('/v1/audit')
  const values: Readonly<Record<string, string>> = { hostname: 'www.shop.example', image: 'logo' }
  for (const [id, { method, path, body }] of Object.entries(endpoints)) {
    const target = path.replace(/\{([^}]+)\}/g, (_, name: string) => values[name] ?? '1')
    const sent =
      body?.kind === 'upload'
        ? { rawBody: 'name,category\nAda,Dog\n', headers: { 'Content-Type': body.mediaTypes[0] as string } }
        : { ...(body ? { body: body.schema.examples?.[0] } : {}) }
    const response = await store.call(method, `/v1${target}?unheard=of`, sent)
    expect([id, response.status, response.json]).toEqual([
      id,
      400,
      { code: 'invalid_parameter', message: expect.stringContaining('no parameter `unheard` here'), status: 400 },
    ])
  }
  expect(await get('/v1/audit')).toEqual(before)
  expect((await get('/v1/pets')).length).toBe(1)
})

test('the nearest parameter is named, even on a page that is already cached', async () => {
  const messageOf = async (path: string) => (await get(path)).message
  await get('/v1/pets?status=sold')
  expect(await messageOf('/v1/pets?staus=sold')).toBe('`staus`: did you mean `status`?')
  expect(await messageOf('/v1/pets?status=sold&staus=sold')).toBe('`staus`: did you mean `status`?')
  expect(await messageOf('/v1/pets?category_id=1')).toBe('`category_id`: did you mean `categoryId`?')
  expect(await messageOf('/v1/pets?st%61us=sold')).toBe('`staus`: did you mean `status`?')
  expect(await messageOf('/v1/pets?status[]=sold')).toBe('`status[]`: did you mean `status`?')
  expect(await messageOf('/v1/pets?ids%5B%5D=1&ids%5B%5D=2')).toBe('`ids[]`: did you mean `ids`?')
  expect(await messageOf('/v1/pets?q[]=a')).toBe('`q[]`: did you mean `q`?')
  expect(await messageOf('/v1/pets?_=1790000000')).toBe(
    'There is no parameter `_` here, only limit, cursor, status, ids, categoryId, q, importId, sort, order.',
  )
  expect(await messageOf('/v1/store/inventory?status=sold')).toBe(
    'There is no parameter `status` here: this operation has none.',
  )
  expect(await messageOf(`/v1/pets?${'x'.repeat(5_000)}=1`)).toContain(`\`${'x'.repeat(40)}…\``)
  // Nothing is given between two separators.
  expect((await store.call('GET', '/v1/pets?&limit=1&')).status).toBe(200)
  expect((await store.call('GET', '/v1/pets?')).status).toBe(200)
})

test('the nearest member is named, also of an object in the body, and nothing is changed', async () => {
  await store.call('POST', '/v1/pets', { body: pet })
  const messageOf = async (method: string, path: string, body: unknown) => {
    const { status, json } = await store.call(method, path, { body })
    expect([status, json.code]).toEqual([400, 'invalid_body'])
    return json.message
  }
  expect(await messageOf('POST', '/v1/store/orders', { petId: 1, notes: 'Gift' })).toBe('`notes`: did you mean `note`?')
  expect(await messageOf('POST', '/v1/pets', { ...pet, price: 900 })).toBe(
    'There is no member `price` here, only name, categoryId, status.',
  )
  expect(await messageOf('PATCH', '/v1/pets/1', { staus: 'sold' })).toBe('`staus`: did you mean `status`?')
  expect(await messageOf('POST', '/v1/pets/batch', { ids: [1], change: { staus: 'sold' } })).toBe(
    '`change.staus`: did you mean `change.status`?',
  )
  expect(await messageOf('POST', '/v1/keys/1/roll', { overlap: 5 })).toBe('`overlap`: did you mean `overlapSeconds`?')
  expect(await messageOf('POST', '/v1/pets', { ...pet, 'a/b~c': 1 })).toContain('`a/b~c`')
  expect(await messageOf('POST', '/v1/pets', JSON.parse('{"name":"Ada","categoryId":1,"__proto__":{}}'))).toContain(
    '`__proto__`',
  )
  const redirect = { to: 'shop.example', stauts: 302 }
  expect(await messageOf('POST', '/v1/projects/1/domains', { hostname: 'www.shop.example', redirect })).toBe(
    '`redirect.stauts`: did you mean `redirect.status`?',
  )
  expect(await get('/v1/pets')).toEqual([{ id: 1, ...pet, status: 'available' }])
  expect(await get('/v1/store/orders')).toEqual([])
})

test('a record can be sent back as it was read, whatever its read-only members are by now', async () => {
  await store.call('POST', '/v1/pets', { body: { ...pet, categoryId: 77 } })
  await order()
  await store.call('POST', '/v1/projects', { body: { name: 'Paws' } })
  const enterprise = { name: 'Large', plan: 'enterprise', perMinute: 5_000, perDay: 9_000 }
  await store.call('POST', '/v1/accounts', { body: enterprise })
  const expiresAt = new Date(store.clock.now() + 1_000).toISOString()
  await store.call('POST', '/v1/keys', { body: { name: 'Short', accountId: 1, expiresAt } })
  store.clock.setWall(store.clock.now() + dayMs)
  for (const [method, path] of [
    ['PATCH', '/v1/pets/1'],
    ['PUT', '/v1/categories/1'],
    // Animals use it, but it has no name.
    ['PUT', '/v1/categories/77'],
    ['PATCH', '/v1/accounts/1'],
    ['PATCH', '/v1/accounts/2'],
    ['PATCH', '/v1/keys/1'],
    ['PATCH', '/v1/keys/2'],
    ['PATCH', '/v1/projects/1'],
  ] as const) {
    const read = await get(path)
    const changed = { id: 'other', createdAt: 7, petCount: null, slug: {}, prefix: [], usedToday: 'many' }
    const readOnly = Object.fromEntries(Object.entries(changed).filter(([name]) => name in read))
    for (const body of [read, { ...read, ...readOnly }]) {
      const { lastUsedAt: _, usedToday: __, ...rest } = read
      const { status, json } = await store.call(method, path, { body })
      expect([path, status, json]).toEqual([path, 200, expect.objectContaining(rest)])
    }
  }
  const batch = { ids: [1], change: { ...(await get('/v1/pets/1')), name: 'Bea' } }
  const [result] = (await store.call('POST', '/v1/pets/batch', { body: batch })).json
  expect(result.pet).toEqual({ id: 1, name: 'Bea', categoryId: 77, status: 'pending' })
})

test('a record that was read can also be the body of a new one', async () => {
  await store.call('POST', '/v1/pets', { body: pet })
  const copy = await store.call('POST', '/v1/pets', { body: await get('/v1/pets/1') })
  expect([copy.status, copy.json.id]).toEqual([201, 2])
  const placed = (await order()).json
  const again = await store.call('POST', '/v1/store/orders', { body: { ...placed, petId: 2, status: 'delivered' } })
  expect([again.status, again.json.id, again.json.status]).toEqual([201, 2, 'placed'])
})

test('an account that changes its plan may be sent with the limits that it had, but with no others', async () => {
  const patch = (body: unknown) => store.call('PATCH', '/v1/accounts/1', { body })
  const business = await get('/v1/accounts/1')
  const pro = await patch({ ...business, plan: 'pro' })
  expect(pro.json).toMatchObject({ plan: 'pro', perMinute: 300, perDay: 10_000 })
  expect((await patch({ plan: 'pro', perMinute: 301 })).json.code).toBe('invalid_body')
  expect((await patch({ plan: 'business', perMinute: 300, perDay: 1 })).json.code).toBe('invalid_body')
  expect((await patch({ plan: 'enterprise', perMinute: 300 })).json.code).toBe('invalid_body')
  const enterprise = await patch({ ...pro.json, plan: 'enterprise' })
  expect(enterprise.json).toMatchObject({ plan: 'enterprise', perMinute: 300, perDay: 10_000 })
  expect((await patch({ ...enterprise.json, plan: 'free' })).json).toMatchObject({ perMinute: 60, perDay: 1_000 })
})

test('the name of a category is null only where it has none', async () => {
  const put = (id: number, body: unknown) => store.call('PUT', `/v1/categories/${id}`, { body })
  for (const id of [1, 99]) expect((await put(id, { name: null })).json.code).toBe('invalid_body')
  expect((await get('/v1/categories/1')).name).toBe('Dog')
})
