import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '../../database/open.ts'
import { emptyFolder } from '../../testing/executable.ts'
import { createBackup } from './create.ts'
import { verifyBackup } from './verify.ts'

const noon = Date.UTC(2026, 10, 20, 10, 15)
const folder = emptyFolder()
const databasePath = join(folder.path, 'production.db')
const path = (name: string) => join(folder.path, name)
let backup: string
let whole: Buffer

beforeAll(() => {
  const { connection, close } = openDatabase(databasePath, 0)
  for (let i = 0; i < 1_000; i++) {
    connection.run('INSERT INTO pets (name, folded_name, category_id, status) VALUES (?1, lower(?1), 1, ?2)', [
      `Rex ${i}`,
      'available',
    ])
  }
  close()
  backup = createBackup({ databasePath, environment: 'production' }, () => noon).file
  whole = readFileSync(backup)
})
afterAll(() => folder.remove())

/** A new file with these bytes. */
let files = 0
function file(bytes: string | Uint8Array): string {
  const made = path(`file-${++files}.db`)
  writeFileSync(made, bytes)
  return made
}

/** A changed backup without its seal, which would reveal the change. */
function changed(sql: string): string {
  const made = file(whole)
  const connection = new Database(made)
  connection.run(sql)
  connection.run('VACUUM')
  connection.close()
  return made
}

const rejectionOf = (of: string) => {
  try {
    verifyBackup(of, 'production')
    return 'sound'
  } catch (error) {
    return (error as Error).message.replace(of, 'FILE')
  }
}

test('verifying a sound backup returns its contents, changes nothing and leaves nothing beside it', () => {
  const before = { ...statSync(backup, { bigint: true }), atimeNs: 0n, atimeMs: 0n, atime: 0 }
  const verified = verifyBackup(backup, 'production')
  const createdAt = '2026-11-20T10:15:00.000Z'
  expect(verified).toEqual({
    environment: 'production',
    animals: 1_000,
    orders: 0,
    keys: 0,
    createdAt,
    damagedFiles: 0,
  })
  expect({ ...statSync(backup, { bigint: true }), atimeNs: 0n, atimeMs: 0n, atime: 0 }).toEqual(before)
  expect(readdirSync(path('backups')).sort()).toEqual(['.lock', 'production-20261120T101500Z.db'])
})

test('a change of any byte of a backup is detected', () => {
  const seal = Array.from({ length: 120 }, (_, i) => whole.length - 1 - i)
  const positions = [...Array(300).keys()].map((i) => Math.floor((i * whole.length) / 300)).concat(seal)
  const made = file(whole)
  const unnoticed = positions.filter((position) => {
    const bytes = Buffer.from(whole)
    bytes[position] = (bytes[position] ?? 0) ^ 1
    writeFileSync(made, bytes)
    return rejectionOf(made) === 'sound'
  })
  expect(unnoticed).toEqual([])
})

test('a backup that was cut anywhere is damaged, but for the seal alone, without which it is still whole', () => {
  const pages = whole.length - (whole.length % 4_096)
  const lengths = [512, 4_096, 5_000, pages - 4_096, pages - 1, pages + 1, whole.length - 1]
  expect(lengths.map((length) => rejectionOf(file(whole.subarray(0, length))))).not.toContain('sound')
  expect(verifyBackup(file(whole.subarray(0, pages)), 'production')).toMatchObject({ animals: 1_000, createdAt: null })
})

test('the copy of a closed database is accepted too, and verifying it leaves no other file', () => {
  mkdirSync(path('copied'))
  const copied = path('copied/production.db')
  copyFileSync(databasePath, copied)
  expect(verifyBackup(copied, 'production')).toMatchObject({ animals: 1_000, createdAt: null })
  expect(readdirSync(path('copied'))).toEqual(['production.db'])
})

describe('a file that can’t be restored is rejected with the reason', () => {
  const cases: [string, () => string, string][] = [
    ['a missing file', () => path('nowhere.db'), 'there is no such file.'],
    ['a directory', () => folder.path, 'it is a directory.'],
    ['a device', () => '/dev/null', 'it is not a file.'],
    ['an empty file', () => file(''), 'it is empty.'],
    ['a text', () => file('Dear aunt,\n'.repeat(1_000)), 'it is not a pet store database.'],
    ['a flipped bit', () => file(flipped()), 'it is damaged: its content does not match its checksum.'],
    // The page, and with it the check that finds the damage first, depends on the schema.
    ['a torn page in a copy without a checksum', () => file(torn()), ' is damaged'],
    ['an index that contradicts its table', () => file(contradicting()), 'it is damaged: row 5 missing from index'],
    ['half a file', () => file(whole.subarray(0, 65_536)), 'the database is damaged.'],
    ['another program’s database', () => changed('PRAGMA application_id = 7'), 'it is not a pet store database.'],
    ['a database of nothing', () => changed(everythingGone), 'it is not a pet store database: it has no table'],
    ['a lost table', () => changed('DROP TABLE orders'), 'it has no table "orders".'],
    ['an orphan', () => changed(orphan), 'it is damaged: a row of keys refers to a missing row.'],
    ['a newer version', () => changed('PRAGMA user_version = 999'), 'it has version 999, and this petstore supports '],
    [
      'one of before the first release',
      () => changed('PRAGMA user_version = 25'),
      'it has version 25, from before the first release',
    ],
    ['the other environment’s', () => changed('PRAGMA application_id = 0x50455454'), 'it belongs to staging, not to '],
    ['a database in use', () => inUse(), 'it is in use or was not closed: '],
  ]
  test.each(cases)('%s', (_, make, reason) => {
    const rejection = rejectionOf(make())
    expect(rejection).toStartWith("FILE can't be used: ")
    expect(rejection).toContain(reason)
    expect(rejection).not.toContain('\n')
  })
})

const everythingGone = 'PRAGMA user_version = 0; DROP TABLE accounts'
const orphan = `INSERT INTO keys (account_id, name, prefix, sha256, scopes, created_at)
  VALUES (77, 'Nobody', 'pet_live_x', x'00', '', 0)`

function flipped(): Buffer {
  const bytes = Buffer.from(whole)
  // Inside a name, where SQLite itself would not notice.
  const position = bytes.indexOf('Rex 500')
  bytes[position] = 'S'.charCodeAt(0)
  return bytes
}

function torn(): Buffer {
  const bytes = Buffer.from(whole.subarray(0, whole.length - (whole.length % 4_096)))
  // From a page's start on, where its structure is.
  const start = Math.floor(bytes.length / 8_192) * 4_096
  return bytes.fill(0xff, start, start + 2_000)
}

function contradicting(): Buffer {
  const bytes = Buffer.from(whole.subarray(0, whole.length - (whole.length % 4_096)))
  bytes.write('raptile', bytes.lastIndexOf('Reptilereptile') + 'Reptile'.length)
  return bytes
}

function inUse(): string {
  const made = file(whole)
  writeFileSync(`${made}-wal`, '')
  return made
}
