import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { createPetStore } from '../pets/store.ts'
import { emptyFolder } from '../testing/executable.ts'
import init from './migrations/0000_init.sql' with { type: 'text' }
import store from './migrations/0001_store.sql' with { type: 'text' }
import { openDatabase } from './open.ts'

test('a database of an earlier version keeps its animals and their numbers', () => {
  const folder = emptyFolder()
  const path = join(folder.path, 'production.db')
  const old = new Database(path, { create: true })
  for (const migration of [init, store]) old.run(migration)
  old.run(
    "INSERT INTO pets (name, category_id, status) VALUES ('Ada', 1, 'sold'), ('Bea', 2, 'sold'), ('Cleo', 2, 'pending')",
  )
  old.run("INSERT INTO pet_totals VALUES (1, 'sold', 1), (2, 'sold', 1), (2, 'available', 0)")
  old.run('UPDATE pet_progress SET last_pet_id = 2')
  old.run('PRAGMA user_version = 2')
  old.close()
  const { connection, tables, close } = openDatabase(path, 0)
  const pets = createPetStore(tables, connection)
  expect(pets.inventory()).toEqual({ available: 0, pending: 1, sold: 2 })
  expect([1, 2].map(pets.countInCategory)).toEqual([1, 2])
  close()
  folder.remove()
})

test('another program’s database is refused and left as it is', () => {
  const folder = emptyFolder()
  const path = join(folder.path, 'production.db')
  const other = new Database(path, { create: true })
  other.run('CREATE TABLE letters (text TEXT)')
  expect(() => openDatabase(path, 0)).toThrow('belongs to another program')
  expect(other.query('SELECT name FROM sqlite_schema').values()).toEqual([['letters']])
  other.close()
  folder.remove()
})
