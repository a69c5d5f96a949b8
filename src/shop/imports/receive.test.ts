import { expect, test } from 'bun:test'
import { checkFile } from './check.ts'
import { createFindings } from './file/findings.ts'
import { parseReading } from './file/reading.ts'
import { importsPerTest } from './testing/per-test.ts'
import { createProfileReader } from './values/profile.ts'

const { opened, load, allPets, newCategories } = importsPerTest()

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
  expect(await load(text)).toEqual({
    rejection: expect.stringContaining('2 of 4 rows are invalid'),
    badRows: ['3: name is blank', '5: category is blank'],
  })
  expect(allPets()).toEqual([])
  expect(newCategories()).toEqual([])
})

test('whoever reads a file may pause after each few thousand rows, however they arrive', async () => {
  async function* chunks() {
    yield Buffer.from(`name,category\n"open,Cat\n${'Rex,Dog\n'.repeat(30_000)}`)
  }
  const pauses: number[] = []
  const findings = createFindings()
  await checkFile({
    chunks: chunks(),
    ...parseReading({}),
    format: 'csv',
    skipsInvalid: true,
    findings,
    profileReader: createProfileReader({ currency: null, nowMs: 0, dates: undefined, readsAges: false }),
    onRows: () => {},
    onBatch: () => void pauses.push(findings.rows),
  })
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
  const text = Buffer.from('%PDF-1.7\nname,category\nRex,Rabbit\n')
  expect(await load(text, { skipsInvalid: true })).toMatchObject({
    rejection: expect.stringMatching(/^Nothing was imported: line 1: .*PDF/),
  })
  expect(allPets()).toEqual([])
  expect(newCategories()).toEqual([])
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
  expect(opened.store.app.categories.find(5)).toMatchObject({ id: 5, name: '@home' })
  expect(allPets()).toEqual([
    { id: 1, name: 'Rex', categoryId: 1, status: 'sold' },
    { id: 2, name: 'Mr. "Whiskers", Esq.', categoryId: 900, status: 'available' },
    { id: 3, name: '=HYPERLINK("x")', categoryId: 2, status: 'pending' },
    { id: 4, name: '-1', categoryId: 5, status: 'available' },
  ])
})

test('an import leaves nothing that affects the next one', async () => {
  await load('name,category\nRex,Rabbit\n,Dog\n')
  await load('name,category\nTom,Goat\n')
  await load('name,category\nKim,Crab\n')
  expect(allPets().map(({ name }) => name)).toEqual(['Tom', 'Kim'])
  expect(newCategories().map(({ name }) => name)).toEqual(['Goat', 'Crab'])
})
