import { afterEach, beforeEach, expect, test } from 'bun:test'
import fc from 'fast-check'
import { foldedText } from '../../../lib/text.ts'
import { openTestStore, type TestStore } from '../../../testing/harness.ts'
import { petStatuses } from '../rules.ts'
import { queryTokens } from './tokens.ts'

let store: TestStore
beforeEach(async () => {
  store = await openTestStore()
})
afterEach(() => store.close())

const add = (...names: string[]) =>
  store.app.writer.write(() => {
    for (const name of names) store.app.pets.add({ name, categoryId: 1, status: 'available' })
  })
const indexAll = () =>
  store.app.writer.write(() => {
    while (store.app.pets.indexMore(1_000));
  })
const search = async (q: string, more = '') =>
  (await store.call('GET', `/v1/pets?q=${encodeURIComponent(q)}${more}`)).json.map((pet: { name: string }) => pet.name)

test('a name is found by any part of it, even by one character', async () => {
  await add('Honeysuckle', 'KIT KAT', 'Flint')
  await indexAll()
  for (const q of ['H', 'ho', 'ney', 'suckle', 'honeysuckle', 'e']) expect(await search(q)).toEqual(['Honeysuckle'])
  expect(await search('t')).toEqual(['KIT KAT', 'Flint'])
  expect(await search('t k')).toEqual(['KIT KAT'])
  expect(await search('honey bee')).toEqual([])
})

test('case, accents and the kind of apostrophe do not matter', async () => {
  await add('Chuy’s', 'JOSÉ', 'Zoë', 'Straße', 'ﬁnn')
  await indexAll()
  expect(await search('chuy')).toEqual(['Chuy’s'])
  expect(await search("CHUY'S")).toEqual(['Chuy’s'])
  expect(await search('jose')).toEqual(['JOSÉ'])
  expect(await search('ZOE')).toEqual(['Zoë'])
  expect(await search('Fin')).toEqual(['ﬁnn'])
  for (const q of ['strasse', 'STRASSE', 'straße']) expect(await search(q)).toEqual(['Straße'])
})

test('a Greek name is found by any part of it, with a sigma at its end, too', async () => {
  const names = ['Μουσική', 'Ασπρούλα', 'ΣΩΚΡΑΤΗΣ', 'Σωκράτης']
  await add(...names)
  for (const prepare of [async () => {}, indexAll]) {
    await prepare()
    for (const q of ['Μουσ', 'μους', 'ΜΟΥΣ']) expect(await search(q)).toEqual(['Μουσική'])
    expect(await search('ασ')).toEqual(['Ασπρούλα'])
    for (const q of ['σωκρατησ', 'κράτης', 'ΤΗΣ']) expect(await search(q)).toEqual(['ΣΩΚΡΑΤΗΣ', 'Σωκράτης'])
    expect(await search('ς')).toEqual(names)
  }
})

test('operators of FTS5 in a query are searched as plain text', async () => {
  await add('a OR b', '"quoted"', 'x*y', 'NEAR(', 'col:on', 'a-b', '^start', '(paren)', 'a AND NOT b')
  await indexAll()
  expect(await search(' OR ')).toEqual(['a OR b'])
  expect(await search('"')).toEqual(['"quoted"'])
  expect(await search('*')).toEqual(['x*y'])
  expect(await search('NEAR(')).toEqual(['NEAR('])
  expect(await search('l:o')).toEqual(['col:on'])
  expect(await search('-')).toEqual(['a-b'])
  expect(await search('not b')).toEqual(['a AND NOT b'])
  expect(await search('" OR "a')).toEqual([])
})

test('a name that contains every trigram of the query, but not the query itself, is not found', async () => {
  await add('abcab', 'bcabc')
  await indexAll()
  expect(await search('abcabc')).toEqual([])
  expect(await search('bcab')).toEqual(['abcab', 'bcabc'].filter((name) => name.includes('bcab')))
})

test('animals that are not indexed yet are found too, and are indexed within a second', async () => {
  await add('Indexed Ada')
  await indexAll()
  await add('Fresh Ada')
  expect(store.app.pets.unindexed()).toBe(1)
  expect(await search('ada')).toEqual(['Indexed Ada', 'Fresh Ada'])
  expect(await search('ada', '&order=desc')).toEqual(['Fresh Ada', 'Indexed Ada'])
  store.clock.advance(100)
  await new Promise((resolve) => setImmediate(resolve))
  expect(store.app.pets.unindexed()).toBe(0)
  expect(await search('ada')).toEqual(['Indexed Ada', 'Fresh Ada'])
})

test('a changed animal is found by its new name only, and a removed animal is not found, whether indexed or not', async () => {
  await add('Early')
  await indexAll()
  await add('Later')
  for (const id of [1, 2]) await store.call('PATCH', `/v1/pets/${id}`, { body: { name: `Renamed ${id}` } })
  expect([await search('early'), await search('later')]).toEqual([[], []])
  await indexAll()
  expect(await search('renamed')).toEqual(['Renamed 1', 'Renamed 2'])
  for (const id of [1, 2]) await store.call('DELETE', `/v1/pets/${id}`)
  expect(await search('renamed')).toEqual([])
})

