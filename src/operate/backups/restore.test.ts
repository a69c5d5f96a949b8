import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { readStoreId } from '../../access/owner/store-id.ts'
import { openDatabase } from '../../database/open.ts'
import { createOldStore } from '../../database/testing/old-store.ts'
import { createBackup } from './create.ts'
import { listBackups } from './folder.ts'
import { restoreBackup } from './restore.ts'
import {
  addPet,
  animalsIn,
  type BackedUpStore,
  createBackedUpStore,
  noon,
  selectNames,
} from './testing/backed-up-store.ts'
import { verifyBackup } from './verify.ts'

const kept = 'production-before-restore-20261120T101500Z.db'

let folder: BackedUpStore['folder']
let place: BackedUpStore['place']
let backup: string

beforeEach(() => {
  ;({ folder, place, backup } = createBackedUpStore())
})
afterEach(() => folder.remove())

const restore = (file = backup) => restoreBackup(file, place, () => noon)
/** The animals that the next command or server reads. */
const namesIn = (path = place.databasePath) => animalsIn(path)

/** Leaves the store as a killed server does: `name` is in the log only. Returns the path of the log. */
function addAndAbandon(name: string): string {
  const { connection, close } = openDatabase(place.databasePath, 0)
  connection.run(addPet, [name])
  const log = `${place.databasePath}-wal`
  for (const path of [place.databasePath, log]) copyFileSync(path, `${path}.copy`)
  close()
  for (const path of [place.databasePath, log]) renameSync(`${path}.copy`, path)
  return log
}

test('a restore replaces the store with the content of the backup, and the previous database can be restored in turn', () => {
  const restored = restore()
  const previous = join(folder.path, 'backups', kept)
  expect(restored).toEqual({ ...verifyBackup(backup, 'production'), previous, previousLogs: [], isHeld: false })
  expect(namesIn()).toEqual(['Ada'])
  expect(listBackups(place).map(({ file }) => file)).toContain(previous)
  restore(previous)
  expect(namesIn()).toEqual(['Ada', 'Bea'])
})

test('a restore ends the sessions of the owner and the set-up links of the backup, and keeps the owner', () => {
  const { connection, close } = openDatabase(place.databasePath, 0)
  connection.run("INSERT INTO owner VALUES (1, 'ada@example.com', 'hash', 1, 1)")
  connection.run(
    "INSERT INTO owner_sessions (sha256, created_at, last_active_at, user_agent, network) VALUES (x'01', 1, 1, '', '')",
  )
  connection.run("INSERT INTO setup_links (sha256, created_at) VALUES (x'01', 1)")
  close()
  restore(createBackup(place, () => noon + 1_000).file)
  const restored = openDatabase(place.databasePath, 0)
  const rows = (table: string) => restored.connection.query(`SELECT count(*) FROM ${table}`).values().flat()[0]
  expect(['owner', 'owner_sessions', 'setup_links'].map(rows)).toEqual([1, 0, 0])
  restored.close()
})

test('the restored file is a complete database without a log, and no temporary file is left', () => {
  restore()
  expect(readFileSync(place.databasePath).length % 4_096).toBe(0)
  expect(readdirSync(folder.path).sort()).toEqual(['backups', 'production.db', 'production.db-serving'])
  expect(readdirSync(join(folder.path, 'backups')).filter((name) => name.startsWith('.'))).toEqual(['.lock'])
})

test('the log of a killed server is kept in the old database and is not applied to the new one', () => {
  const log = addAndAbandon('Cleo')
  const { previous } = restore()
  expect(existsSync(log)).toBe(false)
  expect(namesIn()).toEqual(['Ada'])
  expect(verifyBackup(previous ?? '', 'production').animals).toBe(3)
})

test('a restore into a data directory without a store keeps no previous database', () => {
  mkdirSync(join(folder.path, 'fresh'))
  const fresh = { ...place, databasePath: join(folder.path, 'fresh/production.db') }
  expect(restoreBackup(backup, fresh, () => noon).previous).toBeNull()
  expect(namesIn(fresh.databasePath)).toEqual(['Ada'])
  expect(listBackups(fresh)).toEqual([])
})

describe('a restored store is on hold', () => {
  const elsewhere = () => {
    mkdirSync(join(folder.path, 'elsewhere'))
    return { ...place, databasePath: join(folder.path, 'elsewhere/production.db') }
  }
  const heldSince = ({ databasePath } = place) => {
    const { connection, close } = openDatabase(databasePath, 0)
    const [since] = connection.query('SELECT restored_at FROM installation').values().flat()
    close()
    return since
  }
  test('unless it replaces the store of which it is a backup', () => {
    expect(restore().isHeld).toBe(false)
    expect(heldSince()).toBeNull()
  })
  test('where there was none, and again after a second restore before it is confirmed', () => {
    const there = elsewhere()
    for (const now of [noon, noon + 1_000]) {
      expect(restoreBackup(backup, there, () => now).isHeld).toBe(true)
      expect(heldSince(there)).toBe(now)
    }
    // A backup of a store on hold can replace the store that is not.
    expect(restore(createBackup(there, () => noon + 2_000).file).isHeld).toBe(false)
    expect(heldSince()).toBeNull()
  })
  test('in the place of another store, and of a damaged one, which cannot be recognised', () => {
    const there = elsewhere()
    openDatabase(there.databasePath, 0).close()
    expect(restoreBackup(backup, there, () => noon).isHeld).toBe(true)
    writeFileSync(place.databasePath, readFileSync(place.databasePath).subarray(0, 6_000))
    expect(restore().isHeld).toBe(true)
  })
  test('also if its backup is from before there was a hold', () => {
    const old = join(folder.path, 'old.db')
    createOldStore(old, 28, () => false)
    const connection = new Database(old)
    connection.run('UPDATE installation SET cookie_id = ?', [readStoreId(place.databasePath)])
    connection.close()
    const there = elsewhere()
    expect(restoreBackup(old, there, () => noon).isHeld).toBe(true)
    expect(heldSince(there)).toBe(noon)
    expect(restoreBackup(old, place, () => noon).isHeld).toBe(false)
  })
})

