import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { asc } from 'drizzle-orm'
import { createCategoryStore } from '../categories/store.ts'
import { categories } from '../categories/table.ts'
import { type OpenDatabase, openDatabase } from '../database/open.ts'
import { createImportStore } from '../imports/store.ts'
import { createPetStore } from '../pets/store.ts'
import { pets } from '../pets/table.ts'
import { emptyFolder } from '../testing/executable.ts'
import { parseColumns } from './file/columns.ts'
import { gatherRows, importPets } from './import.ts'

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

/** A connection like that of another process, which does not wait for locks. */
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
  /** Called when the last byte was read, before anything is committed. */
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
    imports: createImportStore(tables),
    pets: createPetStore(tables, connection),
    write: <T>(work: () => T): T => connection.transaction(work).immediate(),
  }
  const order = {
    chunks: chunks(),
    fileName: 'pets.csv',
    nowMs: Date.UTC(2026, 10, 20),
    columns: parseColumns([]),
    format: undefined,
    skipsInvalid,
    onInvalidRow: (line: number, fault: string) => void badRows.push(`${line}: ${fault}`),
    onProgress: () => {},
  }
  try {
    const { imported } = await importPets(store, order)
    return { imported, badRows }
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

test('animals are added in the order of their rows, with the categories that they name', async () => {
  const text = 'name,category,status\nRex,dog,sold\n Zoe\u0308 ,Rabbit,\nTom,RABBIT,Pending\n'
  expect(await load(text)).toEqual({ imported: 3, badRows: [] })
  expect(allPets()).toEqual([
    { id: 1, name: 'Rex', categoryId: 1, status: 'sold' },
    { id: 2, name: 'Zo\u00eb', categoryId: 7, status: 'available' },
    { id: 3, name: 'Tom', categoryId: 7, status: 'pending' },
  ])
  expect(newCategories()).toEqual([{ id: 7, name: 'Rabbit' }])
})

test('with one invalid row the import adds neither animals nor categories, and every invalid row is reported', async () => {
  const text = 'name,category\nRex,Rabbit\n,Dog\nTom,Goat\nKim,\n'
  expect(await load(text)).toMatchObject({
    error: { code: 'invalid_body', message: expect.stringContaining('2 of 4 rows are invalid') },
    badRows: ['3: name is blank', '5: category is blank'],
  })
  expect(allPets()).toEqual([])
  expect(newCategories()).toEqual([])
})

test('whoever reads a file may pause after each few thousand rows, however they arrive', async () => {
  async function* chunks() {
    yield Buffer.from(`name,category\n"open,Cat\n${'Rex,Dog\n'.repeat(30_000)}`)
  }
  let read = 0
  const pauses: number[] = []
  await gatherRows(
    { connection: database.connection, add: () => {} },
    {
      chunks: chunks(),
      columns: parseColumns([]),
      format: 'csv',
      skipsInvalid: true,
      onInvalidRow: () => {},
      onProgress: (rows) => {
        read = rows
      },
      pause: async () => void pauses.push(read),
    },
  )
  expect(pauses.at(-1)).toBe(30_001)
  expect(Math.max(...pauses.map((rows, i) => rows - (pauses[i - 1] ?? 0)))).toBeLessThan(3_000)
})

test('if invalid rows are skipped, the valid rows are added, and a category that only an invalid row names is not', async () => {
  const text = 'name,category\nRex,Rabbit\n,Goat\nTom,Rabbit\n'
  expect(await load(text, { skipsInvalid: true })).toEqual({ imported: 2, badRows: ['3: name is blank'] })
  expect(allPets().map(({ name }) => name)).toEqual(['Rex', 'Tom'])
  expect(newCategories()).toEqual([{ id: 7, name: 'Rabbit' }])
})

test('with a fault of the whole file the import adds nothing, even if invalid rows are skipped', async () => {
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

  test('above every id that an animal in the store uses', async () => {
    await load('name,categoryId\nRex,50\n')
    expect(await idAfter('name,category\nTom,Rabbit\n')).toBe(51)
  })

  test('above every id in the same file', async () => {
    expect(await idAfter('name,category,categoryId\nRex,Rabbit,\nTom,,60\n')).toBe(61)
  })

  test('and the lowest free one if the highest is in use', async () => {
    await load('name,categoryId\nRex,9007199254740991\nTom,7\n')
    expect(await idAfter('name,category,categoryId\nTom,Rabbit,\nKim,Goat,\nBea,,8\n')).toBe(9)
    expect(newCategories()).toEqual([
      { id: 9, name: 'Rabbit' },
      { id: 10, name: 'Goat' },
    ])
  })
})

test('importing an export adds the same animals with other ids', async () => {
  const rows = [
    `1,Rex,1,Dog,sold`,
    `2,"Mr. ""Whiskers"", Esq.",900,,available`,
    `3,"'=HYPERLINK(""x"")",2,Cat,pending`,
    `7,'-1,5,"'@home",available`,
  ]
  expect(await load(`id,name,categoryId,category,status\r\n${rows.join('\r\n')}\r\n`)).toMatchObject({ imported: 4 })
  expect(newCategories()).toEqual([])
  expect(createCategoryStore(database.tables).find(5)).toEqual({ id: 5, name: '@home' })
  expect(allPets()).toEqual([
    { id: 1, name: 'Rex', categoryId: 1, status: 'sold' },
    { id: 2, name: 'Mr. "Whiskers", Esq.', categoryId: 900, status: 'available' },
    { id: 3, name: '=HYPERLINK("x")', categoryId: 2, status: 'pending' },
    { id: 4, name: '-1', categoryId: 5, status: 'available' },
  ])
})

test('while a file is read, other processes write without waiting, and a category that they add is used', async () => {
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

test('if another process keeps the write lock, nothing is imported, and the error says why', async () => {
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

test('an import leaves nothing that affects the next one', async () => {
  await load('name,category\nRex,Rabbit\n,\n')
  await load('name,category\nTom,Goat\n')
  await load('name,category\nKim,Crab\n')
  expect(allPets().map(({ name }) => name)).toEqual(['Tom', 'Kim'])
  expect(newCategories().map(({ name }) => name)).toEqual(['Goat', 'Crab'])
})

describe('a category with both a name and an id in the file', () => {
  const csv = (...rows: string[]) => `name,categoryId,category\n${rows.join('\n')}\n`
  const byName = () =>
    Object.fromEntries(
      createCategoryStore(database.tables)
        .page(0, 100)
        .map(({ id, name }) => [name, id]),
    )

  test('is created with both if the store has neither', async () => {
    await load(csv('Rex,40,Rabbit', 'Tom,41,Goat', 'Kim,,goat'))
    expect(newCategories()).toEqual([
      { id: 40, name: 'Rabbit' },
      { id: 41, name: 'Goat' },
    ])
    expect(allPets().map(({ categoryId }) => categoryId)).toEqual([40, 41, 41])
  })

  test('keeps its id in the store if the name exists there, and gets a free id if the id has another name', async () => {
    createCategoryStore(database.tables).add({ id: 40, name: 'Goat' })
    await load(csv('Rex,40,Rabbit', 'Tom,99,GOAT', 'Kim,7,Crab'))
    expect(byName()).toMatchObject({ Goat: 40, Crab: 7, Rabbit: 41 })
    expect(allPets().map(({ categoryId }) => categoryId)).toEqual([41, 40, 7])
  })

  test('gets the id of its first row with an id; if two names have the same id, the first name gets it', async () => {
    await load(csv('Rex,,Rabbit', 'Tom,40,Rabbit', 'Kim,41,Rabbit', 'Zoe,40,Goat'))
    expect(byName()).toMatchObject({ Rabbit: 40, Goat: 41 })
  })

  test('replaces a default category in an unused store, and none in any other', async () => {
    await load(csv('Rex,1,Hound', 'Tom,9,Cat'))
    expect(byName()).toEqual({ Hound: 1, Cat: 9, Bird: 3, Fish: 4, Reptile: 5, 'Small animal': 6 })
    await load(csv('Kim,5,Snake'))
    expect(byName()).toMatchObject({ Reptile: 5, Snake: 10 })
  })

  test('sets the name of an id that animals in the store use', async () => {
    await load('name,categoryId\nRex,900\n')
    await load(csv('Tom,900,Rabbit'))
    expect(newCategories()).toEqual([{ id: 900, name: 'Rabbit' }])
  })
})

test('names that do not fit in the cache also get the ids of the file', async () => {
  const rows = Array.from({ length: 12_000 }, (_, i) => `Rex,${i + 1_000},Kind ${i}`)
  await load(`name,categoryId,category\n${[...rows, ...rows].join('\n')}\n`)
  expect(newCategories()).toHaveLength(12_000)
  expect(allPets().every(({ categoryId }, i) => categoryId === 1_000 + (i % 12_000))).toBe(true)
})
