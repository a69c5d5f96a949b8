import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { type OpenDatabase, openDatabase } from '../../database/open.ts'
import { emptyFolder } from '../../testing/executable.ts'
import { openTestStore, type TestStore } from '../../testing/harness.ts'
import { nameFault as categoryFault, storedName as storedCategory } from '../categories/rules.ts'
import { createCategoryStore } from '../categories/store.ts'
import { categoryRow } from '../categories/testing/category-row.ts'
import { nameFault, petStatuses, storedName } from '../pets/rules.ts'
import { createPetStore } from '../pets/store.ts'
import type { PetRow } from '../pets/table.ts'
import { type ExportFormat, exportFormats, exportPets } from './export.ts'

function storeIn({ connection, tables }: OpenDatabase) {
  return {
    connection,
    tables,
    pets: createPetStore(tables, connection),
    categories: createCategoryStore(tables),
    write: <T>(work: () => T): T => connection.transaction(work).immediate(),
  }
}
type Store = ReturnType<typeof storeIn>

const all = { order: 'asc', above: 0, below: Number.MAX_SAFE_INTEGER } as const
const allPets = ({ pets }: Pick<Store, 'pets'>) => pets.page({}, all, 1_000_000).records
const written = (store: Store, format: ExportFormat) => [...exportPets(store, { format, bom: false })].join('')

const header =
  'id,name,categoryId,category,status,number,breed,color,sex,birthDate,microchip,price,description,published,attributes'
const emptyProfile =
  ',"number":null,"breed":null,"color":null,"sex":null,"birthDate":null,"microchip":null,"price":null,"description":null,"published":true,"attributes":[]'

/** Animals without their ids, with the ids and names of their categories. */
const essence = (store: Pick<Store, 'pets' | 'categories'>) =>
  allPets(store).map(({ name, categoryId, status }) => {
    return { name, categoryId, category: store.categories.find(categoryId)?.name, status }
  })

/** Calls `use` with a store in memory and closes it. */
async function withEmptyStore(use: (store: TestStore) => Promise<void> | void): Promise<void> {
  const store = await openTestStore()
  try {
    await use(store)
  } finally {
    await store.close()
  }
}

/** Text with quotes, signs, separators, spaces and any Unicode. */
const awkward = (most: number) =>
  fc.oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: most }),
    fc.string({
      unit: fc.constantFrom(...`'"=+-@,; {[a\u00a0\u2028\ufeff\u0301＝\u0958🐶`),
      minLength: 1,
      maxLength: most,
    }),
    fc.constantFrom("'=x", "''-1", "'plain", '=1+1', '"', '""', 'null', '{}', '0', '\u0958'.repeat(most)),
  )
const petName = awkward(100)
  .filter((name) => nameFault(name) === undefined)
  .map(storedName)
const categoryName = awkward(64)
  .filter((name) => categoryFault(name) === undefined)
  .map(storedCategory)
const categoryId = fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }))
const content = fc.record({
  categories: fc.uniqueArray(fc.record({ id: fc.integer({ min: 1, max: 12 }), name: categoryName }), {
    selector: ({ id }) => id,
  }),
  pets: fc.array(fc.record({ name: petName, categoryId, status: fc.constantFrom(...petStatuses) }), { maxLength: 8 }),
})

describe('an exported store is reproduced by an import into a new store, with the ids and names of categories', () => {
  test.each(exportFormats)('as %s, with any names', async (format) => {
    const property = fc.asyncProperty(content, async ({ categories, pets }) => {
      await withEmptyStore(async ({ app, call }) => {
        await app.writer.write(() => {
          for (const category of categories) {
            const { add, rename, find, findByName } = app.categories
            if (findByName(category.name)) continue
            if (find(category.id)) rename(categoryRow(category))
            else add(categoryRow(category))
          }
          for (const pet of pets) app.pets.add(pet)
        })
        const { text: rawBody, headers } = await call('GET', `/v1/exports/pets?format=${format}`)
        await withEmptyStore(async (other) => {
          const type = { 'Content-Type': headers.get('content-type') ?? '' }
          expect((await other.call('POST', '/v1/imports', { rawBody, headers: type })).status).toBe(201)
          expect(essence(other.app)).toEqual(essence(app))
        })
      })
    })
    await fc.assert(property, { numRuns: 15 })
  })

  test.each(exportFormats)('as %s, with texts in profiles that programs take for something else', async (format) => {
    const texts = ['NULL', 'NA', 'n/a', '-', '=1+1', "'=x", 'a;=1', 'a,"b"', '007', '1E5', '[1]', '<p>x</p>', 'true']
    await withEmptyStore(async ({ call }) => {
      for (const text of texts) {
        const { json: pet } = await call('POST', '/v1/pets', { body: { name: text, categoryId: 1, status: 'sold' } })
        const attributes = [{ label: text, text }]
        const body = { number: text, breed: text, color: text, description: text, attributes }
        expect((await call('PATCH', `/v1/pets/${pet.id}/profile`, { body })).status).toBe(200)
      }
      const exported = await call('GET', `/v1/exports/pets?format=${format}`)
      await withEmptyStore(async (other) => {
        const type = { 'Content-Type': exported.headers.get('content-type') ?? '' }
        await other.call('POST', '/v1/imports', { rawBody: exported.text, headers: type })
        expect((await other.call('GET', `/v1/exports/pets?format=${format}`)).text).toBe(exported.text)
      })
    })
  })
})

