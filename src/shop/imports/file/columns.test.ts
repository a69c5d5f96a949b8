import { expect, test } from 'bun:test'
import { AppError } from '../../../lib/error.ts'
import { findHeader, locateColumns, parseColumns } from './columns.ts'
import { createColumnFacts } from './facts.ts'

/** Locates the columns of a file, of which each has one value. */
const located = (header: string[], mappings: string[]) => {
  const file = header.map((name) => {
    const { facts, see } = createColumnFacts(false)
    see('Dog')
    return { name, ...facts }
  })
  return locateColumns(file, parseColumns(mappings))
}
const locate = (header: string[], ...mappings: string[]) => {
  const { fault, indexes } = located(header, mappings)
  if (fault !== undefined) return fault
  return Object.fromEntries(
    [...indexes].map(([field, [index, ...more]]) => [field, more.length ? [index, ...more] : index]),
  )
}
const unused = (header: string[], ...mappings: string[]) => located(header, mappings).unused
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
  expect(locate(header, 'name=Name|,category=Type')).toEqual({ name: 0, category: 2, number: 1 })
  expect(errorOf(() => locate(header, 'name=Name|Tag,category=Type'))).toContain('the file has no "Tag"')
  // A column that is really called so.
  expect(locate(header, 'name=a|b,category=Type')).toEqual({ name: 3, category: 2, number: 1 })
})

test('the columns that no field is read from are named, by their numbers where they have no name', () => {
  expect(unused(['Cage', 'name', 'Type', '', 'status', 'x'.repeat(101)], 'category=Type,status=')).toEqual([
    'Cage',
    'column 4',
    'status',
    `${'x'.repeat(99)}…`,
  ])
  expect(unused(['Name', 'Tag', 'category'], 'name=Name|Tag')).toEqual([])
})

test('an exact name has precedence over one that differs in case, and of two equal names one is to be chosen', () => {
  expect(locate(['NAME', 'name', 'category'])).toEqual({ name: 1, category: 2 })
  const which =
    'it is not certain that the name is in #1 "Name" or #3 "NAME": choose the column with columns=name=COLUMN'
  expect(locate(['Name', 'category', 'NAME'])).toBe(which)
  expect(locate(['a', 'category', 'A'], 'name=a')).toEqual({ name: 0, category: 1 })
  expect(locate(['a', 'category', 'a'], 'name=a')).toBe(
    'the file has two columns "a": choose one by its number, such as columns=name=#1',
  )
  expect(locate(['a', 'category', 'a'], 'name=#3')).toEqual({ name: 2, category: 1 })
  expect(locate(['name', 'category', 'note', 'note'])).toEqual({ name: 0, category: 1 })
})

test('a missing column of a mapping is an error that lists the columns of the file', () => {
  expect(errorOf(() => locate(['Name', 'Type'], 'name=Naam'))).toBe(
    'invalid_parameter: columns: the file has no "Naam", only Name, Type.',
  )
})

test('a missing required column is a fault that lists the columns of the file', () => {
  expect(locate(['Naming', 'category'])).toBe(
    'there is no column "name", only Naming, category: choose the column with columns=name=COLUMN',
  )
  expect(locate(['name', 'Sort'])).toContain('there is no column "category", only name, Sort')
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
    expect(errorOf(() => parseColumns([mapping]))).toStartWith('invalid_parameter: columns: ')
  }
})

test('names of columns that other programs use are guessed, unless a column of the file has the name of the field', () => {
  expect(locate(['ID', "Animal's name", 'Tierart', 'Status'])).toEqual({ name: 1, category: 2, status: 3, number: 0 })
  expect(locate(['Rufname', 'Art'])).toEqual({ name: 0, category: 1 })
  expect(locate(['Type', 'category', 'Nom'])).toEqual({ name: 2, category: 1 })
  expect(locate(['name', 'Category ID'])).toEqual({ name: 0, categoryId: 1 })
  expect([...located(['Title', 'category'], []).guessed]).toEqual(['name'])
  // A column that is chosen for one field is not guessed for another.
  expect(locate(['Name', 'Type'], 'name=Type')).toContain('there is no column "category"')
})

test('a column can be chosen by its number, also if others have its name', () => {
  const header = ['name', 'name', '', '#1']
  expect(locate(header, 'name=#2|#4,category=#3')).toEqual({ name: [1, 3], category: 2 })
  expect(errorOf(() => locate(header, 'name=#5'))).toContain('the file has no "#5"')
})

test('the header is the first row in which two cells name columns, or the first row', () => {
  const none = parseColumns([])
  expect(findHeader([['Stock list'], ['', 'Name'], ['Name', 'Category'], ['Rex', 'Dog']], none)).toBe(2)
  expect(findHeader([['My list'], ['Naming', 'Kin']], parseColumns(['name=naming']))).toBe(1)
  expect(findHeader([['Rex', 'Dog']], none)).toBe(0)
})

test('the first row is an animal if no cell of it names a column, and it has a status or all columns are numbers', () => {
  const none = parseColumns([])
  const byNumber = parseColumns(['name=#1,category=#2,status='])
  expect(findHeader([['Rowan', 'Dog', 'available']], none)).toBeUndefined()
  expect(findHeader([['Rowan', 'Dog', 'verkauft']], none)).toBeUndefined()
  expect(findHeader([['Nom', 'Sold']], none)).toBe(0)
  expect(findHeader([['Naming', 'Sold']], parseColumns(['name=Naming']))).toBe(0)
  expect(findHeader([['Rowan', 'Dog']], byNumber)).toBeUndefined()
  expect(findHeader([['Name', 'Dog']], byNumber)).toBe(0)
  expect(findHeader([['Rowan', 'Dog']], parseColumns(['name=#1,category=Dog']))).toBe(0)
})
