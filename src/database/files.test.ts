import { afterEach, beforeEach, expect, test } from 'bun:test'
import { renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { emptyFolder } from '../testing/executable.ts'
import { rememberFiles } from './files.ts'
import { openDatabase } from './open.ts'

let folder: ReturnType<typeof emptyFolder>
let path: string
let database: ReturnType<typeof openDatabase>
beforeEach(() => {
  folder = emptyFolder()
  path = join(folder.path, 'production.db')
  writeFileSync(`${path}-serving`, '')
  database = openDatabase(path, 0)
})
afterEach(() => {
  database.close()
  folder.remove()
})

/**
 * Remembers the files of the database, long after their directory was changed; `looked` lists the paths that were
 * looked at.
 */
function remember(given = path) {
  const looked: string[] = []
  let nowMs = Date.now() + 10_000
  const files = rememberFiles(database.connection, given, {
    now: () => nowMs,
    stat(one) {
      looked.push(one)
      return statSync(one, { throwIfNoEntry: false })
    },
  })
  return {
    files,
    looked,
    setClock(ms: number) {
      nowMs = ms
    },
  }
}

/**
 * Returns when a further change of the directory has a later time than the last one: some kernels date changes in steps
 * of 4 ms.
 */
function passTick(): void {
  const probe = join(folder.path, '..', `${basename(folder.path)}-tick`)
  do writeFileSync(probe, '')
  while (statSync(probe).ctimeMs <= statSync(folder.path).ctimeMs)
  rmSync(probe)
}

test('while their directory is unchanged, no file is examined, because examining the log slows its flush', () => {
  const { files, looked } = remember()
  expect(files.fault()).toBeUndefined()
  looked.length = 0
  expect(files.fault()).toBeUndefined()
  expect(looked).toEqual([folder.path])
  passTick()
  writeFileSync(join(folder.path, 'another'), '')
  expect(files.fault()).toBeUndefined()
  expect(looked).toContain(`${path}-wal`)
})

test('a directory that has just changed may change again at the same recorded time, so everything is examined', () => {
  const { files, looked, setClock } = remember()
  setClock(Date.now())
  expect(files.fault()).toBeUndefined()
  looked.length = 0
  expect(files.fault()).toBeUndefined()
  expect(looked).toContain(`${path}-wal`)
})

test.each([
  ['', 'file_gone'],
  ['-wal', 'log_gone'],
  ['-shm', 'log_gone'],
  ['-serving', 'lock_gone'],
] as const)('production.db%s is missed while it is elsewhere, after a check that found everything', (ending, fault) => {
  const { files } = remember()
  const [here, elsewhere] = [path + ending, join(folder.path, 'elsewhere')]
  for (let time = 0; time < 2; time++) {
    expect(files.fault()).toBeUndefined()
    passTick()
    renameSync(here, elsewhere)
    expect([files.fault(), files.fault()]).toEqual([fault, fault])
    renameSync(elsewhere, here)
  }
})

test('a directory that is replaced as a whole is noticed, even behind a symbolic link to the database', () => {
  const links = emptyFolder()
  symlinkSync(path, join(links.path, 'link.db'))
  writeFileSync(join(links.path, 'link.db-serving'), '')
  const { files } = remember(join(links.path, 'link.db'))
  expect([files.fault(), files.fault()]).toEqual([undefined, undefined])
  passTick()
  renameSync(join(links.path, 'link.db-serving'), join(links.path, 'elsewhere'))
  expect(files.fault()).toBe('lock_gone')
  renameSync(join(links.path, 'elsewhere'), join(links.path, 'link.db-serving'))
  expect(files.fault()).toBeUndefined()
  const moved = `${folder.path}-moved`
  renameSync(folder.path, moved)
  expect(files.fault()).toBe('file_gone')
  renameSync(moved, folder.path)
  expect(files.fault()).toBeUndefined()
  links.remove()
})
