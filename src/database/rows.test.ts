import { Database } from 'bun:sqlite'
import { afterAll, beforeEach, expect, test } from 'bun:test'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { rowsOf } from './rows.ts'

const pens = sqliteTable('pens', {
  id: integer().primaryKey(),
  name: text().notNull(),
  isOpen: integer('is_open', { mode: 'boolean' }).notNull().default(true),
  isHeated: integer('is_heated', { mode: 'boolean' }),
  tools: text({ mode: 'json' }).$type<readonly string[]>(),
})
const connection = new Database(':memory:')
connection.run(
  'CREATE TABLE pens (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, is_open INTEGER NOT NULL, is_heated INTEGER, tools TEXT)',
)
const rows = rowsOf(drizzle(connection), pens)
const names = (found: readonly { readonly name: string }[]) => found.map(({ name }) => name)

beforeEach(() => connection.run('DELETE FROM pens'))
afterAll(() => connection.close())

test('a row is read as it was inserted, with null and the default of a column that was left out', () => {
  const added = rows.insert({ name: 'Aviary', isHeated: false, tools: ['net'] })
  expect(added).toEqual({ id: 1, name: 'Aviary', isOpen: true, isHeated: false, tools: ['net'] })
  expect(rows.find({ name: 'Aviary' })).toEqual(added)
  const bare = { id: 2, name: 'Cage', isOpen: false, isHeated: null, tools: null }
  expect(rows.insert(bare)).toEqual(bare)
  expect(rows.find({ id: 2, isOpen: false })).toEqual(bare)
  expect(rows.find({ id: 2, isOpen: true })).toBeUndefined()
})

test('a list has the rows with the given values, between exclusive bounds and in the order of a column', () => {
  for (const name of ['a', 'b', 'c', 'd', 'e']) rows.insert({ name, isOpen: name !== 'c' })
  expect(names(rows.list())).toEqual(['a', 'b', 'c', 'd', 'e'])
  expect(names(rows.list({ isOpen: true }, { orderBy: 'id', above: 1, below: 5 }))).toEqual(['b', 'd'])
  expect(names(rows.list({ isOpen: undefined }, { orderBy: 'name', descending: true, limit: 2 }))).toEqual(['e', 'd'])
  expect(rows.count({ isOpen: true })).toBe(4)
})

test('an update and a removal change the rows with the given values, and return their number', () => {
  for (const name of ['a', 'b', 'c']) rows.insert({ name, isHeated: true })
  expect(rows.update({ name: 'b' }, { name: 'z', isHeated: null })).toBe(1)
  expect(rows.find({ name: 'z' })).toMatchObject({ id: 2, isHeated: null })
  expect(rows.update({ isHeated: true }, { isOpen: false })).toBe(2)
  expect(rows.update({ name: 'nobody' }, { isOpen: true })).toBe(0)
  expect(rows.update({ name: 'a' }, {})).toBe(0)
  expect(rows.remove({ isOpen: false })).toBe(2)
  expect(names(rows.list())).toEqual(['z'])
  expect(rows.remove({})).toBe(1)
})

test('put inserts a row, or replaces the values of the one with the same key', () => {
  rows.put({ name: 'a', tools: ['rake'] }, 'name')
  rows.put({ name: 'a', tools: null, isOpen: false }, 'name')
  expect(rows.list()).toEqual([{ id: 1, name: 'a', isOpen: false, isHeated: null, tools: null }])
})
