import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { createStores } from '../app/stores.ts'
import { pageRange } from '../lib/steps/collect.ts'
import { createPetStore } from '../shop/pets/store.ts'
import { emptyFolder } from '../testing/executable.ts'
import init from './migrations/0000_init.sql' with { type: 'text' }
import store from './migrations/0001_store.sql' with { type: 'text' }
import { openDatabase } from './open.ts'

test('a database of an earlier version keeps its animals and their counts', () => {
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

test.each([
  ['the account "Store", where there is one', ["(1, 'Paws', 'free', 1)", "(2, 'Store', 'business', 2)"], 2],
  ['a new account "Store", where there is none', ["(1, 'Paws', 'free', 1)"], 2],
])('orders from before accounts belong to %s', (_, accounts, storeId) => {
  const folder = emptyFolder()
  const path = join(folder.path, 'production.db')
  const old = new Database(path, { create: true })
  for (const migration of [init, store]) old.run(migration)
  old.run(`INSERT INTO accounts (id, name, plan, created_at) VALUES ${accounts.join(', ')}`)
  old.run("INSERT INTO pets VALUES (7, 'Ada', 1, 'sold')")
  old.run("INSERT INTO orders VALUES (3, 7, 'delivered', NULL, 10, 90000000), (8, 9, 'placed', 30, 40, 40)")
  old.run(
    "INSERT INTO audit (at, actor, action, account_id, details) VALUES (1, 'cli', 'account.created', 1, '{}'), (2, 'service', 'key.banned', 1, '{}')",
  )
  old.run('PRAGMA user_version = 2')
  old.close()
  const { connection, tables, close } = openDatabase(path, 0)
  const orders = createStores({ connection, tables }).orders
  expect(orders.page({}, pageRange('asc', undefined), 10).records).toMatchObject([
    { id: 3, accountId: storeId, petId: 7, status: 'delivered', shipDate: null, createdAt: 10, updatedAt: 90_000_000 },
    { id: 8, accountId: storeId, petId: 9, status: 'placed', shipDate: 30 },
  ])
  expect(orders.page({}, pageRange('asc', undefined), 10).records).toMatchObject([
    { petName: 'Ada', note: null, approvedAt: null, deliveredAt: 90_000_000, cancelledAt: null },
    { petName: null, note: null, approvedAt: null, deliveredAt: null, cancelledAt: null },
  ])
  for (const account of [undefined, storeId]) {
    expect(orders.counts(account)).toEqual({ placed: 1, approved: 0, delivered: 1, cancelled: 0 })
  }
  expect(orders.days(0, 10)).toEqual([
    { day: 0, placed: 2, delivered: 0 },
    { day: 1, placed: 0, delivered: 1 },
  ])
  expect(
    orders.add({ accountId: storeId, petId: 7, petName: 'Ada', note: null, shipDate: null, createdAt: 50 }).id,
  ).toBe(9)
  expect(connection.query('SELECT actor FROM audit').values()).toEqual([['command'], ['system']])
  expect(connection.query('SELECT name FROM accounts WHERE id = 2').values()).toEqual([['Store']])
  close()
  folder.remove()
})

test('another program’s database is rejected and left unchanged', () => {
  const folder = emptyFolder()
  const path = join(folder.path, 'production.db')
  const other = new Database(path, { create: true })
  other.run('CREATE TABLE letters (text TEXT)')
  expect(() => openDatabase(path, 0)).toThrow('belongs to another program')
  expect(other.query('SELECT name FROM sqlite_schema').values()).toEqual([['letters']])
  other.close()
  folder.remove()
})
