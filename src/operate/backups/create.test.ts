import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '../../database/open.ts'
import { emptyFolder } from '../../testing/executable.ts'
import { createBackup } from './create.ts'
import { listBackups } from './folder.ts'
import { verifyBackup } from './verify.ts'

const noon = Date.UTC(2026, 10, 20, 10, 15)
const addPet = "INSERT INTO pets (name, folded_name, category_id, status) VALUES ('Rex', 'rex', 1, 'available')"

let folder: ReturnType<typeof emptyFolder>
let place: { databasePath: string; environment: 'production' }
let backups: string

beforeEach(() => {
  folder = emptyFolder()
  place = { databasePath: join(folder.path, 'production.db'), environment: 'production' }
  backups = join(folder.path, 'backups')
})
afterEach(() => folder.remove())

const open = () => openDatabase(place.databasePath, 0)
const create = (atMs = noon) => createBackup(place, () => atMs)
const permissions = (path: string) => (statSync(path).mode & 0o777).toString(8)

test('a backup is one file that SQLite can read without a log; only the owner can read it and its directory', () => {
  open().close()
  const { file, bytes, createdAt } = create(noon + 999)
  expect(file).toBe(join(backups, 'production-20261120T101500Z.db'))
  expect([bytes, createdAt]).toEqual([statSync(file).size, '2026-11-20T10:15:00.000Z'])
  expect([permissions(backups), permissions(file)]).toEqual(['700', '600'])
  // Read and write version 1: no log is needed to read it. https://sqlite.org/fileformat2.html
  expect([...readFileSync(file).subarray(18, 20)]).toEqual([1, 1])
  const copy = new Database(file, { readonly: true })
  expect(copy.query('PRAGMA integrity_check').values()).toEqual([['ok']])
  copy.close(true)
  expect(readdirSync(backups).sort()).toEqual(['.lock', 'production-20261120T101500Z.db'])
})

test('backups of the same second have different names, and the newest is listed first', () => {
  open().close()
  const made = [create(), create(), create(noon - 1_000)]
  const names = ['20261120T101500Z', '20261120T101500Z-2', '20261120T101459Z']
  expect(made.map(({ file }) => file)).toEqual(names.map((name) => join(backups, `production-${name}.db`)))
  expect(listBackups(place).map(({ file }) => file)).toEqual([made[1], made[0], made[2]].map((one) => one?.file ?? ''))
})

test('the list contains only the backups of its environment; without a directory it is empty, and no directory is created', () => {
  expect(listBackups(place)).toEqual([])
  expect(readdirSync(folder.path)).toEqual([])
  open().close()
  const { damagedFiles: _, ...made } = create()
  writeFileSync(join(backups, 'staging-20261120T101500Z.db'), '')
  writeFileSync(join(backups, 'notes.txt'), '')
  expect(listBackups(place)).toEqual([made])
})

test('a backup contains exactly the committed changes, while another connection writes', () => {
  const { connection, close } = open()
  connection.run(addPet)
  connection.run('BEGIN IMMEDIATE')
  connection.run(addPet)
  const { file } = create()
  connection.run('COMMIT')
  expect(connection.query('SELECT count(*) FROM pets').values()).toEqual([[2]])
  close()
  expect(verifyBackup(file, 'production').animals).toBe(1)
})

test('without a store a backup fails and creates nothing', () => {
  expect(() => create()).toThrow(`There is nothing to back up: ${place.databasePath} does not exist.`)
  expect(readdirSync(folder.path)).toEqual([])
})

test('a backup of an empty database fails with what to do, and leaves the log beside it as it is', () => {
  const { connection, close } = open()
  connection.run(addPet)
  const log = readFileSync(`${place.databasePath}-wal`)
  close()
  writeFileSync(place.databasePath, '')
  writeFileSync(`${place.databasePath}-wal`, log)
  expect(() => create()).toThrow(`The database ${place.databasePath} is empty: its content is lost. Restore a backup`)
  expect(statSync(place.databasePath).size).toBe(0)
  expect(readFileSync(`${place.databasePath}-wal`).equals(log)).toBe(true)
  expect(readdirSync(backups)).toEqual(['.lock'])
})

test('a backup of a damaged store fails and leaves no file', () => {
  const { connection, close } = open()
  for (let i = 0; i < 500; i++) connection.run(addPet)
  close()
  const bytes = readFileSync(place.databasePath)
  bytes.fill(0xff, bytes.length - 60_000)
  writeFileSync(place.databasePath, bytes)
  expect(() => create()).toThrow('No backup was made: the database is damaged.')
  expect(readdirSync(backups)).toEqual(['.lock'])
})

test('a backup removes only the unfinished files of an earlier backup or restore that was killed', () => {
  open().close()
  create()
  for (const name of ['.unfinished', '.unfinished-journal', 'notes.txt']) writeFileSync(join(backups, name), 'x')
  for (const ending of ['', '-journal', '-wal', '-shm']) writeFileSync(`${place.databasePath}-restoring${ending}`, 'x')
  create()
  const names = ['.lock', 'notes.txt', 'production-20261120T101500Z-2.db', 'production-20261120T101500Z.db']
  expect(readdirSync(backups).sort()).toEqual(names)
  expect(readdirSync(folder.path).filter((name) => name.includes('restoring'))).toEqual([])
})
