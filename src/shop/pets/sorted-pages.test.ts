import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { pageRange } from '../../lib/steps/collect.ts'
import { foldedText } from '../../lib/text.ts'
import { openTestStore, type TestStore } from '../../testing/harness.ts'
import { petStatuses } from './rules.ts'
import type { PetRow } from './table.ts'

let store: TestStore
beforeEach(async () => {
  store = await openTestStore()
  await store.call('PATCH', '/v1/accounts/1', { body: { plan: 'enterprise', perMinute: 1_000_000, perDay: 1_000_000 } })
})
afterEach(() => store.close())

const call = (method: string, path: string, body?: object) => store.call(method, path, body ? { body } : {})
const nextOf = ({ headers }: { headers: Headers }) => /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]

/** Every animal of a list; `between` is awaited after each page. */
async function readAll(query: string, between = async () => {}): Promise<PetRow[]> {
  const pets: PetRow[] = []
  for (let next: string | undefined = `/v1/pets?${query}`; next !== undefined; ) {
    const page = await call('GET', next)
    expect([page.status, page.json.message]).toEqual([200, undefined])
    pets.push(...page.json)
    next = nextOf(page)
    await between()
  }
  return pets
}

const names = [
  'Ada',
  'ádá',
  'ADA',
  'bea',
  'Łucja',
  'lucy',
  '\u0301',
  '\u{1F436}',
  '\uFB00',
  '葛',
  'Zoë',
  '\u{10FFFD}',
  '\uFDFA'.repeat(100),
]
const sorts = ['id', 'name', 'status', 'category'] as const
const orders = ['asc', 'desc'] as const
const pet = fc.record({
  name: fc.oneof(
    fc.constantFrom(...names),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 3 }).map((one) => `a${one}`),
  ),
  categoryId: fc.constantFrom(1, 2, 9, 10, 70, Number.MAX_SAFE_INTEGER),
  status: fc.constantFrom(...petStatuses),
})
const list = fc.record({
  sort: fc.constantFrom(...sorts),
  order: fc.constantFrom(...orders),
  limit: fc.integer({ min: 1, max: 5 }),
  status: fc.option(fc.constantFrom(...petStatuses), { nil: undefined }),
  categoryId: fc.option(fc.constantFrom(1, 9, 3), { nil: undefined }),
})
type List = typeof list extends fc.Arbitrary<infer T> ? T : never

const queryOf = (wanted: List) =>
  Object.entries(wanted)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]))
    .join('&')

/** SQLite compares texts as UTF-8. */
const folded = ({ name }: PetRow) => Buffer.from(foldedText(name))

const comparisons: Readonly<Record<List['sort'], (a: PetRow, b: PetRow) => number>> = {
  id: () => 0,
  name: (a, b) => Buffer.compare(folded(a), folded(b)),
  status: (a, b) => petStatuses.indexOf(a.status) - petStatuses.indexOf(b.status),
  category: (a, b) => a.categoryId - b.categoryId,
}

/** The animals that a list has, in its order. */
function expected(pets: readonly PetRow[], { sort, order, status, categoryId }: List): PetRow[] {
  const matching = pets.filter(
    (one) => (status ?? one.status) === one.status && (categoryId ?? one.categoryId) === one.categoryId,
  )
  const ascending = matching.sort((a, b) => comparisons[sort](a, b) || a.id - b.id)
  return order === 'asc' ? ascending : ascending.reverse()
}

async function addAll(pets: readonly Omit<PetRow, 'id'>[]): Promise<PetRow[]> {
  return store.app.writer.write(() => pets.map((one) => store.app.pets.add(one)))
}

test('the pages of a list, in any order and with any filter, together make the whole list', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(pet, { minLength: 1, maxLength: 25 }), list, async (pets, wanted) => {
      const before = store.app.pets.page({}, pageRange('asc', undefined), 10_000).records
      const added = await addAll(pets)
      expect(await readAll(queryOf(wanted))).toEqual(expected([...before, ...added], wanted))
    }),
    { numRuns: 60 },
  )
})

const change = fc.record({
  kind: fc.constantFrom('add', 'delete', 'change'),
  nth: fc.nat(50),
  to: pet,
})