describe('a file', () => {
  let store: Store
  let folder: ReturnType<typeof emptyFolder>
  let database: OpenDatabase
  beforeEach(() => {
    folder = emptyFolder()
    database = openDatabase(join(folder.path, 'store.db'), 0)
    store = storeIn(database)
  })
  afterEach(() => {
    database.close()
    folder.remove()
  })

  const add = (name: string, categoryId = 1, status: PetRow['status'] = 'available') =>
    store.pets.add({ name, categoryId, status })

  test('in CSV has a header, lines that end in CRLF, quotes where they are needed, and no formulas', () => {
    add('Rex', 1, 'sold')
    add('Mr. "Whiskers", Esq.', 900)
    add('=1+1')
    add("'plain")
    add("'=x")
    store.categories.add(categoryRow({ id: 7, name: '@home, alone' }))
    add('-1', 7)
    expect(written(store, 'csv').split('\r\n')).toEqual([
      header,
      ...[
        '1,Rex,1,Dog,sold',
        '2,"Mr. ""Whiskers"", Esq.",900,,available',
        "3,'=1+1,1,Dog,available",
        "4,'plain,1,Dog,available",
        "5,''=x,1,Dog,available",
        `6,'-1,7,"'@home, alone",available`,
      ].map((row) => `${row},,,,,,,,,true,`),
      '',
    ])
  })

  test('in NDJSON has one object in each line, whose category is null if it has no name', () => {
    add('Rex', 1, 'sold')
    add('=1+1', 900)
    expect(written(store, 'ndjson')).toBe(
      `{"id":1,"name":"Rex","categoryId":1,"category":"Dog","status":"sold"${emptyProfile}}\n` +
        `{"id":2,"name":"=1+1","categoryId":900,"category":null,"status":"available"${emptyProfile}}\n`,
    )
  })

  test('of a store without animals is valid too', () => {
    expect(written(store, 'csv')).toBe(`${header}\r\n`)
    expect(written(store, 'ndjson')).toBe('')
  })

  test('of many pages has every animal once, by id', () => {
    store.write(() => {
      for (let i = 1; i <= 2_500; i++) add(`Animal ${i}`)
    })
    const ids = Array.from({ length: 2_500 }, (_, i) => i + 1)
    const rows: { id: string }[] = parse(written(store, 'csv'), { columns: true })
    expect(rows.map(({ id }) => Number(id))).toEqual(ids)
    const lines = written(store, 'ndjson').trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line).id)).toEqual(ids)
  })

  test('is a snapshot, while other processes write without waiting', () => {
    store.write(() => {
      for (let i = 1; i <= 1_500; i++) add(`Animal ${i}`)
    })
    const parts = exportPets(store, { format: 'ndjson', bom: false })
    let text = ''
    for (let i = 0; i < 2; i++) text += parts.next().value ?? ''
    const elsewhere = openDatabase(join(folder.path, 'store.db'), 0)
    const other = storeIn(elsewhere)
    other.write(() => {
      const pet = other.pets.find(1_400)
      if (pet) other.pets.remove(pet)
      other.pets.add({ name: 'Late', categoryId: 1, status: 'available' })
      other.categories.rename(categoryRow({ id: 1, name: 'Hound' }))
    })
    text += [...parts].join('')
    const lines = text.trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line).id)).toEqual(Array.from({ length: 1_500 }, (_, i) => i + 1))
    expect(text).not.toContain('Hound')
    expect(written(store, 'ndjson')).toContain('Late')
    elsewhere.close()
  })

  test('that is not read to its end leaves no transaction open', () => {
    add('Rex')
    for (const part of exportPets(store, { format: 'csv', bom: false })) if (part.includes('id')) break
    expect(store.connection.inTransaction).toBe(false)
  })
})
