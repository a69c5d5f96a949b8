import { expect, test } from 'bun:test'
import { recordsOf } from './csv.ts'
import { decode, guessMapping, readFile, rejectsOf, uploadOf } from './read-file.ts'

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

test('columns are guessed, and sent under the names of the store', async () => {
  const chosen = await file('ID;Animal name;Type;Status\n1;Ada;Cat;sold\n2;Bo;Dog;\n')
  if (chosen.table === undefined) throw new Error('It is a table.')
  const mapping = guessMapping(chosen.table)
  expect(mapping).toEqual({ name: 1, category: 2, status: 3 })
  expect(await uploadOf(chosen, mapping).text()).toBe('column 1;name;category;status\n1;Ada;Cat;sold\n2;Bo;Dog;\n')
  const numbered = await file('name,category\nAda,2\n')
  expect(await uploadOf(numbered, { name: 0, category: 1, status: undefined }).text()).toBe('name,categoryId\nAda,2\n')
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
