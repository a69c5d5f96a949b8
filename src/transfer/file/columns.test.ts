import { expect, test } from 'bun:test'
import { AppError } from '../../lib/error.ts'
import { findMember, locateColumns, parseColumns } from './columns.ts'

const locate = (header: string[], ...mappings: string[]) => {
  const located = locateColumns(parseColumns(mappings), header)
  return typeof located === 'string' ? located : Object.fromEntries(located)
}
const refusalOf = (act: () => unknown) => {
  try {
    act()
  } catch (error) {
    return error instanceof AppError ? `${error.code}: ${error.message}` : error
  }
  return undefined
}

test('without mappings our own names are looked for, whatever their case and place', () => {
  expect(locate(['ID', 'STATUS', 'Name', 'CategoryID', 'Category'])).toEqual({
    name: 2,
    category: 4,
    categoryId: 3,
    status: 1,
  })
})

test('a mapping replaces the name of that field alone', () => {
  expect(locate(['Name', 'Type', 'status'], 'category=Type')).toEqual({ name: 0, category: 1, status: 2 })
})

test('mappings may stand in one text or in several, and a header may hold a comma or an equals sign', () => {
  const header = ['Last, First', 'a=b', 'x']
  const columns = { name: 0, category: 1, status: 2 }
  expect(locate(header, 'name=Last, First,category=a=b,status=x')).toEqual(columns)
  expect(locate(header, 'name=Last, First', ' Category = a=b ', 'status=x')).toEqual(columns)
})

test("who names the column of the category doesn't mean a foreign file's categoryId", () => {
  expect(locate(['name', 'Type', 'categoryId'], 'category=Type')).toEqual({ name: 0, category: 1 })
  expect(locate(['name', 'category', 'Kind'], 'categoryId=Kind')).toEqual({ name: 0, categoryId: 2 })
  expect(locate(['name', 'Type', 'Kind'], 'category=Type,categoryId=Kind')).toEqual({
    name: 0,
    category: 1,
    categoryId: 2,
  })
})

test('an empty mapping leaves a column of the file alone', () => {
  expect(locate(['name', 'category', 'status'], 'status=')).toEqual({ name: 0, category: 1 })
})

test('the exact name wins over one that differs in case, and two of the same are refused', () => {
  expect(locate(['NAME', 'name', 'category'])).toEqual({ name: 1, category: 2 })
  expect(locate(['name', 'category', 'name'])).toBe('the file has two columns "name"')
  expect(locate(['Name', 'category', 'NAME'])).toBe('the file has two columns "name"')
  expect(locate(['name', 'category', 'note', 'note'])).toEqual({ name: 0, category: 1 })
})

test('a column that was asked for and is missing is wrong usage that names those there are', () => {
  expect(refusalOf(() => locate(['Name', 'Type'], 'name=Naam'))).toBe(
    'invalid_parameter: --columns: the file has no "Naam", only Name, Type.',
  )
})

test('a file without a needed column is told so with the columns it has', () => {
  expect(locate(['Naam', 'category'])).toBe(
    'there is no column "name", only Naam, category: say which one it is with --columns name=…',
  )
  expect(locate(['name', 'Type'])).toContain('there is no column "category", only name, Type')
})

test('a mapping that makes no sense is wrong usage', () => {
  for (const mapping of ['colour=Colour', 'Name', '', '=Name', 'name=', 'name=A,name=B', 'id=ID']) {
    expect(refusalOf(() => parseColumns([mapping]))).toStartWith('invalid_parameter: --columns: ')
  }
})

test('a member is found whatever its case, the exact one first, and never on the prototype', () => {
  expect(findMember({ NAME: 1, name: 2 }, 'name')).toBe(2)
  expect(findMember({ Name: 1 }, 'name')).toBe(1)
  expect(findMember({}, 'constructor')).toBeUndefined()
})
