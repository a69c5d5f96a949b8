import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { asc } from 'drizzle-orm'
import { createCategoryStore } from '../categories/store.ts'
import { categories } from '../categories/table.ts'
import { type OpenDatabase, openDatabase } from '../database/open.ts'
import { pets } from '../pets/table.ts'
import { emptyFolder } from '../testing/executable.ts'
import { importPets } from './import.ts'
import { parseColumns } from './import-columns.ts'

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

/** A connection as another process has it, which waits for nothing. */
function elsewhere<T>(use: (other: OpenDatabase) => T): T {
  const other = openDatabase(join(folder.path, 'store.db'), 0)
  try {
    return use(other)
  } finally {
    other.close()
  }
}

interface Options {
  readonly skipsInvalid?: boolean
  /** Called when the last byte was asked for, before anything is committed. */
  readonly atEnd?: () => void
}

async function load(text: string | Uint8Array, { skipsInvalid = false, atEnd }: Options = {}) {
  const badRows: string[] = []
  async function* chunks() {
    yield Buffer.from(text)
    atEnd?.()
  }
  const { connection, tables } = database
  const store = {
    connection,
    categories: createCategoryStore(tables),
    write: (work: () => void) => connection.transaction(work).immediate(),
  }
  const order = {
    chunks: chunks(),
    columns: parseColumns([]),
    format: undefined,
    skipsInvalid,
    onBadRow: (line: number, fault: string) => void badRows.push(`${line}: ${fault}`),
    onProgress: () => {},
  }
  try {
    return { ...(await importPets(store, order)), badRows }
  } catch (error) {
    return { error, badRows }
  }
}

const allPets = () => database.tables.select().from(pets).orderBy(asc(pets.id)).all()
const newCategories = () =>
  database.tables
    .select({ id: categories.id, name: categories.name })
    .from(categories)
    .orderBy(asc(categories.id))
    .all()
    .filter(({ id }) => id > 6)

test('animals come in by the order of their rows, with the categories that they name', async () => {
  const text = 'name,category,status\nRex,dog,sold\n Zoe\u0308 ,Rabbit,\nTom,RABBIT,Pending\n'
  expect(await load(text)).toEqual({ imported: 3, badRows: [] })
  expect(allPets()).toEqual([
    { id: 1, name: 'Rex', categoryId: 1, status: 'sold' },
    { id: 2, name: 'Zo\u00eb', categoryId: 7, status: 'available' },
    { id: 3, name: 'Tom', categoryId: 7, status: 'pending' },
  ])
  expect(newCategories()).toEqual([{ id: 7, name: 'Rabbit' }])
})

test('one bad row imports nothing, neither animals nor categories, and every bad row is told', async () => {
  const text = 'name,category\nRex,Rabbit\n,Dog\nTom,Goat\nKim,\n'
  expect(await load(text)).toMatchObject({
    error: { code: 'invalid_body', message: expect.stringContaining('2 of 4 rows are bad') },
    badRows: ['3: name must not be blank', '5: category must not be blank'],
  })
  expect(allPets()).toEqual([])
  expect(newCategories()).toEqual([])
})

test('where bad rows are skipped the good ones come in, and no category for a bad one alone', async () => {
  const text = 'name,category\nRex,Rabbit\n,Goat\nTom,Rabbit\n'
  expect(await load(text, { skipsInvalid: true })).toEqual({ imported: 2, badRows: ['3: name must not be blank'] })
  expect(allPets().map(({ name }) => name)).toEqual(['Rex', 'Tom'])
  expect(newCategories()).toEqual([{ id: 7, name: 'Rabbit' }])
})

test('what condemns the file imports nothing even where bad rows are skipped', async () => {
  const text = Buffer.from('name,category\nRex,Rabbit\nZo\xeb,Dog\n', 'latin1')
  expect(await load(text, { skipsInvalid: true })).toMatchObject({
    error: { code: 'invalid_body', message: expect.stringMatching(/^Nothing was imported: line 3: .*UTF-8/) },
  })
  expect(allPets()).toEqual([])
  expect(newCategories()).toEqual([])
})

