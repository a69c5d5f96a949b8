import { afterEach, beforeEach, expect, test } from 'bun:test'
import { openTestStore, type TestStore } from '../../testing/harness.ts'

let store: TestStore
beforeEach(async () => {
  store = await openTestStore()
})
afterEach(() => store.close())

async function importPets(names: readonly string[]): Promise<number> {
  const rawBody = `name,categoryId\n${names.map((name) => `${name},1\n`).join('')}`
  const headers = { 'Content-Type': 'text/csv' }
  return (await store.call('POST', '/v1/imports', { rawBody, headers })).json.id
}
const names = async (query: string) =>
  (await store.call('GET', `/v1/pets?${query}`)).json.map(({ name }: { name: string }) => name)

test('importId lists the animals that an import has added and that still exist, with every other filter', async () => {
  await store.call('POST', '/v1/pets', { body: { name: 'Before', categoryId: 1 } })
  const first = await importPets(['Ada', 'Bea', 'Cleo'])
  const second = await importPets(['Dot', 'Eve'])
  await store.call('POST', '/v1/pets', { body: { name: 'After', categoryId: 1 } })
  expect(await names(`importId=${first}`)).toEqual(['Ada', 'Bea', 'Cleo'])
  expect(await names(`importId=${second}&order=desc`)).toEqual(['Eve', 'Dot'])
  expect(await names(`importId=${first}&q=b`)).toEqual(['Bea'])
  expect(await names(`importId=${first}&ids=3,5`)).toEqual(['Bea'])
  expect(await names(`importId=${second + 1}`)).toEqual([])
  await store.call('DELETE', '/v1/pets/2')
  await store.call('PATCH', '/v1/pets/3', { body: { name: 'Bella' } })
  expect(await names(`importId=${first}`)).toEqual(['Bella', 'Cleo'])
  await store.call('DELETE', `/v1/imports/${first}`)
  expect(await names(`importId=${first}`)).toEqual(['Bella'])
  const page = await store.call('GET', `/v1/pets?importId=${second}&limit=1`)
  expect(page.headers.get('link')).toContain(`importId=${second}`)
})

test('an import and its undo have one event each, with the request that made them', async () => {
  const id = await importPets(['Ada', 'Bea'])
  const undone = await store.call('DELETE', `/v1/imports/${id}`)
  const events = (await store.call('GET', '/v1/events?types=pet.*,import.*')).json
  expect(events.map(({ type, data }: { type: string; data: object }) => [type, data])).toEqual([
    ['import.completed', { id, imported: 2, skipped: 0, firstPetId: 1, lastPetId: 2 }],
    ['import.undone', { id, imported: 2, skipped: 0, firstPetId: 1, lastPetId: 2 }],
  ])
  expect(events[1].requestId).toBe(undone.headers.get('x-request-id'))
})
