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

/** The environment that is noted in a database once it was opened. */
function opened(name: string) {
  const { connection, close } = openDatabase(name === ':memory:' ? name : path(name), 0)
  const found = environmentOf(connection)
  close()
  return found
}

test('a database says which environment it is of, and one under another name says nothing', () => {
  expect(['production.db', 'staging.db', 'store.db', ':memory:'].map(opened)).toEqual([
    'production',
    'staging',
    'unmarked',
    'unmarked',
  ])
})

test('a database under the other environment’s name is refused, and left as it is', () => {
  opened('staging.db')
  renameSync(path('staging.db'), path('production.db'))
  const before = readFileSync(path('production.db')).toHex()
  expect(() => opened('production.db')).toThrow('it is the one of staging, not of production')
  expect(readFileSync(path('production.db')).toHex()).toBe(before)
  expect(readdirSync(folder.path)).toEqual(['production.db'])
})

test('a database from before environments were noted is taken for what its name says', () => {
  opened('store.db')
  renameSync(path('store.db'), path('staging.db'))
  expect(opened('staging.db')).toBe('staging')
  renameSync(path('staging.db'), path('production.db'))
  expect(() => opened('production.db')).toThrow('it is the one of staging')
})

test('another program’s database is refused under any name, and left as it is', () => {
  const foreign = new Database(path('store.db'))
  foreign.run('PRAGMA application_id = 7')
  foreign.close()
  const before = readFileSync(path('store.db')).toHex()
  expect(() => opened('store.db')).toThrow('it is not a pet store database')
  expect(readFileSync(path('store.db')).toHex()).toBe(before)
})
