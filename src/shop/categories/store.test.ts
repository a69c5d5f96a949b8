import { expect, test } from 'bun:test'
import { openDatabase } from '../../database/open.ts'
import { createCategoryStore } from './store.ts'

interface Column {
  readonly name: string
  readonly type: string
}

test('categories are no longer the default ones when any column of one has another value, even a new column', () => {
  const { tables, connection, close } = openDatabase(':memory:', 0)
  const { areDefault } = createCategoryStore(tables)
  expect(areDefault()).toBe(true)
  const columns = connection.query<Column, []>("SELECT name, type FROM pragma_table_info('categories')").all()
  // This one follows from the name.
  for (const { name, type } of columns.filter((column) => column.name !== 'folded_name')) {
    connection.run('SAVEPOINT change')
    connection.run(`UPDATE categories SET ${name} = ${type.toLowerCase() === 'integer' ? 77 : "'other'"} WHERE id = 3`)
    expect([name, areDefault()]).toEqual([name, false])
    connection.run('ROLLBACK TO change')
    connection.run('RELEASE change')
  }
  connection.run('DELETE FROM categories WHERE id = 6')
  expect(areDefault()).toBe(false)
  close()
})
