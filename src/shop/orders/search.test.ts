import { afterEach, beforeEach, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createStores } from '../../app/stores.ts'
import { openDatabase } from '../../database/open.ts'
import { createManualClock } from '../../lib/clock.ts'
import { type IdRange, pageRange } from '../../lib/steps/collect.ts'
import { foldedText } from '../../lib/text.ts'
import { openTestStore, type TestStore } from '../../testing/harness.ts'
import { orderStatuses } from './rules.ts'
import { createOrderStore } from './store.ts'
import type { OrderFilter, OrderRow } from './table.ts'

let store: TestStore
beforeEach(async () => {
  store = await openTestStore()
  const names = ['Ada', 'Zoë', 'Chuy’s', '12', 'Rex']
  for (const name of names) await store.call('POST', '/v1/pets', { body: { name, categoryId: 1 } })
  const notes = ['Gift wrapped', null, 'for JOSÉ', 'Ada is his sister', '100 % sure']
  for (const [i, note] of notes.entries())
    await store.call('POST', '/v1/store/orders', { body: { petId: i + 1, note } })
})
afterEach(() => store.close())

const search = async (q: string, more = '') => {
  const { json } = await store.call('GET', `/v1/store/orders?q=${encodeURIComponent(q)}${more}`)
  return json.map(({ id }: { id: number }) => id)
}

test('an order is found by its number, its animal and its note; case, accents and the kind of apostrophe do not matter', async () => {
  expect(await search('ada')).toEqual([1, 4])
  expect(await search('ZOE')).toEqual([2])
  expect(await search("chuy's")).toEqual([3])
  expect(await search('jose')).toEqual([3])
  expect(await search('wrap')).toEqual([1])
  expect(await search('12')).toEqual([4])
  expect(await search('3')).toEqual([3])
  expect(await search(' #3 ')).toEqual([3])
  expect(await search('%')).toEqual([5])
  expect(await search('_')).toEqual([])
  expect(await search('undefined')).toEqual([])
  expect(await search('null')).toEqual([])
})

test('filters and the order combine with a text, and pages continue', async () => {
  expect(await search('a', '&order=desc')).toEqual([4, 1])
  await store.call('POST', '/v1/store/orders/4/approve')
  expect(await search('ada', '&status=approved')).toEqual([4])
  expect(await search('ada', '&petId=1')).toEqual([1])
  const first = await store.call('GET', '/v1/store/orders?q=ada&order=desc&limit=1')
  expect(first.json.map(({ id }: { id: number }) => id)).toEqual([4])
  const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
  expect((await store.call('GET', next)).json.map(({ id }: { id: number }) => id)).toEqual([1])
  const cursor = new URL(next, 'http://x').searchParams.get('cursor')
  expect((await store.call('GET', `/v1/store/orders?cursor=${cursor}`)).json.code).toBe('invalid_cursor')
})

test('the newest orders come first with order=desc', async () => {
  const { json } = await store.call('GET', '/v1/store/orders?order=desc&limit=2')
  expect(json.map(({ id }: { id: number }) => id)).toEqual([5, 4])
})

test('an order of another account is not found by its text', async () => {
  const { key, accountId } = await store.newKey()
  await store.call('POST', '/v1/store/orders/1/cancel')
  await store.call('POST', '/v1/store/orders', { body: { petId: 1, accountId } })
  const { json } = await store.call('GET', '/v1/store/orders?q=ada', { key })
  expect(json.map(({ id }: { id: number }) => id)).toEqual([6])
})

const word = fc.constantFrom('ada', 'ÁDA', 'rex', 'zoë', '7', 'a', '')
const order = fc.record({
  accountId: fc.constantFrom(1, 2),
  petId: fc.integer({ min: 1, max: 3 }),
  petName: word,
  note: fc.option(word),
  status: fc.constantFrom(...orderStatuses),
})

/** All matches in one order, and the number of pages. */
function allPages(page: ReturnType<typeof createOrderStore>['page'], filter: OrderFilter, order: 'asc' | 'desc') {
  const found: OrderRow[] = []
  let range: IdRange = pageRange(order, undefined)
  for (let pages = 1; ; pages++) {
    const { records, searchedTo } = page(filter, range, 3)
    found.push(...records)
    const last = records.length === 3 ? records.at(-1)?.id : searchedTo
    if (last === undefined) return { found, pages }
    range = pageRange(order, last)
  }
}

test('every match is on exactly one page, for any filters, any ids and any time limit', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(order, fc.nat(20_000)), { maxLength: 30 }),
      word,
      fc.option(fc.constantFrom(1, 2), { nil: undefined }),
      fc.option(fc.constantFrom(...orderStatuses), { nil: undefined }),
      fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
      fc.constantFrom('asc' as const, 'desc' as const),
      fc.constantFrom(0, 2, 100),
      (given, q, accountId, status, petId, direction, tickMs) => {
        const { connection, tables, close } = openDatabase(':memory:', 0)
        const { accounts } = createStores({ connection, tables })
        for (const name of ['A', 'B']) accounts.add({ name, plan: 'free', perMinute: null, perDay: null, createdAt: 0 })
        let elapsedMs = 0
        const monotonic = () => (elapsedMs += tickMs)
        const clock = { ...createManualClock(0), monotonic }
        const store = createOrderStore(tables, connection, () => {}, clock)
        const insert = connection.prepare(
          'INSERT OR IGNORE INTO orders (id, account_id, pet_id, pet_name, note, status, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, 0, 0)',
        )
        for (const [row, id] of given) {
          insert.run(id + 1, row.accountId, row.petId, row.petName, row.note, row.status)
        }
        const folded = foldedText(q)
        const contains = (text: string | null) => text !== null && foldedText(text).includes(folded)
        const all = store.page({}, pageRange(direction, undefined), 100).records
        const expected = all.filter(
          (row) =>
            (folded === '' || row.id === Number(q) || contains(row.petName) || contains(row.note)) &&
            (accountId === undefined || row.accountId === accountId) &&
            (status === undefined || row.status === status) &&
            (petId === undefined || row.petId === petId),
        )
        expect(allPages(store.page, { q, accountId, status, petId }, direction).found).toEqual(expected)
        close()
      },
    ),
    { numRuns: 30 },
  )
})
