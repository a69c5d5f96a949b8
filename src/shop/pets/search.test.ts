import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { declareNothing } from '../../database/announcements.ts'
import { type OpenDatabase, openDatabase } from '../../database/open.ts'
import { type IdRange, pageRange } from '../../lib/steps/collect.ts'
import { foldedText } from '../../lib/text.ts'
import { openTestStore } from '../../testing/harness.ts'
import { petStatuses } from './rules.ts'
import { createPetStore, type PetStore } from './store.ts'
import type { PetFilter, PetRow } from './table.ts'

let database: OpenDatabase
beforeEach(() => {
  database = openDatabase(':memory:', 0)
})
afterEach(() => database.close())

/** A store whose clock advances by `tickMs` at each reading. */
function storeOf({ tables, connection }: OpenDatabase, windowSize: number, tickMs = 0): PetStore {
  let elapsedMs = 0
  const monotonic = () => {
    elapsedMs += tickMs
    return elapsedMs
  }
  return createPetStore(tables, connection, declareNothing, { monotonic, windowSize })
}

/** All matches of a search in one order, and the number of pages. */
function allPages(pets: PetStore, filter: PetFilter, order: IdRange['order'] = 'asc', limit = 100) {
  const found: PetRow[] = []
  let range = pageRange(order, undefined)
  for (let count = 1; ; count++) {
    const page = pets.page(filter, range, limit)
    found.push(...page.records)
    const last = page.records.length === limit ? page.records.at(-1)?.id : page.searchedTo
    if (last === undefined) return { found, count }
    range = pageRange(order, last)
  }
}

describe.each([
  ['a store whose names are read at once', 4_096],
  ['a store whose names are read in many windows', 2],
])('in %s', (_, windowSize) => {
  let pets: PetStore
  beforeEach(() => {
    pets = storeOf(database, windowSize)
  })
  const add = (...names: string[]) => {
    for (const name of names) pets.add({ name, categoryId: 1, status: 'available' })
  }
  const search = (q: string, filter: PetFilter = {}) => allPages(pets, { ...filter, q }).found.map(({ name }) => name)

  test('a name is found by any part of it, even by one character', () => {
    add('Honeysuckle', 'KIT KAT', 'Flint')
    for (const q of ['H', 'ho', 'ney', 'suckle', 'honeysuckle', 'e']) expect(search(q)).toEqual(['Honeysuckle'])
    expect(search('t')).toEqual(['KIT KAT', 'Flint'])
    expect(search('t k')).toEqual(['KIT KAT'])
    expect(search('honey bee')).toEqual([])
  })

  test('case, accents and the kind of apostrophe do not matter', () => {
    add('Chuy’s', 'JOSÉ', 'Zoë', 'Straße', 'ﬁnn', 'Łucja', 'Søren')
    for (const q of ['chuy', "CHUY'S", 'chuy’s']) expect(search(q)).toEqual(['Chuy’s'])
    expect(search('jose')).toEqual(['JOSÉ'])
    expect(search('ZOE')).toEqual(['Zoë'])
    expect(search('Fin')).toEqual(['ﬁnn'])
    expect([search('łuc'), search('lucja'), search('SOREN')]).toEqual([['Łucja'], ['Łucja'], ['Søren']])
    for (const q of ['strasse', 'STRASSE', 'straße']) expect(search(q)).toEqual(['Straße'])
  })

  test('a Greek name is found by any part of it, with a sigma at its end, too', () => {
    const names = ['Μουσική', 'Ασπρούλα', 'ΣΩΚΡΑΤΗΣ', 'Σωκράτης']
    add(...names)
    for (const q of ['Μουσ', 'μους', 'ΜΟΥΣ']) expect(search(q)).toEqual(['Μουσική'])
    for (const q of ['ασ', 'ασπ']) expect(search(q)).toEqual(['Ασπρούλα'])
    for (const q of ['σωκρατησ', 'κράτης', 'ΤΗΣ']) expect(search(q)).toEqual(['ΣΩΚΡΑΤΗΣ', 'Σωκράτης'])
    expect(search('ς')).toEqual(names)
  })

  test('special characters and the operators of a search language are searched as plain text', () => {
    add(
      'a OR b',
      '"quoted"',
      'x*y',
      'NEAR(x',
      'col:on',
      'a-b',
      '^start',
      '(paren)',
      'a AND NOT b',
      '🐶🐱🐭',
      'a" OR "b',
    )
    expect(search(' OR ')).toEqual(['a OR b', 'a" OR "b'])
    expect([search('"'), search('"qu')]).toEqual([['"quoted"', 'a" OR "b'], ['"quoted"']])
    expect([search('*'), search('x*y')]).toEqual([['x*y'], ['x*y']])
    expect(search('NEAR(')).toEqual(['NEAR(x'])
    expect(search('l:o')).toEqual(['col:on'])
    expect([search('-'), search('a-b')]).toEqual([['a-b'], ['a-b']])
    expect(search('not b')).toEqual(['a AND NOT b'])
    expect(search('" OR "')).toEqual(['a" OR "b'])
    expect([search('🐱'), search('🐶🐱🐭')]).toEqual([['🐶🐱🐭'], ['🐶🐱🐭']])
    expect([search('\u0000'), search('a\u0000b'), search('abc\u0000')]).toEqual([[], [], []])
  })

  test('a name that contains every part of the text, but not the text itself, is not found', () => {
    add('abcab', 'bcabc')
    expect(search('abcabc')).toEqual([])
    expect(search('bcab')).toEqual(['abcab', 'bcabc'].filter((name) => name.includes('bcab')))
  })

  test('a changed animal is found by its new name only, and a removed animal is not found', () => {
    add('Early', 'Later', 'Other')
    const [first, second] = allPages(pets, {}).found as [PetRow, PetRow]
    pets.update(first, { ...first, name: 'Renamed' })
    pets.update(second, { ...second, status: 'sold' })
    expect([search('early'), search('renamed'), search('later')]).toEqual([[], ['Renamed'], ['Later']])
    pets.remove({ ...first, name: 'Renamed' })
    expect(search('renamed')).toEqual([])
    pets.putBack(first)
    expect(search('early')).toEqual(['Early'])
  })

  test('every match is on exactly one page, for any changes, any filter and any time limit', () => {
    const letters = fc.constantFrom('a', 'b', 'á', 'B', ' ', "'", '’', '🐶', '.')
    const name = fc.string({ unit: letters, minLength: 1, maxLength: 6 })
    const row = fc.record({ name, categoryId: fc.integer({ min: 1, max: 3 }), status: fc.constantFrom(...petStatuses) })
    const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
    fc.assert(
      fc.property(
        fc.array(row, { maxLength: 60, size: 'max' }),
        fc.array(fc.record({ nth: fc.nat(60), to: optional(row) }), { maxLength: 20 }),
        fc.record({
          q: optional(fc.string({ unit: letters, minLength: 1, maxLength: 5 })),
          status: optional(fc.constantFrom(...petStatuses)),
          categoryId: optional(fc.integer({ min: 1, max: 3 })),
        }),
        fc.constantFrom('asc' as const, 'desc' as const),
        fc.integer({ min: 1, max: 5 }),
        fc.constantFrom(0, 3, 100),
        (rows, changes, filter, order, limit, tickMs) => {
          const memory = openDatabase(':memory:', 0)
          const store = storeOf(memory, windowSize, tickMs)
          const animals = new Map(
            memory.connection
              .transaction(() => rows.map((one) => store.add(one)))()
              .map((pet) => [pet.id, pet]),
          )
          for (const { nth, to } of changes) {
            const pet = [...animals.values()][nth % Math.max(1, animals.size)]
            if (!pet) continue
            if (to) store.update(pet, { ...to, id: pet.id })
            else store.remove(pet)
            if (to) animals.set(pet.id, { id: pet.id, ...to })
            else animals.delete(pet.id)
          }
          const { q = '', status, categoryId } = filter
          const expected = [...animals.values()].filter(
            (pet) =>
              foldedText(pet.name).includes(foldedText(q)) &&
              (status === undefined || pet.status === status) &&
              (categoryId === undefined || pet.categoryId === categoryId),
          )
          if (order === 'desc') expected.reverse()
          expect(allPages(store, filter, order, limit).found).toEqual(expected)
          memory.close()
        },
      ),
      { numRuns: 15 },
    )
  })
})