describe('a new category gets the next id', () => {
  const idAfter = async (text: string) => {
    await load(text)
    return newCategories().find(({ name }) => name === 'Rabbit')?.id
  }

  test('above every category', async () => {
    createCategoryStore(database.tables).add({ id: 40, name: 'Goat' })
    expect(await idAfter('name,category\nRex,Rabbit\n')).toBe(41)
  })

  test('above every id that an animal in the store carries', async () => {
    await load('name,categoryId\nRex,50\n')
    expect(await idAfter('name,category\nTom,Rabbit\n')).toBe(51)
  })

  test('above every id in the same file', async () => {
    expect(await idAfter('name,category,categoryId\nRex,Rabbit,\nTom,,60\n')).toBe(61)
  })

  test('and the lowest free one where the highest is taken', async () => {
    await load('name,categoryId\nRex,9007199254740991\nTom,7\n')
    expect(await idAfter('name,category,categoryId\nTom,Rabbit,\nKim,Goat,\nBea,,8\n')).toBe(9)
    expect(newCategories()).toEqual([
      { id: 9, name: 'Rabbit' },
      { id: 10, name: 'Goat' },
    ])
  })
})

test('what an export writes comes back the same, id aside', async () => {
  const rows = [
    `1,Rex,1,Dog,sold`,
    `2,"Mr. ""Whiskers"", Esq.",900,,available`,
    `3,"'=HYPERLINK(""x"")",2,Cat,pending`,
    `7,'-1,5,"'@home",available`,
  ]
  expect(await load(`id,name,categoryId,category,status\r\n${rows.join('\r\n')}\r\n`)).toMatchObject({ imported: 4 })
  expect(newCategories()).toEqual([{ id: 901, name: '@home' }])
  expect(allPets()).toEqual([
    { id: 1, name: 'Rex', categoryId: 1, status: 'sold' },
    { id: 2, name: 'Mr. "Whiskers", Esq.', categoryId: 900, status: 'available' },
    { id: 3, name: '=HYPERLINK("x")', categoryId: 2, status: 'pending' },
    { id: 4, name: '-1', categoryId: 901, status: 'available' },
  ])
})

test('while a file is read others write without waiting, and a category they add meanwhile is used', async () => {
  const outcome = await load(`name,category\n${'Rex,Rabbit\n'.repeat(5_000)}`, {
    atEnd: () =>
      elsewhere(({ connection, tables }) => {
        connection.transaction(() => createCategoryStore(tables).add({ id: 77, name: 'rabbit' })).immediate()
        expect(tables.select().from(pets).all()).toEqual([])
      }),
  })
  expect(outcome).toMatchObject({ imported: 5_000 })
  expect(newCategories()).toEqual([{ id: 77, name: 'rabbit' }])
  expect(new Set(allPets().map(({ categoryId }) => categoryId))).toEqual(new Set([77]))
})

test('where another process keeps the write lock nothing comes in, and the reason is told', async () => {
  const other = openDatabase(join(folder.path, 'store.db'), 0)
  other.connection.run('BEGIN IMMEDIATE')
  expect(await load('name,category\nRex,Rabbit\n')).toMatchObject({
    error: {
      code: 'storage_unavailable',
      message: expect.stringContaining('Another process keeps the database locked.'),
    },
  })
  other.connection.run('ROLLBACK')
  other.close()
  expect(allPets()).toEqual([])
  expect(newCategories()).toEqual([])
})

test('an import leaves nothing behind that would disturb or enter the next one', async () => {
  await load('name,category\nRex,Rabbit\n,\n')
  await load('name,category\nTom,Goat\n')
  await load('name,category\nKim,Crab\n')
  expect(allPets().map(({ name }) => name)).toEqual(['Tom', 'Kim'])
  expect(newCategories().map(({ name }) => name)).toEqual(['Goat', 'Crab'])
})
