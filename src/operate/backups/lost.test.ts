import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openDatabase } from '../../database/open.ts'
import { emptyFolder } from '../../testing/executable.ts'
import { createBackup } from './create.ts'
import { isOfOtherStore, madeBackups, type StorePlace } from './folder.ts'
import { findLoss } from './lost.ts'

let folder: ReturnType<typeof emptyFolder>
let place: StorePlace
beforeEach(() => {
  folder = emptyFolder()
  place = { databasePath: join(folder.path, 'production.db'), environment: 'production' }
})
afterEach(() => folder.remove())

function put(name: string, content = 'x'): void {
  const path = join(folder.path, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}

test('a store has lost its database if backups, files or keys of its environment are there without it', () => {
  for (const [name, words] of [
    ['backups/production-20261120T101500Z.db', 'its backups are there'],
    ['backups/production-before-restore-20261120T101500Z.db', 'its backups are there'],
    ['production-files/ab/cdef', 'the files of its sites are there'],
    ['production-certificates/a.key', 'its keys are there'],
    ['production-secrets.json', 'its keys are there'],
  ] as const) {
    put(name)
    expect([name, findLoss(place)?.message]).toEqual([name, expect.stringContaining(words)])
    expect(
      findLoss({ ...place, environment: 'staging', databasePath: join(folder.path, 'staging.db') }),
    ).toBeUndefined()
    rmSync(folder.path, { recursive: true })
  }
})

test('nothing else that a directory has is of a lost store', () => {
  mkdirSync(join(folder.path, 'production-files/incoming'), { recursive: true })
  mkdirSync(join(folder.path, 'production-certificates'))
  for (const name of [
    'backups/.lock',
    'backups/.unfinished-fetched',
    'backups/contents/ab/cdef',
    'backups/notes.db',
    'backups/staging-20261120T101500Z.db',
    'production.db-serving',
    'production.db-restoring',
    'staging-files/ab/cdef',
  ])
    put(name)
  expect(findLoss(place)).toBeUndefined()
  // Opening the database says where the link leads.
  put('production-secrets.json')
  symlinkSync(join(folder.path, 'unmounted.db'), place.databasePath)
  expect(findLoss(place)).toBeUndefined()
})

test('the advice has the newest backup, rather of one that no restore has replaced, and what commands need for the store', () => {
  put('production.db', '')
  expect(findLoss(place)?.advice).toStartWith(`Restore a backup: petstore backup restore FILE --data ${folder.path}; `)
  put('backups/production-before-restore-20261122T101500Z.db')
  expect(findLoss(place)?.advice).toContain('restore production-before-restore-20261122T101500Z.db --data ')
  put('backups/production-20261120T101500Z.db')
  put('backups/production-scheduled-20261121T101500Z.db')
  expect(findLoss(place)?.advice).toBe(
    `Restore a backup: petstore backup restore production-scheduled-20261121T101500Z.db --data ${folder.path}; for a new and empty store: petstore serve --new --data ${folder.path}`,
  )
  put('production.db')
  expect(findLoss(place)).toBeUndefined()
})

test('a backup knows its store, and one that cannot be read counts as of this one', () => {
  openDatabase(place.databasePath, 0).close()
  const { file } = createBackup(place, () => Date.now())
  put('backups/production-20261120T101500Z.db')
  const other = madeBackups(place).find((backup) => backup.file !== file)?.file ?? ''
  expect([isOfOtherStore(file, 'another'), isOfOtherStore(other, 'another')]).toEqual([true, false])
  expect(madeBackups(place, 'another').map((backup) => backup.file)).toEqual([other])
})
