import { afterEach, beforeEach, expect, test } from 'bun:test'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { emptyFolder } from '../testing/executable.ts'
import { openDatabase } from './open.ts'

let folder: ReturnType<typeof emptyFolder>
let path: string
beforeEach(() => {
  folder = emptyFolder()
  path = join(folder.path, 'production.db')
})
afterEach(() => folder.remove())

const addPet = "INSERT INTO pets (name, folded_name, category_id, status) VALUES ('Rex', 'rex', 1, 'available')"

test('foreign keys are enforced at the first opening and at every later one', () => {
  const orphan = 'INSERT INTO usage (account_id, day, requests) VALUES (77, 1, 1)'
  for (const opening of ['first', 'second']) {
    const { connection, close } = openDatabase(path, 0)
    expect(() => connection.run(orphan), opening).toThrow('FOREIGN KEY constraint failed')
    close()
  }
})

test('closing does not wait for readers, whatever the timeout of the connection, and releases the write lock', () => {
  const server = openDatabase(path, 0)
  const reader = openDatabase(path, 0)
  const timeoutMs = 15_000
  const command = openDatabase(path, timeoutMs)
  server.connection.run(addPet)
  reader.connection.run('BEGIN')
  reader.connection.query('SELECT * FROM pets').all()
  server.connection.run(addPet)
  const startMs = performance.now()
  command.close()
  expect(performance.now() - startMs).toBeLessThan(timeoutMs)
  server.connection.run(addPet)
  expect(reader.connection.query('SELECT * FROM pets').all()).toHaveLength(1)
  reader.close()
  server.close()
})

test('after the last connection has closed, only the database file remains, with the whole content', () => {
  const first = openDatabase(path, 0)
  const last = openDatabase(path, 0)
  last.connection.run(addPet)
  // Statements that are still prepared, or partly read, do not prevent that.
  last.connection.prepare('SELECT * FROM pets').iterate().next()
  first.close()
  expect(readdirSync(folder.path).sort()).toEqual(['production.db', 'production.db-shm', 'production.db-wal'])
  last.close()
  expect(readdirSync(folder.path)).toEqual(['production.db'])
})

test('no commit copies more than about a thousand pages of the log into the file, which would block the event loop', () => {
  const { connection, close } = openDatabase(path, 0)
  const name = 'x'.repeat(40_000)
  const add = connection.prepare(
    "INSERT INTO pets (name, folded_name, category_id, status) VALUES (?1, lower(?1), 1, 'available')",
  )
  for (let i = 0; i < 500; i++) add.run(name)
  // Once a checkpoint is complete, the log is written from its beginning again: its size is its longest length.
  expect(statSync(`${path}-wal`).size).toBeLessThan(1_100 * 4_120)
  close()
})
