import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openDatabase } from '../../../database/open.ts'
import type { Environment } from '../../../lib/environment.ts'
import { emptyFolder } from '../../../testing/executable.ts'
import { createBackup } from '../create.ts'
import { verifyBackup } from '../verify.ts'
import { makeScheduledBackup } from './make.ts'

const dayMs = 86_400_000
const start = Date.UTC(2026, 10, 1, 3, 15)
const keep = { days: 1, weeks: 0, months: 0 }
const sha256 = (content: string) => new Bun.CryptoHasher('sha256').update(content).digest('hex')

let folder: ReturnType<typeof emptyFolder>
beforeEach(() => {
  folder = emptyFolder()
})
afterEach(() => folder.remove())

const pathIn = (directory: string, content: string) =>
  join(folder.path, directory, sha256(content).slice(0, 2), sha256(content).slice(2))
const backups = () =>
  readdirSync(join(folder.path, 'backups'))
    .filter((name) => name.endsWith('.db'))
    .sort()
/** The contents beside the backups. */
const contents = () =>
  readdirSync(join(folder.path, 'backups/contents'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'))
    .sort()

/** Makes `pages` the only site of a store. */
function publish(pages: readonly string[], environment: Environment = 'production'): void {
  const { connection, close } = openDatabase(join(folder.path, `${environment}.db`), 0)
  connection.run("INSERT OR IGNORE INTO deploys VALUES (1, 1, 1, 'ready', 0, 'key:1', 0, 0, NULL, NULL, NULL, NULL)")
  connection.run('DELETE FROM deploy_files')
  for (const [i, page] of pages.entries()) {
    connection.run('INSERT INTO deploy_files VALUES (1, ?, unhex(?), ?, 0)', [`${i}.html`, sha256(page), page.length])
    const path = pathIn(`${environment}-files`, page)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, page)
  }
  close()
}

const make = (day: number, environment: Environment = 'production') =>
  makeScheduledBackup({
    databasePath: join(folder.path, `${environment}.db`),
    environment,
    keep,
    nowMs: start + day * dayMs,
  })

test('old backups of the schedule are deleted with the contents that no other backup lists', () => {
  for (const day of [0, 1, 2]) {
    publish(['home', `news of day ${day}`])
    expect(make(day)).toMatchObject({ damagedFiles: 0, leftBecause: null })
  }
  publish(['home'])
  expect(make(3)).toMatchObject({ damagedFiles: 0, leftBecause: null })
  expect(backups()).toEqual([2, 3, 4].map((day) => `production-scheduled-2026110${day}T031500Z.db`))
  expect(contents()).toEqual(['home', 'news of day 1', 'news of day 2'])
})

test('the backups and contents of the other environment stay, and so do those that somebody asked for or renamed', () => {
  publish(['staging page'], 'staging')
  make(0, 'staging')
  publish(['home', 'news'])
  createBackup({ databasePath: join(folder.path, 'production.db'), environment: 'production' }, () => start)
  const { file } = make(0)
  renameSync(file, join(dirname(file), 'before-the-sale.db'))
  publish(['home'])
  for (const day of [1, 2, 3, 4, 5]) make(day)
  expect(backups()).toEqual([
    'before-the-sale.db',
    'production-20261101T031500Z.db',
    ...[4, 5, 6].map((day) => `production-scheduled-2026110${day}T031500Z.db`),
    'staging-scheduled-20261101T031500Z.db',
  ])
  expect(contents()).toEqual(['home', 'news', 'staging page'])
  expect(verifyBackup(join(folder.path, 'backups/before-the-sale.db'), 'production').damagedFiles).toBe(0)
})

test('the contents of a backup that was deleted by hand go, and so do those of a backup that was killed', () => {
  publish(['home', 'news'])
  rmSync(make(0).file)
  publish(['home'])
  const left = `${pathIn('backups/contents', 'half')}.unfinished`
  mkdirSync(dirname(left), { recursive: true })
  writeFileSync(left, 'hal')
  make(1)
  expect(contents()).toEqual(['home'])
})

test('a backup that cannot be read keeps all contents, and the new backup is good', () => {
  publish(['home', 'news'])
  const { file } = make(0)
  writeFileSync(file, 'torn')
  publish(['home'])
  const made = make(1)
  expect(made.leftBecause).toBe(`${file} can't be used: it is not a pet store database.`)
  expect(contents()).toEqual(['home', 'news'])
  expect(verifyBackup(made.file, 'production').damagedFiles).toBe(0)
})

test('a run that fails deletes nothing', () => {
  publish(['home'])
  for (const day of [0, 1, 2]) make(day)
  const before = backups()
  rmSync(join(folder.path, 'production.db'))
  expect(() => make(3)).toThrow('There is nothing to back up')
  writeFileSync(join(folder.path, 'production.db'), 'no database')
  expect(() => make(3)).toThrow()
  expect(backups()).toEqual(before)
})