describe('a store that SQLite cannot open because of damage is replaced, and is kept unchanged with its log', () => {
  const damages: [string, (bytes: Buffer) => Buffer][] = [
    ['not a database', (bytes) => bytes.fill(65)],
    ['truncated', (bytes) => bytes.subarray(0, 6_000)],
    ['without a schema', (bytes) => bytes.fill(0xff, 100, 4_096)],
  ]
  test.each(damages)('%s', (_, damage) => {
    const log = addAndAbandon('Cleo')
    writeFileSync(place.databasePath, damage(readFileSync(place.databasePath)))
    // SQLite could repair the database from an intact log.
    writeFileSync(log, readFileSync(log).fill(0, 0, 32))
    const before = [place.databasePath, log].map((path) => readFileSync(path).toHex())
    const { previous } = restore()
    expect([previous, `${previous}-wal`].map((path) => readFileSync(path ?? '').toHex())).toEqual(before)
    expect(existsSync(log)).toBe(false)
    expect(namesIn()).toEqual(['Ada'])
  })
})

test('if the backup is rejected or another process has the store open, nothing is changed', () => {
  const damaged = join(folder.path, 'damaged.db')
  writeFileSync(damaged, readFileSync(backup).fill(0xff, 20_000, 20_001))
  const before = readFileSync(place.databasePath).toHex()
  const list = listBackups(place)
  expect(() => restore(damaged)).toThrow(`${damaged} can't be used: it is damaged`)
  expect(readFileSync(place.databasePath).toHex()).toBe(before)
  const other = new Database(place.databasePath)
  expect(other.query(selectNames).values()).toEqual([['Ada'], ['Bea']])
  expect(() => restore()).toThrow(`another petstore command is using ${place.databasePath}`)
  other.close(true)
  expect([namesIn(), listBackups(place)]).toEqual([['Ada', 'Bea'], list])
  expect(readdirSync(folder.path)).not.toContain('production.db-restoring')
})

const isRoot = process.getuid?.() === 0
if (!isRoot) console.error('SKIPPED: the owner of files that root creates can be tested only as root.')

test.skipIf(!isRoot)('files that root creates in a data directory belong to the user who owns the directory', () => {
  const ours = join(folder.path, 'ours')
  mkdirSync(ours)
  chownSync(ours, 4_321, 4_321)
  const there = { ...place, databasePath: join(ours, 'production.db') }
  restoreBackup(backup, there, () => noon)
  createBackup(there, () => noon)
  const made = readdirSync(ours, { recursive: true, encoding: 'utf8' }).sort()
  expect(made).toEqual([
    'backups',
    'backups/.lock',
    'backups/production-20261120T101500Z.db',
    'production.db',
    'production.db-serving',
  ])
  expect(made.map((name) => statSync(join(ours, name)).uid)).toEqual(made.map(() => 4_321))
})

test('a log whose database was deleted is kept aside, and not applied to the backup that is restored', () => {
  const log = `${place.databasePath}-wal`
  writeFileSync(log, 'The log of a database that is gone.')
  renameSync(place.databasePath, join(folder.path, 'deleted.db'))
  expect(() => openDatabase(place.databasePath, 0)).toThrow('Put the database back or restore a backup')
  expect(restore()).toMatchObject({ previous: null, animals: 1 })
  expect(namesIn()).toEqual(['Ada'])
  expect(readFileSync(`${log}-without-database`, 'utf8')).toBe('The log of a database that is gone.')
})

test('the log of another lost database does not replace one that was kept aside before', () => {
  const { databasePath } = place
  const kept = ['wal-without-database', 'wal-without-database-2', 'journal-without-database']
  const paths = kept.map((ending) => `${databasePath}-${ending}`)
  rmSync(databasePath)
  writeFileSync(`${databasePath}-wal`, 'first')
  const first = restore()
  rmSync(databasePath)
  writeFileSync(`${databasePath}-wal`, 'second')
  writeFileSync(`${databasePath}-journal`, 'third')
  const second = restore()
  expect(paths.map((path) => readFileSync(path, 'utf8'))).toEqual(['first', 'second', 'third'])
  expect([first.previousLogs, second.previousLogs]).toEqual([paths.slice(0, 1), paths.slice(1)])
})

test('a restore that fails leaves a log without its database where it was', () => {
  const log = `${place.databasePath}-wal`
  writeFileSync(log, 'The log of a database that is gone.')
  renameSync(place.databasePath, join(folder.path, 'deleted.db'))
  writeFileSync(backup, 'damaged')
  expect(() => restore()).toThrow()
  expect(readFileSync(log, 'utf8')).toBe('The log of a database that is gone.')
})
