import { expect, test } from 'bun:test'
import { AppError } from '../../../lib/error.ts'
import { findMember, hasNames, locateColumns, parseColumns } from './columns.ts'

const located = (header: string[], mappings: string[], samples: string[][] = []) => {
  const result = locateColumns(parseColumns(mappings), { hasHeader: true, header, samples })
  if (result.missing) throw result.missing
  return result
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
    'invalid_parameter: columns: the file has no "Naam", only Name, Type.',
  )
})

test('a missing required column is a fault that lists the columns of the file', () => {
  expect(locate(['Naam', 'category'])).toBe(
    'there is no column "name", only Naam, category: name the column with columns=name=COLUMN',
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

test('a member is found in any case, the exact name first, and never on the prototype', () => {
  expect(findMember({ NAME: 1, name: 2 }, 'name')).toBe(2)
  expect(findMember({ Name: 1 }, 'name')).toBe(1)
  expect(findMember({}, 'constructor')).toBeUndefined()
})

test('names of columns that other programs use are guessed, unless a column of the file has the name of the field', () => {
  expect(locate(['ID', "Animal's name", 'Tierart', 'Status'])).toEqual({ name: 1, category: 2, status: 3 })
  expect(locate(['Rufname', 'Art'])).toEqual({ name: 0, category: 1 })
  expect(locate(['Type', 'category', 'Nom'])).toEqual({ name: 2, category: 1 })
  expect(locate(['name', 'Category ID'])).toEqual({ name: 0, categoryId: 1 })
  expect([...located(['Pet', 'category'], []).guessed]).toEqual(['name'])
  // A column that is chosen for one field is not guessed for another.
  expect(locate(['Name', 'Type'], 'name=Type')).toContain('there is no column "category"')
})

test('a State is a status only if it has a word for one', () => {
  const header = ['name', 'category', 'State']
  expect(located(header, [], [['Ada', 'Cat', 'Ohio']]).indexes.has('status')).toBe(false)
  expect(
    located(
      header,
      [],
      [
        ['Ada', 'Cat', 'Ohio'],
        ['Bo', 'Dog', 'Sold '],
      ],
    ).indexes.get('status'),
  ).toEqual([2])
})

test('a column can be chosen by its number, also if others have its name', () => {
  const header = ['name', 'name', '', '#1']
  expect(locate(header, 'name=#2|#4,category=#3')).toEqual({ name: [1, 3], category: 2 })
  expect(errorOf(() => locate(header, 'name=#5'))).toContain('the file has no "#5"')
})

test('a first line without a known name and with a status is an animal', () => {
  const none = parseColumns([])
  expect(hasNames(['Rowan', 'Dog', 'available'], none)).toBe(false)
  expect(hasNames(['Rowan', 'Dog'], none)).toBe(true)
  expect(hasNames(['Nom', 'Sold'], none)).toBe(true)
  expect(hasNames(['Naam', 'Sold'], parseColumns(['name=Naam']))).toBe(true)
})
