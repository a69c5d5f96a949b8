import { afterEach, beforeEach, expect, test } from 'bun:test'
import { closeSync, copyFileSync, fstatSync, openSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { emptyFolder } from '../../testing/executable.ts'
import { type OpenDatabase, openDatabase } from '../open.ts'
import { createExtension } from './extend.ts'

const mebibyte = 1_048_576
const frameBytes = 24 + 4_096

let folder: ReturnType<typeof emptyFolder>
let database: OpenDatabase
let descriptor: number
beforeEach(() => {
  folder = emptyFolder()
  database = openDatabase(path(), 0)
  database.connection.run('CREATE TABLE notes (text TEXT NOT NULL)')
  descriptor = openSync(`${path()}-wal`, 'r+')
})
afterEach(() => {
  database.close()
  closeSync(descriptor)
  folder.remove()
})

const path = () => join(folder.path, 'store.db')
const size = () => statSync(`${path()}-wal`).size
const frames = () => database.connection.query<{ log: number }, []>('PRAGMA wal_checkpoint(NOOP)').get()?.log ?? 0
const add = (connection = database.connection) => connection.run("INSERT INTO notes VALUES ('a')")
const notesIn = (file: string) => {
  const copy = openDatabase(file, 0)
  const { n } = copy.connection.query<{ n: number }, []>('SELECT count(*) AS n FROM notes').get() ?? { n: -1 }
  copy.close()
  return n
}

test('a log has space before it is needed, and commits overwrite it', () => {
  const extend = createExtension(database.connection, descriptor, 1_000)
  const before = readFileSync(`${path()}-wal`)
  extend(frames())
  expect(size()).toBe(before.length + mebibyte)
  expect(readFileSync(`${path()}-wal`).subarray(0, before.length).equals(before)).toBe(true)
  for (let i = 0; i < 20; i++) add()
  expect(size()).toBe(before.length + mebibyte)
  extend(frames())
  expect(size()).toBe(before.length + mebibyte)
})

test('it is extended again when little is left, but not beyond the frames with which it begins anew', () => {
  const extend = createExtension(database.connection, descriptor, 500)
  extend(0)
  const first = size()
  extend(100)
  expect(size()).toBe(first)
  extend(250)
  expect(size()).toBe(first + mebibyte)
  extend(500)
  expect(size()).toBe(first + mebibyte)
  expect(500 * frameBytes).toBeLessThan(size())
})

test('its size is only looked at when little may be left, because a look slows the next flush', () => {
  let looks = 0
  const extend = createExtension(database.connection, descriptor, 1_000, (one) => {
    looks++
    return fstatSync(one).size
  })
  extend(0)
  const first = looks
  for (let added = 0; added < 190; added++) extend(added)
  expect(looks).toBe(first)
  extend(200)
  expect(looks).toBeGreaterThan(first)
  expect(size()).toBeGreaterThan(2 * mebibyte)
})

test('a log that ends with zeros has every note after a crash', () => {
  const extend = createExtension(database.connection, descriptor, 1_000)
  for (let i = 0; i < 10; i++) add()
  extend(frames())
  const extended = size()
  for (let i = 0; i < 10; i++) add()
  // The two files as a crash leaves them: the index of the log, which is in memory, is gone.
  const crashed = join(folder.path, 'crashed.db')
  copyFileSync(path(), crashed)
  copyFileSync(`${path()}-wal`, `${crashed}-wal`)
  expect(size()).toBe(extended)
  expect(notesIn(crashed)).toBe(20)
})

test('a log that another connection has emptied is extended, and the next notes are kept', () => {
  const extend = createExtension(database.connection, descriptor, 1_000)
  for (let i = 0; i < 5; i++) add()
  extend(frames())
  const other = openDatabase(path(), 0)
  expect(other.connection.query('PRAGMA wal_checkpoint(TRUNCATE)').get()).toMatchObject({ busy: 0 })
  expect(size()).toBe(0)
  extend(frames())
  expect(size()).toBe(mebibyte)
  add(other.connection)
  add()
  other.close()
  const crashed = join(folder.path, 'crashed.db')
  copyFileSync(path(), crashed)
  copyFileSync(`${path()}-wal`, `${crashed}-wal`)
  expect(notesIn(crashed)).toBe(7)
})

test('while another connection writes, the log is left as it is', () => {
  const extend = createExtension(database.connection, descriptor, 1_000)
  const other = openDatabase(path(), 0)
  other.connection.run('BEGIN IMMEDIATE')
  add(other.connection)
  const before = size()
  extend(frames())
  expect(size()).toBe(before)
  other.connection.run('COMMIT')
  other.close()
  expect(database.connection.inTransaction).toBe(false)
  extend(frames())
  expect(size()).toBe(before + mebibyte + frameBytes)
})
