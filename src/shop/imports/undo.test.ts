import { expect, test } from 'bun:test'
import { importsPerTest } from './testing/per-test.ts'

const { opened, send } = importsPerTest()

const load = async (text: string) => (await send(text)).json

async function undo(importId: number) {
  const { id: _, ...undone } = (await opened.store.call('DELETE', `/v1/imports/${importId}`)).json
  return undone
}

const names = async () =>
  (await opened.store.call('GET', '/v1/pets?limit=100')).json.map((pet: { name: string }) => pet.name)
const rows = (count: number, category = 'Rabbit') =>
  `name,category\n${Array.from({ length: count }, (_, i) => `Imported ${i},${category}\n`).join('')}`

test('undoing removes the animals and categories of an import, and keeps all others', async () => {
  await opened.store.call('POST', '/v1/pets', { body: { name: 'Before', categoryId: 1 } })
  const { id } = await load(rows(120))
  await opened.store.call('POST', '/v1/pets', { body: { name: 'After', categoryId: 1 } })
  expect(await undo(id)).toMatchObject({ removed: 120, removedCategories: 1, changed: 0, ordered: 0 })
  expect(await names()).toEqual(['Before', 'After'])
  expect((await opened.store.call('GET', '/v1/categories/7')).status).toBe(404)
  expect((await opened.store.call('GET', '/v1/store/inventory')).json).toEqual({ available: 2, pending: 0, sold: 0 })
})

test('an animal that was changed or ordered after the import is kept, with its category', async () => {
  const { id } = await load(rows(5))
  await opened.store.call('PATCH', '/v1/pets/1', { body: { name: 'Renamed' } })
  const order = await opened.store.call('POST', '/v1/store/orders', { body: { petId: 2 } })
  await opened.store.call('POST', `/v1/store/orders/${order.json.id}/cancel`)
  await opened.store.call('DELETE', '/v1/pets/3')
  expect(await undo(id)).toMatchObject({ removed: 2, removedCategories: 0, changed: 1, ordered: 1 })
  expect(await names()).toEqual(['Renamed', 'Imported 1'])
  expect((await opened.store.call('GET', '/v1/categories/7')).json).toMatchObject({ name: 'Rabbit', petCount: 2 })
})

test('an animal that was deleted before its import was undone cannot be restored, unless it was changed', async () => {
  const { id } = await load(rows(60))
  await opened.store.call('PATCH', '/v1/pets/58', { body: { name: 'Renamed' } })
  for (const pet of [1, 58, 60]) await opened.store.call('DELETE', `/v1/pets/${pet}`)
  expect(await undo(id)).toMatchObject({ removed: 57, changed: 0 })
  const restored = [1, 58, 60].map((pet) => opened.store.call('POST', `/v1/pets/${pet}/restore`))
  expect((await Promise.all(restored)).map(({ status }) => status)).toEqual([404, 200, 404])
  expect(await names()).toEqual(['Renamed'])
})

test('a category that was renamed after the import is kept', async () => {
  const { id } = await load(rows(1))
  await opened.store.call('PUT', '/v1/categories/7', { body: { name: 'Hare' } })
  expect(await undo(id)).toMatchObject({ removed: 1, removedCategories: 0 })
  expect((await opened.store.call('GET', '/v1/categories/7')).json).toMatchObject({ id: 7, name: 'Hare', petCount: 0 })
})

test('a category that was given the name that it has is removed', async () => {
  const { id } = await load(rows(1))
  const named = await opened.store.call('PUT', '/v1/categories/7', { body: { name: ' Rabbit ' } })
  expect(named.json).toMatchObject({ id: 7, name: 'Rabbit', petCount: 1 })
  expect(await undo(id)).toMatchObject({ removed: 1, removedCategories: 1 })
})

test('importing the same bytes again returns the previous import, unless that was undone', async () => {
  const first = await load(rows(2))
  opened.store.clock.advance(1_000)
  const second = await load(rows(2))
  expect(second).toMatchObject({ previousImportId: first.id, previousImportedAt: first.createdAt })
  expect(await load(rows(3))).toMatchObject({ previousImportId: null, previousImportedAt: null })
  await undo(second.id)
  expect((await load(rows(2))).previousImportId).toBe(first.id)
  expect(await undo(first.id)).toMatchObject({ removed: 2 })
})

test('an import without animals can be undone', async () => {
  const { id, imported } = await load('name,category\n')
  expect(imported).toBe(0)
  expect(await undo(id)).toMatchObject({ removed: 0, removedCategories: 0, changed: 0, ordered: 0 })
})

test('right after an import all counts are complete', async () => {
  await load(rows(3_000))
  expect((await opened.store.call('GET', '/v1/store/inventory')).json.available).toBe(3_000)
})
