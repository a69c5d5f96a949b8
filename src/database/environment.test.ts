import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { readdirSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { emptyFolder } from '../testing/executable.ts'
import { environmentOf } from './environment.ts'
import { openDatabase } from './open.ts'

let folder: ReturnType<typeof emptyFolder>
beforeEach(() => {
  folder = emptyFolder()
})
afterEach(() => folder.remove())

const path = (name: string) => join(folder.path, name)

/** The environment in the file of a database that was opened. */
function opened(name: string) {
  const { connection, close } = openDatabase(name === ':memory:' ? name : path(name), 0)
  const found = environmentOf(connection)
  close()
  return found
}

test('a database is marked with the environment of its name, and is not marked if the name states none', () => {
  expect(['production.db', 'staging.db', 'store.db', ':memory:'].map(opened)).toEqual([
    'production',
    'staging',
    'unmarked',
    'unmarked',
  ])
})

test('a database with the name of the other environment is rejected and left unchanged', () => {
  opened('staging.db')
  renameSync(path('staging.db'), path('production.db'))
  const before = readFileSync(path('production.db')).toHex()
  expect(() => opened('production.db')).toThrow('it belongs to staging, not to production')
  expect(readFileSync(path('production.db')).toHex()).toBe(before)
  expect(readdirSync(folder.path)).toEqual(['production.db'])
})

test('an unmarked database of an early version belongs to the environment of its name', () => {
  opened('store.db')
  renameSync(path('store.db'), path('staging.db'))
  expect(opened('staging.db')).toBe('staging')
  renameSync(path('staging.db'), path('production.db'))
  expect(() => opened('production.db')).toThrow('it belongs to staging')
})

test('another program’s database is rejected under any name and left unchanged', () => {
  const foreign = new Database(path('store.db'))
  foreign.run('PRAGMA application_id = 7')
  foreign.close()
  const before = readFileSync(path('store.db')).toHex()
  expect(() => opened('store.db')).toThrow('it is not a pet store database')
  expect(readFileSync(path('store.db')).toHex()).toBe(before)
})
