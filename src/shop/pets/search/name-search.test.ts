import type { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import fc from 'fast-check'
import { declareNothing } from '../../../database/announcements.ts'
import { type OpenDatabase, openDatabase } from '../../../database/open.ts'
import { createManualClock } from '../../../lib/clock.ts'
import { foldedText } from '../../../lib/text.ts'
import { emptyFolder } from '../../../testing/executable.ts'
import { petStatuses } from '../rules.ts'
import { createPetStore, type PetStore } from '../store.ts'
import type { PetFilter, PetRow } from '../table.ts'
import { blockSize } from './tokens.ts'

let folder: ReturnType<typeof emptyFolder>
let database: OpenDatabase
beforeEach(() => {
  folder = emptyFolder()
  database = openDatabase(join(folder.path, 'store.db'), 0)
})
afterEach(() => {
  database.close()
  folder.remove()
})

/** A store whose clock advances by `tickMs` at each reading. */
function storeOf({ tables, connection }: OpenDatabase, tickMs = 0): PetStore {
  let elapsedMs = 0
  const monotonic = () => {
    elapsedMs += tickMs
    return elapsedMs
  }
  return createPetStore(tables, connection, declareNothing, { ...createManualClock(0), monotonic })
}

function addWithIds(connection: Database, pets: readonly PetRow[]): void {
  const insert = connection.prepare('INSERT INTO pets (id, name, category_id, status) VALUES (?1, ?2, ?3, ?4)')
  for (const { id, name, categoryId, status } of pets) insert.run(id, name, categoryId, status)
}

/** All matches of a search in one order, and the number of pages. */
function allPages(store: PetStore, filter: PetFilter, order: 'asc' | 'desc', limit: number) {
  const found: PetRow[] = []
  let [above, below] = [0, Number.MAX_SAFE_INTEGER]
  for (let count = 1; ; count++) {
    const { pets, searchedTo } = store.page(filter, { order, above, below }, limit)
    found.push(...pets)
    const last = pets.length === limit ? pets.at(-1)?.id : searchedTo
    if (last === undefined) return { found, count }
    if (order === 'asc') above = last
    else below = last
  }
}

const name = fc.string({ unit: fc.constantFrom(...'ab B\u00e1'), minLength: 1, maxLength: 6 })

test('every match is on exactly one page, for any id, any progress of the index and any time limit', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.integer({ min: 1, max: 4 * blockSize }), { maxLength: 60, size: 'max' }),
      fc.infiniteStream(
        fc.record({ name, categoryId: fc.integer({ min: 1, max: 2 }), status: fc.constantFrom(...petStatuses) }),
      ),
      fc.nat(4 * blockSize),
      name,
      fc.option(fc.constantFrom(...petStatuses), { nil: undefined }),
      fc.constantFrom('asc' as const, 'desc' as const),
      fc.integer({ min: 1, max: 5 }),
      fc.constantFrom(0, 3, 100),
      (ids, contents, progress, q, status, order, limit, tickMs) => {
        const memory = openDatabase(':memory:', 0)
        const pets = ids.sort((a, b) => a - b).map((id) => ({ id, ...contents.next().value }))
        const store = storeOf(memory, tickMs)
        addWithIds(
          memory.connection,
          pets.filter(({ id }) => id <= progress),
        )
        while (store.indexMore(1_000));
        addWithIds(
          memory.connection,
          pets.filter(({ id }) => id > progress),
        )
        const expected = pets.filter(
          (pet) => foldedText(pet.name).includes(foldedText(q)) && (status === undefined || pet.status === status),
        )
        if (order === 'desc') expected.reverse()
        expect(allPages(store, { q, status }, order, limit).found).toEqual(expected)
        memory.close()
      },
    ),
    { numRuns: 150 },
  )
})

test('a search that runs out of time returns its matches and the id at which the next page begins', () => {
  const store = storeOf(database, 100)
  database.connection.transaction(() => {
    for (let i = 1; i <= 30_000; i++) store.add({ name: `Animal ${i}`, categoryId: 1, status: 'available' })
  })()
  const first = store.page({ q: '29999' }, { order: 'asc', above: 0, below: Number.MAX_SAFE_INTEGER }, 20)
  expect(first).toEqual({ pets: [], searchedTo: 4_095 })
  const { found, count } = allPages(store, { q: '29999' }, 'asc', 20)
  expect([found.map((pet) => pet.name), count]).toEqual([['Animal 29999'], 8])
})

