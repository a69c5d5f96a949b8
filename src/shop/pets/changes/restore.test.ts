import { afterEach, beforeEach, expect, test } from 'bun:test'
import { openTestStore, type TestStore } from '../../../testing/harness.ts'

let store: TestStore
beforeEach(async () => {
  store = await openTestStore()
  for (const name of ['Ada', 'Bella', 'Chuy']) await store.call('POST', '/v1/pets', { body: { name, categoryId: 7 } })
})
afterEach(() => store.close())

const remove = (id: number, headers: Record<string, string> = {}) => store.call('DELETE', `/v1/pets/${id}`, { headers })
const restore = (id: number | string, headers: Record<string, string> = {}) =>
  store.call('POST', `/v1/pets/${id}/restore`, { headers })
const tick = async (ms: number) => {
  store.clock.advance(ms)
  await new Promise((resolve) => setImmediate(resolve))
}
const namesOf = async (query: string) =>
  (await store.call('GET', `/v1/pets?${query}`)).json.map(({ name }: { name: string }) => name)

test('a deleted animal is restored under its id, as it was, and is found, counted and listed again', async () => {
  const before = await store.call('PATCH', '/v1/pets/2', { body: { status: 'sold' } })
  await remove(2)
  expect((await store.call('GET', '/v1/categories/7')).json.petCount).toBe(2)
  const restored = await restore(2)
  expect([restored.status, restored.json]).toEqual([200, { id: 2, name: 'Bella', categoryId: 7, status: 'sold' }])
  expect(restored.headers.get('etag')).toBe(before.headers.get('etag'))
  expect(await namesOf('q=bell')).toEqual(['Bella'])
  expect(await namesOf('limit=100')).toEqual(['Ada', 'Bella', 'Chuy'])
  expect((await store.call('GET', '/v1/categories/7')).json.petCount).toBe(3)
  expect((await store.call('GET', '/v1/store/inventory')).json).toEqual({ available: 2, pending: 0, sold: 1 })
})

test('an animal that has the highest id is restored, too, and its id is not used again', async () => {
  await remove(3)
  await restore(3)
  expect(await namesOf('q=chuy')).toEqual(['Chuy'])
  await remove(3)
  await tick(1_000)
  await restore(3)
  expect(await namesOf('q=chuy')).toEqual(['Chuy'])
  expect((await store.call('POST', '/v1/pets', { body: { name: 'Dot', categoryId: 7 } })).json.id).toBe(4)
  expect((await store.call('GET', '/v1/pets/count?categoryId=7')).json.count).toBe(4)
})

test('an animal can be restored for ten minutes, and a job then removes it for good', async () => {
  await remove(1)
  await remove(2)
  store.clock.advance(599_999)
  expect((await restore(1)).status).toBe(200)
  store.clock.advance(1)
  expect((await restore(2)).json).toMatchObject({ code: 'not_found', message: expect.stringContaining('ten minutes') })
  await tick(10_000)
  expect(store.app.deletedPets.find(2)).toBeUndefined()
})

test('an animal can still be restored after the clock was wrong for a moment', async () => {
  await remove(1)
  store.clock.setWall(store.clock.now() + 3_600_000)
  await tick(10_000)
  expect((await restore(1)).json.code).toBe('not_found')
  store.clock.setWall(store.clock.now() - 3_600_000)
  expect((await restore(1)).status).toBe(200)
})

test('an animal that is not deleted is a conflict, and one that never existed is not found', async () => {
  expect((await restore(1)).json).toMatchObject({ code: 'conflict', message: 'Animal 1 is not deleted.' })
  for (const id of [99, 'x', '0', '9007199254740992']) expect((await restore(id)).json.code).toBe('not_found')
})

test('of simultaneous restorations one succeeds, and a repeated request with the same Idempotency-Key gets its response', async () => {
  await remove(1)
  const statuses = (await Promise.all([restore(1), restore(1), restore(1)])).map(({ status }) => status)
  expect(statuses.sort()).toEqual([200, 409, 409])
  await remove(2)
  const first = await restore(2, { 'Idempotency-Key': 'a' })
  const again = await restore(2, { 'Idempotency-Key': 'a' })
  expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([200, first.text, 'true'])
})

test('If-Match applies to the animal as it was deleted', async () => {
  const etag = (await store.call('GET', '/v1/pets/1')).headers.get('etag') ?? ''
  await remove(1)
  expect((await restore(1, { 'If-Match': '"other"' })).status).toBe(412)
  expect((await restore(1, { 'If-Match': etag })).status).toBe(200)
})

test('a restoration that is rolled back leaves the animal deleted and restorable', async () => {
  await remove(1)
  const { writer, clock } = store.app
  const { restorePet } = await import('./change.ts')
  const failed = writer.write(() => {
    restorePet(store.app, 1, clock.now())
    throw new Error('no')
  })
  await expect(failed).rejects.toThrow('no')
  expect((await store.call('GET', '/v1/pets/1')).status).toBe(404)
  expect((await restore(1)).status).toBe(200)
})

test('restoring needs pets:write', async () => {
  await remove(1)
  const { key } = await store.newKey({ scopes: ['pets:read'] })
  expect((await store.call('POST', '/v1/pets/1/restore', { key })).status).toBe(403)
})