test('filters, orders and cursors in any combination return the same animals as a filter over all rows', async () => {
  const alphabet = fc.constantFrom('a', 'b', 'á', 'B', ' ', "'", '’', '🐶', '.')
  const name = fc.string({ unit: alphabet, minLength: 1, maxLength: 6 }).filter((text) => text.trim() !== '')
  const pet = fc.record({
    name,
    status: fc.constantFrom(...petStatuses),
    categoryId: fc.integer({ min: 1, max: 3 }),
    isIndexed: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(pet, { maxLength: 40, size: 'max' }),
      fc.option(fc.string({ unit: alphabet, minLength: 1, maxLength: 4 }), { nil: undefined }),
      fc.option(fc.constantFrom(...petStatuses), { nil: undefined }),
      fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
      fc.constantFrom('asc', 'desc'),
      fc.integer({ min: 1, max: 5 }),
      async (pets, q, status, categoryId, order, limit) => {
        const fresh = await openTestStore()
        const { key } = await fresh.newKey({ plan: 'enterprise' })
        const added = await fresh.app.writer.write(() =>
          pets.map(({ isIndexed, ...one }) => {
            const row = fresh.app.pets.add({ ...one, name: one.name.trim().normalize('NFC') })
            if (isIndexed) fresh.app.pets.indexMore(1_000)
            return row
          }),
        )
        const expected = added.filter(
          (one) =>
            (q === undefined || foldedText(one.name).includes(foldedText(q))) &&
            (status === undefined || one.status === status) &&
            (categoryId === undefined || one.categoryId === categoryId),
        )
        if (order === 'desc') expected.reverse()
        const query = new URLSearchParams({ limit: String(limit), order })
        if (q !== undefined) query.set('q', q)
        if (status !== undefined) query.set('status', status)
        if (categoryId !== undefined) query.set('categoryId', String(categoryId))
        const found: unknown[] = []
        let next: string | undefined = `/v1/pets?${query}`
        while (next) {
          const page = await fresh.call('GET', next, { key })
          expect(page.status).toBe(200)
          found.push(...page.json)
          next = /<([^>]+)>/.exec(page.headers.get('link') ?? '')?.[1]
        }
        await fresh.close()
        expect(found).toEqual(expected)
      },
    ),
    { numRuns: 60 },
  )
})

test('a query of any length uses at most nine tokens', () => {
  const tokens = queryTokens({ q: 'abcdefghijklmnopqrstuvwxyz'.repeat(3), status: 'sold' })
  expect(tokens?.length).toBeLessThanOrEqual(9)
})

test('a cursor of one sort order is rejected with the other', async () => {
  await add('Ada', 'Bea', 'Cleo')
  const { headers } = await store.call('GET', '/v1/pets?limit=1&order=desc')
  const cursor = /cursor=([^>]+)/.exec(headers.get('link') ?? '')?.[1]
  expect((await store.call('GET', `/v1/pets?limit=1&cursor=${cursor}`)).json.code).toBe('invalid_cursor')
})

test('no name and no query can produce the token of a status or a category', async () => {
  const forged = ['Rex \ue1011', 'Tom \ue100sold', 'Kim \ue1020', 'Zoe \ue1ffe101', '\ue020', '\ue1ff']
  await store.app.writer.write(() => {
    for (const name of forged) store.app.pets.add({ name, categoryId: 5, status: 'available' })
  })
  await indexAll()
  for (const q of ['rex', 'tom', 'kim', 'e']) {
    expect([q, await search(q, '&categoryId=1'), await search(q, '&status=sold')]).toEqual([q, [], []])
  }
  for (const name of forged) expect(await search(name, '&categoryId=5&status=available')).toContain(name)
  expect(await search(' \ue101')).toEqual(['Rex \ue1011'])
})

test('different texts have different tokens, for any characters', () => {
  const unit = fc.constantFrom(...'a1 .\ue000\ue020\ue02e\ue100\ue101\ue102\ue1ffe')
  const text = fc.string({ unit, minLength: 1, maxLength: 3 })
  fc.assert(
    fc.property(text, text, (one, other) => {
      const [a, b] = [one, other].map((q) => queryTokens({ q })?.join(' '))
      expect(a === b).toBe(one === other)
      for (const facet of [{ status: 'sold' as const }, { categoryId: 1 }]) {
        const [, token = ''] = queryTokens({ q: 'a', ...facet }) ?? []
        expect(queryTokens({ q: one })).not.toContain(token)
      }
    }),
    { numRuns: 2_000 },
  )
})

test('a page on which a search ran out of time is not cached: the same request finds more once the index is complete', async () => {
  await add('Rex')
  const { page } = store.app.pets
  store.app.pets.page = () => ({ pets: [], searchedTo: 8_191 })
  const partial = await store.call('GET', '/v1/pets?q=rex')
  expect([partial.json, partial.headers.get('link')]).toEqual([[], expect.stringContaining('cursor=')])
  store.app.pets.page = page
  expect(await search('rex')).toEqual(['Rex'])
})