test('a search whose parts occur often, but never together, keeps its time limit', () => {
  const store = storeOf(database, 3)
  const names = ['abc', 'bcd']
  database.connection.transaction(() => {
    for (let i = 0; i < 5_000; i++) store.add({ name: names[i % 2] ?? '', categoryId: 1, status: 'available' })
    addWithIds(database.connection, [
      { id: 3 * blockSize, name: 'abc bcd', categoryId: 1, status: 'available' },
      { id: 3 * blockSize + 1, name: 'abcd', categoryId: 1, status: 'available' },
    ])
    while (store.indexMore(1_000));
  })()
  expect(allPages(store, { q: 'abcd' }, 'asc', 20).found.map((pet) => pet.name)).toEqual(['abcd'])
  expect(allPages(store, { q: 'abcd' }, 'desc', 20).found.map((pet) => pet.name)).toEqual(['abcd'])
})

test('no token of the index has animals of two blocks, so that no token takes long to merge', () => {
  const store = storeOf(database)
  const { connection } = database
  const ids = [1, blockSize - 1, blockSize, blockSize + 1, 5 * blockSize]
  connection.transaction(() => {
    addWithIds(
      connection,
      ids.map((id) => ({ id, name: 'Ada', categoryId: 1, status: 'available' })),
    )
    while (store.indexMore(1_000));
  })()
  connection.run('CREATE VIRTUAL TABLE temp.terms USING fts5vocab(main, pet_search, instance)')
  const rows = connection.query<{ term: string; doc: number }, []>('SELECT term, doc FROM terms').all()
  const blocks = Map.groupBy(rows, ({ term }) => term)
    .values()
    .map((of) => new Set(of.map(({ doc }) => Math.floor(doc / blockSize))).size)
  expect([...new Set(rows.map(({ doc }) => doc))].sort((a, b) => a - b)).toEqual(ids)
  expect([...new Set(blocks)]).toEqual([1])
})

/** A connection that lets another process commit between two reads of the same search or count. */
function interrupted(connection: Database, between: () => void): Database {
  return new Proxy(connection, {
    get(target, property) {
      if (property !== 'prepare') {
        const value = Reflect.get(target, property, target)
        return typeof value === 'function' ? value.bind(target) : value
      }
      return (sql: string) => {
        const statement = target.prepare(sql)
        if (!sql.includes('FROM pet_progress')) return statement
        const get = statement.get.bind(statement)
        return Object.assign(statement, {
          get(...parameters: never[]) {
            between()
            const row = get(...parameters)
            between()
            return row
          },
        })
      }
    },
  })
}

test('while another process indexes, counts, adds and removes, a search returns each animal once and the totals are right', () => {
  const elsewhere = openDatabase(join(folder.path, 'store.db'), 0)
  const other = storeOf(elsewhere)
  const write = (work: () => void) => elsewhere.connection.transaction(work).immediate()
  write(() => {
    for (let i = 1; i <= 300; i++) other.add({ name: `Ada ${i}`, categoryId: 1 + (i % 3), status: 'available' })
  })
  let steps: (() => void)[] = []
  const here = createPetStore(
    database.tables,
    interrupted(database.connection, () => steps.shift()?.()),
  )
  const commits = () => [
    () => write(() => void other.indexMore(0)),
    () => write(() => void other.countMore(1_000)),
    () => write(() => void other.indexMore(1_000)),
  ]
  const everything = { order: 'asc', above: 0, below: Number.MAX_SAFE_INTEGER } as const
  steps = commits()
  const ids = here.page({ q: 'ada' }, everything, 1_000).pets.map(({ id }) => id)
  expect(ids).toEqual(Array.from({ length: 300 }, (_, i) => i + 1))

  const add = () => write(() => void other.add({ name: 'Ada', categoryId: 1, status: 'available' }))
  add()
  steps = [() => write(() => void other.countMore(1_000))]
  expect(here.inventory()).toEqual({ available: 301, pending: 0, sold: 0 })
  add()
  steps = [() => write(() => void other.countMore(1_000))]
  expect(here.countInCategory(1)).toBe(102)
  steps = []
  elsewhere.close()
})