test('while others change between the pages, no unchanged animal is missing or returned twice', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(pet, { minLength: 4, maxLength: 25 }),
      list,
      fc.array(change, { maxLength: 30 }),
      async (pets, wanted, changes) => {
        const added = await addAll(pets)
        const [staying, changing] = [added.filter((_, i) => i % 2 === 0), added.filter((_, i) => i % 2 === 1)]
        const left = [...changes]
        const listed = await readAll(queryOf(wanted), async () => {
          for (const { kind, nth, to } of left.splice(0, 3)) {
            const path = `/v1/pets/${changing[nth % changing.length]?.id}`
            if (kind === 'add') await call('POST', '/v1/pets', to)
            else if (kind === 'delete') await call('DELETE', path)
            else await call('PATCH', path, { name: to.name, categoryId: to.categoryId })
          }
        })
        const ids = new Set(staying.map(({ id }) => id))
        expect(listed.filter(({ id }) => ids.has(id))).toEqual(expected(staying, wanted))
      },
    ),
    { numRuns: 60 },
  )
})

describe('a sorted list', () => {
  test('of names ignores case and accents, and animals of the same name are in the order of their ids', async () => {
    for (const name of ['bea', 'Zoë', 'Ádá', 'ADA', 'Bea', 'ada', '1st'])
      await call('POST', '/v1/pets', { name, categoryId: 1 })
    const all = async (query: string) => (await readAll(query)).map(({ name }) => name)
    expect(await all('sort=name&limit=2')).toEqual(['1st', 'Ádá', 'ADA', 'ada', 'bea', 'Bea', 'Zoë'])
    expect(await all('sort=name&order=desc&limit=2')).toEqual(['Zoë', 'Bea', 'bea', 'ada', 'ADA', 'Ádá', '1st'])
  })

  test('of one import has only its animals', async () => {
    await call('POST', '/v1/pets', { name: 'Bo', categoryId: 1 })
    const rawBody = 'name,category\nZoe,Dog\nAda,Cat\nBea,Dog\n'
    const { json } = await store.call('POST', '/v1/imports', { rawBody, headers: { 'Content-Type': 'text/csv' } })
    await call('POST', '/v1/pets', { name: 'Cleo', categoryId: 2 })
    for (const [sort, order] of [
      ['name', 'Ada Bea Zoe'],
      ['category', 'Zoe Bea Ada'],
      ['status', 'Zoe Ada Bea'],
    ]) {
      const pets = await readAll(`sort=${sort}&importId=${json.id}&limit=1`)
      expect(pets.map(({ name }) => name).join(' ')).toBe(order as string)
    }
  })

  test('with q or ids is sorted only by id, and never by an unknown member', async () => {
    for (const query of ['sort=name&q=a', 'sort=status&ids=1,2', 'sort=category&order=desc&q=a']) {
      expect((await call('GET', `/v1/pets?${query}`)).json).toMatchObject({ code: 'invalid_parameter', status: 400 })
    }
    expect((await call('GET', '/v1/pets?sort=id&q=a')).status).toBe(200)
    expect((await call('GET', '/v1/pets?sort=age')).json.code).toBe('invalid_parameter')
    expect((await call('GET', '/v1/pets?sort=')).json.code).toBe('invalid_parameter')
  })

  test('has cursors of at most 2,000 characters, which belong to its order', async () => {
    await addAll(Array.from({ length: 2 }, () => ({ name: '\uFDFA'.repeat(100), categoryId: 1, status: 'sold' })))
    await addAll(Array.from({ length: 2 }, () => ({ name: '\u{1F436}'.repeat(100), categoryId: 1, status: 'sold' })))
    for (const sort of sorts) {
      const first = await call('GET', `/v1/pets?sort=${sort}&limit=1`)
      const cursor = new URL(nextOf(first) ?? '', 'http://localhost').searchParams.get('cursor') ?? ''
      expect(cursor.length).toBeLessThan(2_000)
      for (const other of sorts.filter((one) => one !== sort)) {
        expect((await call('GET', `/v1/pets?sort=${other}&cursor=${cursor}`)).json.code).toBe('invalid_cursor')
      }
      expect((await call('GET', `/v1/pets?sort=${sort}&order=desc&cursor=${cursor}`)).json.code).toBe('invalid_cursor')
      expect((await call('GET', `/v1/pets?sort=${sort}&cursor=${cursor.slice(0, -2)}`)).json.code).toBe(
        'invalid_cursor',
      )
    }
  })

  test('shows each change at once, and has an ETag', async () => {
    await call('POST', '/v1/pets', { name: 'Ada', categoryId: 1 })
    const first = await call('GET', '/v1/pets?sort=name')
    const headers = { 'If-None-Match': first.headers.get('etag') ?? '' }
    expect((await store.call('GET', '/v1/pets?sort=name', { headers })).status).toBe(304)
    await call('PATCH', '/v1/pets/1', { name: 'Bea' })
    expect((await store.call('GET', '/v1/pets?sort=name', { headers })).json[0].name).toBe('Bea')
  })
})
