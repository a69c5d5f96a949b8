import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { currentVersion } from '../../database/migrate.ts'
import { openImmutable } from '../../database/open.ts'
import { createOldStore, olderVersions, type Rows, readRows } from '../../database/testing/old-store.ts'
import { emptyFolder, isBuilt, runPetstore, startPetstoreProcess } from '../../testing/executable.ts'
import { backUpBeforeUpgrade, openStore } from './before-migration.ts'
import { listBackups } from './folder.ts'
import { verifyBackup } from './verify.ts'

let folder: ReturnType<typeof emptyFolder>
let place: { readonly databasePath: string; readonly environment: 'production' }
let reported: string[]
beforeEach(() => {
  folder = emptyFolder()
  place = { databasePath: join(folder.path, 'production.db'), environment: 'production' }
  reported = []
})
afterEach(() => folder.remove())

const noon = Date.UTC(2026, 10, 20, 10, 15)
const [oldest = 27] = olderVersions
const open = () => openStore(place, { now: () => noon, report: (sentence) => reported.push(sentence) })

function present(like?: Rows) {
  const connection = new Database(place.databasePath, { readwrite: true })
  const [version] = connection.query('PRAGMA user_version').values()[0] as [number]
  const rows = readRows(connection, like)
  connection.close(true)
  return { version, rows }
}

test('a store of an older petstore is backed up as it was before it is migrated, and verified', () => {
  const before = createOldStore(place.databasePath, oldest)
  open().close()
  const [backup, ...others] = listBackups(place)
  expect([basename(backup?.file ?? ''), others]).toEqual(['production-before-upgrade-20261120T101500Z.db', []])
  expect(verifyBackup(backup?.file ?? '', 'production').orders).toBe(3)
  const copy = openImmutable(backup?.file ?? '')
  expect([copy.query('PRAGMA user_version').values(), readRows(copy, before)]).toEqual([[[oldest]], before])
  copy.close()
  expect(present().version).toBe(currentVersion)
  expect(reported.join(' ')).toContain(backup?.file ?? '')
})

test('a new store, and one of this petstore, have no such backup', () => {
  open().close()
  open().close()
  expect([listBackups(place), reported]).toEqual([[], []])
})

test('a store that can’t be backed up is not migrated, and unchanged', () => {
  const before = createOldStore(place.databasePath, oldest)
  writeFileSync(join(folder.path, 'backups'), '')
  expect(open).toThrow('The store is not upgraded without a backup: it is unchanged.')
  expect(present()).toEqual({ version: oldest, rows: before })
})

test('starts whose migration fails again and again make one backup', () => {
  createOldStore(place.databasePath, oldest)
  const first = backUpBeforeUpgrade(place, () => noon)
  expect(backUpBeforeUpgrade(place, () => noon + 5_000)).toBe(first)
  const store = new Database(place.databasePath, { readwrite: true })
  store.run("UPDATE pets SET name = 'Ada' WHERE id = 1")
  store.close(true)
  expect(backUpBeforeUpgrade(place, () => noon + 10_000)).not.toBe(first)
  expect(listBackups(place)).toHaveLength(2)
})

describe.skipIf(!isBuilt)('the executable', () => {
  const options = () => ({ cwd: folder.path })
  let before: Rows
  beforeEach(() => {
    place = { ...place, databasePath: join(folder.path, 'data/production.db') }
    mkdirSync(join(folder.path, 'data'))
    // The API could not read made-up options and plans.
    before = createOldStore(place.databasePath, oldest, (table) => table === 'audit')
  })

  test('backs a store up before a command migrates it, and says so', async () => {
    const { code, out, err } = await runPetstore(['keys', 'list', '--json'], options())
    const [backup, ...others] = listBackups(place)
    expect([code, out, others]).toEqual([0, '[]\n', []])
    expect(err.trim().split('\n')).toEqual([
      'petstore: the store is of an older petstore: backing it up before it is migrated.',
      `petstore: the backup is ${backup?.file}; migrating the store.`,
    ])
    expect(present(before).rows['audit']).toEqual(before['audit'] ?? [])
    const again = await runPetstore(['keys', 'list'], options())
    expect([again.code, again.err]).toEqual([0, ''])
  })

  test('refuses a store of a newer petstore with its version and the backup that leads back', async () => {
    open().close()
    const store = new Database(place.databasePath, { readwrite: true })
    store.run(`PRAGMA user_version = ${currentVersion + 1}`)
    store.close(true)
    const refused = await runPetstore(['keys', 'list'], options())
    const backup = basename(listBackups(place)[0]?.file ?? '')
    expect([refused.code, refused.err]).toEqual([
      1,
      `petstore: The database has version ${currentVersion + 1}, and this petstore supports version ${currentVersion}: run the newer petstore, whose petstore version prints ${currentVersion + 1}. Or return to the store as it was before its upgrade: petstore backup restore ${backup}\n`,
    ])
    expect(await runPetstore(['backup', 'restore', backup], options())).toMatchObject({ code: 0, err: '' })
    expect(present(before).rows['audit']).toEqual(before['audit'] ?? [])
    expect(await runPetstore(['keys', 'list'], options())).toMatchObject({ code: 0 })
  })

  test('does not serve a store that it can’t back up', async () => {
    writeFileSync(join(folder.path, 'data/backups'), '')
    await expect(startPetstoreProcess([], options())).rejects.toThrow('it is unchanged')
    expect([present().version, readdirSync(join(folder.path, 'data')).includes('production.sock')]).toEqual([
      oldest,
      false,
    ])
  })
})
