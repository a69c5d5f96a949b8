import { expect, test } from 'bun:test'
import { recordsOf } from './csv.ts'
import {
  contentProblem,
  decode,
  guessMapping,
  isExport,
  readFile,
  rejectsOf,
  unusedColumns,
  uploadOf,
} from './read-file.ts'

const file = (text: string, name = 'animals.csv') => readFile(new File([text], name))

test('text of spreadsheets is decoded: UTF-8, UTF-16 and Windows-1252', () => {
  const utf16 = new Uint8Array(new Uint16Array([...'\ufeffNäme;猫'].map((character) => character.charCodeAt(0))).buffer)
  expect(decode(new TextEncoder().encode('\ufeffNäme,猫'))).toBe('Näme,猫')
  expect(decode(utf16)).toBe('Näme;猫')
  expect(decode(new Uint8Array([0x4e, 0xe4, 0x6d, 0x65, 0x20, 0x80]))).toBe('Näme €')
})

test('records keep quoted delimiters, quotes and line breaks, and know their lines', () => {
  const text = 'a,b\r\n"x, ""y""\nz",2\r\n\r\nlast,3'
  expect([...recordsOf(text, ',')].map(({ fields, line }) => [line, ...fields])).toEqual([
    [1, 'a', 'b'],
    [2, 'x, "y"\nz', '2'],
    [5, 'last', '3'],
  ])
})

test('a wrong quote spoils its line, and not the rest of the file', () => {
  const text = 'name,type\nRex 5" tall,Dog\nBo,Cat\n"Lu,Cat\nMo,"Dog"\n"Flo,Cat\n'
  expect([...recordsOf(text, ',')].map(({ raw, line }) => [line, raw])).toEqual([
    [1, 'name,type'],
    [2, 'Rex 5" tall,Dog'],
    [3, 'Bo,Cat'],
    [4, '"Lu,Cat'],
    [5, 'Mo,"Dog"'],
    [6, '"Flo,Cat'],
  ])
})

test('columns are guessed, and sent under the names of the store', async () => {
  const chosen = await file('ID;Animal name;Type;Status\n1;Ada;Cat;sold\n2;Bo;Dog;\n')
  if (chosen.table === undefined) throw new Error('It is a table.')
  const mapping = guessMapping(chosen.table)
  expect(mapping).toEqual({ name: 1, category: 2, status: 3 })
  expect(await uploadOf(chosen, mapping).text()).toBe('column 1;name;category;status\n1;Ada;Cat;sold\n2;Bo;Dog;\n')
  const numbered = await file('name,category\nAda,2\n')
  expect(await uploadOf(numbered, { name: 0, category: 1, status: undefined }).text()).toBe('name,categoryId\nAda,2\n')
})

test('an export of another store is sent with the names of its categories, which identify them, and the ids for new ones', async () => {
  const chosen = await file('id,name,categoryId,category,status\r\n1,Ada,7,Rabbit,sold\r\n2,Bo,9,,sold\r\n')
  if (chosen.table === undefined) throw new Error('It is a table.')
  const mapping = guessMapping(chosen.table)
  expect(mapping).toEqual({ name: 1, category: 3, status: 4 })
  expect(unusedColumns(chosen.table, mapping)).toEqual(['id'])
  const sent = await uploadOf(chosen, mapping).text()
  expect(sent.split('\r\n')[0]).toBe('column 1,name,categoryId,category,status')
})

test('a column of ids stays one if an id in it is wrong, so that the check lists its row', async () => {
  const chosen = await file('name,categoryId\nAda,2\nBo,-1\n')
  if (chosen.table === undefined) throw new Error('It is a table.')
  const mapping = guessMapping(chosen.table)
  expect(mapping.category).toBe(1)
  expect(await uploadOf(chosen, mapping).text()).toBe('name,categoryId\nAda,2\nBo,-1\n')
})

test('lines may end with a carriage return alone', async () => {
  const { table } = await file('name,category\rAda,Cat\rBo,Dog\r')
  expect(table?.samples).toEqual([
    ['Ada', 'Cat'],
    ['Bo', 'Dog'],
  ])
})

test('a column of statuses is kept if some of its words are unknown, so that the check lists their rows', async () => {
  const statusOf = async (text: string) => {
    const { table } = await file(text)
    return table && guessMapping(table).status
  }
  expect(await statusOf('name,category,status\nAda,Cat,ready\nBo,Dog,sold\n')).toBe(2)
  expect(await statusOf('name,category,Status\nAda,Cat,ready\n')).toBe(2)
  expect(await statusOf('name,category,state\nAda,Cat,ready\nBo,Dog,sold\n')).toBe(2)
  expect(await statusOf('name,category,State\nAda,Cat,Ohio\nBo,Dog,Texas\n')).toBeUndefined()
})

test('an export is recognised, as a table and as lines of JSON', async () => {
  const pet = { id: 1, name: 'Ada', categoryId: 1, category: 'Dog', status: 'sold' }
  expect(isExport(await file('\ufeffid,name,categoryId,category,status\r\n1,Ada,1,Dog,sold\r\n'))).toBe(true)
  expect(isExport(await file(`${JSON.stringify(pet)}\n`, 'animals.ndjson'))).toBe(true)
  expect(isExport(await file('name,category,status\nAda,Dog,sold\n'))).toBe(false)
  expect(isExport(await file('{"name":"Ada","category":"Dog"}', 'animals.ndjson'))).toBe(false)
  expect(isExport(await file('{"id":', 'animals.ndjson'))).toBe(false)
})

test('web pages and files of programs are no lists', async () => {
  const problemOf = (content: string | Uint8Array<ArrayBuffer>) => contentProblem(new Blob([content]))
  expect(await problemOf('\n<!doctype html>')).toContain('web page')
  expect(await problemOf('[\n  {"name":"Ada"}]')).toContain('JSON array')
  expect(await problemOf('PK\u0003\u0004…')).toContain('not a list')
  expect(await problemOf(new Uint8Array([0x89, 0x50, 0, 1, 2]))).toContain('not a list')
  for (const text of [
    'name,type\nAda,Cat',
    '\ufeffNäme;Art',
    '{"name":"Ada"}',
    '[Name],[Type]',
    `${'x'.repeat(4_095)}é`,
  ]) {
    expect(await problemOf(text)).toBeUndefined()
  }
})

test('rejected rows are a file with their reasons', async () => {
  const chosen = await file('name,type\nAda,Cat\n,Dog\n"Bo\nB",\n')
  const errors = [
    { line: 3, message: 'name is blank' },
    { line: 4, message: 'category is blank, too' },
  ]
  expect(rejectsOf(chosen, errors)).toBe(
    'name,type,problem\r\n,Dog,name is blank\r\n"Bo\nB",,"category is blank, too"\r\n',
  )
})