test('a search that runs out of time returns its matches and the id at which the next page begins', () => {
  const pets = storeOf(database, 4_096, 100)
  database.connection.transaction(() => {
    for (let i = 1; i <= 30_000; i++)
      pets.add({ name: i === 29_999 ? 'Zq' : 'Rex', categoryId: 1, status: 'available' })
  })()
  expect(pets.page({ q: 'zq' }, pageRange('asc', undefined), 20)).toEqual({ records: [], searchedTo: 4_096 })
  const { found, count } = allPages(pets, { q: 'zq' }, 'asc', 20)
  expect([found.map(({ id }) => id), count]).toEqual([[29_999], 8])
})

test('a write that is rolled back leaves nothing in the lists and the totals', () => {
  const pets = storeOf(database, 1)
  const add = (name: string) => pets.add({ name, categoryId: 1, status: 'available' })
  add('Rex')
  const failing = database.connection.transaction(() => {
    add('Ada')
    add('Bea')
    throw new Error('rolled back')
  })
  expect(failing).toThrow('rolled back')
  add('Cleo')
  expect(pets.inventory().available).toBe(2)
  const found = ['ada', 'bea', 'cleo', 'rex'].map((q) => allPages(pets, { q }).found.length)
  expect(found).toEqual([0, 0, 1, 1])
})

describe('over HTTP', () => {
  test('a cursor of one sort order is rejected with the other', async () => {
    const store = await openTestStore()
    for (const name of ['Ada', 'Bea', 'Cleo']) await store.call('POST', '/v1/pets', { body: { name, categoryId: 1 } })
    const { headers } = await store.call('GET', '/v1/pets?limit=1&order=desc')
    const cursor = /cursor=([^>]+)/.exec(headers.get('link') ?? '')?.[1]
    expect((await store.call('GET', `/v1/pets?limit=1&cursor=${cursor}`)).json.code).toBe('invalid_cursor')
    await store.close()
  })

  test('a page on which a search ran out of time is not cached: the same request finds more', async () => {
    const store = await openTestStore()
    await store.call('POST', '/v1/pets', { body: { name: 'Rex', categoryId: 1 } })
    const { page } = store.app.pets
    store.app.pets.page = () => ({ records: [], searchedTo: 8_191 })
    const partial = await store.call('GET', '/v1/pets?q=rex')
    expect([partial.json, partial.headers.get('link')]).toEqual([[], expect.stringContaining('cursor=')])
    store.app.pets.page = page
    expect((await store.call('GET', '/v1/pets?q=rex')).json).toHaveLength(1)
    await store.close()
  })
})
