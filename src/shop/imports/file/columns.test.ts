import { expect, test } from 'bun:test'
import { AppError } from '../../../lib/error.ts'
import { findMember, locateColumns, parseColumns } from './columns.ts'

const locate = (header: string[], ...mappings: string[]) => {
  const located = locateColumns(parseColumns(mappings), header)
  if (typeof located === 'string') return located
  return Object.fromEntries(
    located.indexes.map(([field, [index, ...more]]) => [field, more.length ? [index, ...more] : index]),
  )
}
const unused = (header: string[], ...mappings: string[]) => {
  const located = locateColumns(parseColumns(mappings), header)
  return typeof located === 'string' ? located : located.unused
}
const errorOf = (act: () => unknown) => {
  try {
    act()
  } catch (error) {
    return error instanceof AppError ? `${error.code}: ${error.message}` : error
  }
  return undefined
}

test('without mappings columns are found by the names of the fields, in any case and order', () => {
  expect(locate(['ID', 'STATUS', 'Name', 'CategoryID', 'Category'])).toEqual({
    name: 2,
    category: 4,
    categoryId: 3,
    status: 1,
  })
})

test('a mapping replaces only the name of its field', () => {
  expect(locate(['Name', 'Type', 'status'], 'category=Type')).toEqual({ name: 0, category: 1, status: 2 })
})

test('mappings may be in one text or in several, and a header may contain a comma or an equals sign', () => {
  const header = ['Last, First', 'a=b', 'x']
  const columns = { name: 0, category: 1, status: 2 }
  expect(locate(header, 'name=Last, First,category=a=b,status=x')).toEqual(columns)
  expect(locate(header, 'name=Last, First', ' Category = a=b ', 'status=x')).toEqual(columns)
})

test('a mapping of the category makes a column categoryId of the file ignored', () => {
  expect(locate(['name', 'Type', 'categoryId'], 'category=Type')).toEqual({ name: 0, category: 1 })
  expect(locate(['name', 'category', 'Kind'], 'categoryId=Kind')).toEqual({ name: 0, categoryId: 2 })
  expect(locate(['name', 'Type', 'Kind'], 'category=Type,categoryId=Kind')).toEqual({
    name: 0,
    category: 1,
    categoryId: 2,
  })
})

test('an empty mapping makes a column of the file ignored', () => {
  expect(locate(['name', 'category', 'status'], 'status=')).toEqual({ name: 0, category: 1 })
})

test('a field can be read from several columns, all of which must be there', () => {
  const header = ['Name', 'Animal ID', 'Type', 'a|b']
  expect(locate(header, 'name=Name | Animal ID,category=Type')).toEqual({ name: [0, 1], category: 2 })
  expect(locate(header, 'name=Name|,category=Type')).toEqual({ name: 0, category: 2 })
  expect(errorOf(() => locate(header, 'name=Name|Tag,category=Type'))).toContain('the file has no "Tag"')
  // A column that is really called so.
  expect(locate(header, 'name=a|b,category=Type')).toEqual({ name: 3, category: 2 })
})

test('the columns that no field is read from are named, by their numbers where they have no name', () => {
  expect(unused(['ID', 'name', 'Type', '', 'status', 'x'.repeat(101)], 'category=Type,status=')).toEqual([
    'ID',
    'column 4',
    'status',
    `${'x'.repeat(99)}…`,
  ])
  expect(unused(['Name', 'Tag', 'category'], 'name=Name|Tag')).toEqual([])
})

test('an exact name has precedence over one that differs in case, and two equal names are rejected', () => {
  expect(locate(['NAME', 'name', 'category'])).toEqual({ name: 1, category: 2 })
  expect(locate(['name', 'category', 'name'])).toBe('the file has two columns "name"')
  expect(locate(['Name', 'category', 'NAME'])).toBe('the file has two columns "name"')
  expect(locate(['name', 'category', 'note', 'note'])).toEqual({ name: 0, category: 1 })
})

test('a missing column of a mapping is an error that lists the columns of the file', () => {
  expect(errorOf(() => locate(['Name', 'Type'], 'name=Naam'))).toBe(
    'invalid_parameter: --columns: the file has no "Naam", only Name, Type.',
  )
})

test('a missing required column is a fault that lists the columns of the file', () => {
  expect(locate(['Naam', 'category'])).toBe(
    'there is no column "name", only Naam, category: name the column with --columns name=…',
  )
  expect(locate(['name', 'Type'])).toContain('there is no column "category", only name, Type')
})

test('a header of more than 1,000 columns is a fault', () => {
  const others = Array.from({ length: 998 }, (_, i) => `c${i}`)
  expect(locate(['name', 'category', ...others])).toEqual({ name: 0, category: 1 })
  expect(locate(['name', 'category', 'status', ...others])).toBe(
    'the file has 1,001 columns: remove some, at most 1,000 can be read',
  )
})

test('an invalid mapping is an error', () => {
  for (const mapping of ['colour=Colour', 'Name', '', '=Name', 'name=', 'name=|', 'name=A,name=B', 'id=ID']) {
    expect(errorOf(() => parseColumns([mapping]))).toStartWith('invalid_parameter: --columns: ')
  }
})

test('a member is found in any case, the exact name first, and never on the prototype', () => {
  expect(findMember({ NAME: 1, name: 2 }, 'name')).toBe(2)
  expect(findMember({ Name: 1 }, 'name')).toBe(1)
  expect(findMember({}, 'constructor')).toBeUndefined()
})
