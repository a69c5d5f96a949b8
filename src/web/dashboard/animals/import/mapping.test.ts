import { expect, test } from 'bun:test'
import {
  type FileColumns,
  guessedReading,
  isExport,
  parametersOf,
  readingAfter,
  rejectsOf,
  unusedColumns,
} from './mapping.ts'

const members = ['number', 'breed', 'color', 'sex', 'birthDate', 'microchip', 'price', 'description', 'published']
const fields = ['name', 'category', 'categoryId', 'status', ...members, 'attributes']
const noMapping = Object.fromEntries(fields.map((field) => [field, []])) as unknown as FileColumns['mapping']

const fileOf = (names: readonly string[], mapping: Partial<FileColumns['mapping']>): FileColumns => ({
  delimiter: 'semicolon',
  hasHeader: true,
  headerLine: 1,
  columns: names.map((name) => ({ name, values: [] })),
  mapping: { ...noMapping, ...mapping } as FileColumns['mapping'],
  questions: [],
  categories: [],
  unknownStatuses: [],
})

/** The members of a profile without a column. */
const noProfile = members.map((member) => `,${member}=`).join('')

test('columns are sent by their numbers, whatever their names, with the words for a status', () => {
  const file = fileOf(['ID', 'name=x|y', 'name=x|y', ''], { name: [2], category: [3] })
  const guessed = guessedReading(file)
  expect(parametersOf(file, guessed)).toEqual({ columns: `name=#2,category=#3,status=${noProfile}`, headerLine: '1' })
  const oneForAll = { ...guessed, category: 'Dog', sheet: 'Animals' }
  expect(parametersOf(file, oneForAll)).toMatchObject({
    columns: `name=#2,status=${noProfile}`,
    category: 'Dog',
    sheet: 'Animals',
  })
  const mapping = { ...guessed.mapping, otherName: 1, status: 4 }
  const statuses = new Map([
    ['verkauft', 'sold'],
    ['da, hier', 'available'],
    ['tot', ''],
  ] as const)
  expect(parametersOf(file, { ...guessed, mapping, statuses })).toEqual({
    columns: `name=#2|#1,category=#3,status=#4${noProfile}`,
    statuses: 'verkauft=sold,da, hier=available,tot=',
    headerLine: '1',
  })
})

test('choices by hand outlast another encoding, header or sheet as far as there are such columns', () => {
  const before = fileOf(['No.', 'Imi\ufffd', 'Gatunek', 'Uwagi'], { number: [1], category: [3] })
  const guessed = guessedReading(before)
  const statuses = new Map([['verkauft', 'sold']])
  const reading = { ...guessed, statuses, isFilled: true, mapping: { ...guessed.mapping, name: 2, status: null } }
  const after = (names: readonly string[], mapping: Partial<FileColumns['mapping']>, choice = {}) =>
    readingAfter({ file: before, reading }, fileOf(names, mapping), choice)
  const names = ['No.', 'Imi\u0119', 'Gatunek', 'Uwagi']
  const decoded = after(names, { number: [1], category: [4] }, { encoding: 'windows-1250' })
  expect(decoded).toMatchObject({ encoding: 'windows-1250', statuses, isFilled: true })
  // What was guessed before is guessed anew.
  expect(decoded.mapping).toMatchObject({ number: 1, name: 2, category: 4, status: null })
  const sheet = { sheet: 'Sold' }
  expect(after(['Gatunek', 'Imi\ufffd'], { category: [1] }, sheet).mapping).toMatchObject({ name: 2, category: 1 })
  expect(after(['Gatunek', 'Name'], { category: [1] }, sheet).mapping.name).toBeUndefined()
  expect(after(['Stock list'], {}, { headerLine: 1 }).mapping).toMatchObject({ name: undefined, status: null })
  const noNames = fileOf(['', ''], {})
  expect(parametersOf({ ...noNames, headerLine: null }, guessedReading(noNames))).toMatchObject({ hasHeader: 'false' })
})

test('the names of categories are sent with their ids, and a column of ids can be the category', () => {
  const names = ['id', 'name', 'categoryId', 'category', 'status']
  const exported = fileOf(names, { name: [2], category: [4], categoryId: [3], status: [5] })
  expect(parametersOf(exported, guessedReading(exported))['columns']).toBe(
    `name=#2,category=#4,categoryId=#3,status=#5${noProfile}`,
  )
  expect(unusedColumns(exported, guessedReading(exported))).toEqual(['id'])
  expect(isExport(exported)).toBe(true)
  const numbered = fileOf(['name', 'categoryId'], { name: [1], categoryId: [2] })
  expect(guessedReading(numbered).mapping.category).toBe(2)
  expect(parametersOf(numbered, guessedReading(numbered))['columns']).toBe(`name=#1,categoryId=#2,status=${noProfile}`)
  expect(isExport(numbered)).toBe(false)
  const guessed = guessedReading(numbered)
  const other = { ...guessed, mapping: { ...guessed.mapping, name: 2, category: 1 } }
  expect(parametersOf(numbered, other)['columns']).toBe(`name=#2,category=#1,status=${noProfile}`)
})

test('rejected rows are a file with their reasons', () => {
  const errors = [
    { line: 3, message: 'name is blank', text: ';Dog' },
    {
      line: 4,
      message: 'category is blank; status must be one of available, pending, sold, not "x;y"',
      text: '"Bo\nB";',
    },
  ]
  const status = 'The category is missing. The status ""x;y"" is unknown. Write available, pending or sold.'
  expect(rejectsOf(fileOf(['name', 'a;b'], {}), errors)).toBe(
    `name;"a;b";problem\r\n;Dog;The name is missing.\r\n"Bo\nB";;"${status}"\r\n`,
  )
  expect(rejectsOf({ ...fileOf(['', ''], {}), hasHeader: false }, errors.slice(0, 1))).toBe(
    'Column 1;Column 2;problem\r\n;Dog;The name is missing.\r\n',
  )
  const line = { line: 1, message: 'name is blank', text: '{"name":""}' }
  expect(rejectsOf({ ...fileOf(['name'], {}), delimiter: null }, [line])).toBe('{"name":""}\n')
})
