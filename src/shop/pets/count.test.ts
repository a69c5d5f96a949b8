import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { IdRange, Matches } from '../../lib/steps/collect.ts'
import { createTurns } from '../../lib/steps/turns.ts'
import { openTestStore, type TestStore } from '../../testing/harness.ts'
import { countPets, maximumCount } from './count.ts'
import type { PetRow } from './table.ts'

let store: TestStore
beforeEach(async () => {
  store = await openTestStore()
})
afterEach(() => store.close())

const count = async (query = '') => (await store.call('GET', `/v1/pets/count${query}`)).json
const addAll = (names: readonly string[]) =>
  store.app.writer.write(() => {
    names.forEach((name, i) => {
      store.app.pets.add({ name, categoryId: 1 + (i % 2), status: i % 3 === 0 ? 'sold' : 'available' })
    })
  })

test('every filter counts the animals that the list has', async () => {
  await addAll(['Ada', 'Bella', 'Chuy', 'Adam', 'Zoë', 'adagio'])
  const queries = [
    '',
    '?status=sold',
    '?categoryId=2',
    '?categoryId=2&status=sold',
    '?q=ADA',
    '?q=zoe&status=available',
  ]
  const more = [
    '?ids=1,4,99',
    '?ids=1,4&status=available',
    '?ids=1,2&q=ada',
    '?categoryId=3',
    '?q=nothing',
    '?q=%CC%81',
  ]
  for (const query of [...queries, ...more]) {
    const listed = (await store.call('GET', `/v1/pets${query}`)).json.length
    expect([query, await count(query)]).toEqual([query, { count: listed, exact: true }])
  }
})

test('counting the matches of a text stops at 10,000 and says so; without a text it does not stop', async () => {
  await addAll(Array.from({ length: maximumCount + 1_000 }, (_, i) => `Rex ${i}`))
  expect(await count('?q=rex')).toEqual({ count: maximumCount, exact: false })
  expect(await count()).toEqual({ count: maximumCount + 1_000, exact: true })
  expect((await count('?q=rex 1099')).exact).toBe(true)
})

test('a search that takes too long stops with a lower bound', async () => {
  let nowMs = 0
  const pages: Matches<PetRow>[] = []
  const search = ({ above }: IdRange) => {
    nowMs += 20
    pages.push({ records: [{ id: above + 1, name: 'Rex', categoryId: 1, status: 'sold' }], searchedTo: above + 1 })
    return pages.at(-1) as Matches<PetRow>
  }
  const turns = createTurns()
  const parts = { pets: { count: () => 0 }, turns, clock: { monotonic: () => nowMs } }
  expect(await countPets(parts, { q: 'rex' }, search)).toEqual({ count: 5, exact: false })
})

test('other requests are served while matches are counted', async () => {
  await addAll(Array.from({ length: 5_000 }, (_, i) => `Rex ${i}`))
  const order: string[] = []
  const counting = count('?q=rex').then(() => order.push('counted'))
  await store.call('GET', '/v1/pets?limit=1').then(() => order.push('listed'))
  await counting
  expect(order).toEqual(['listed', 'counted'])
})

test('parameters are validated, a 304 needs no body, and the scope is pets:read', async () => {
  expect((await count('?status=lost')).code).toBe('invalid_parameter')
  expect((await count('?q=a&q=b')).code).toBe('invalid_parameter')
  const first = await store.call('GET', '/v1/pets/count')
  const headers = { 'If-None-Match': first.headers.get('etag') ?? '' }
  expect((await store.call('GET', '/v1/pets/count', { headers })).status).toBe(304)
  const head = await store.call('HEAD', '/v1/pets/count')
  expect([head.status, head.text]).toEqual([200, ''])
  expect((await store.call('POST', '/v1/pets/count')).headers.get('allow')).toBe('GET, HEAD')
  const { key } = await store.newKey({ scopes: ['orders:read'] })
  expect((await store.call('GET', '/v1/pets/count', { key })).status).toBe(403)
})
