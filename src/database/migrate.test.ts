import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import { emptyFolder } from '../testing/executable.ts'
import { migrations } from './migrate.ts'
import { openDatabase } from './open.ts'

let folder: ReturnType<typeof emptyFolder>
let path: string
beforeEach(() => {
  folder = emptyFolder()
  path = join(folder.path, 'production.db')
})
afterEach(() => folder.remove())

/** Opens the database with further migrations and returns its version. */
function versionWith(...more: string[]): unknown {
  const { connection, close } = openDatabase(path, 0, { migrations: [...migrations, ...more] })
  const [version] = connection.query('PRAGMA user_version').values()[0] as [number]
  close()
  return version
}

/** The first migration was made of 26 that were never released, and has the number after theirs. */
const firstVersion = 27

test('a migration on main stays as it is: change the schema by another one (scripts/migration.sh)', () => {
  const sha256 = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex')
  const onMain = [
    'b0d58121a7ae8671fa98cdd71a75df04681a61025dfdb0715b948ed42931b79f',
    '9e71aed8bcc2fbd86db2328171b5ebe3ce36b050990447018a23667c292737c5',
    '325e7226c2f3c96c1ac20906b7daf768ef63f3b78ccdd7d1ff540039bb9310f3',
    '69831edc32dc7f984f9d27aec2692f6d702dd8a2810640d78c43702239953de2',
    '42786f6cb6ed349896c4c967ca000f3aa6c12e6c2592b7c3190ccedf218dbb0e',
    'b335d11656938829af9d7d9b676e7a4eb6de575f414e4e9db3276cb559631b2b',
    'c555cbb5a8edc382dc33ccc4897ad2c41f612cea4f298da2c1577e41c2646265',
    '5e2f334f07a1e98be0f1633215357b822e4decb11dc007df85e70ab032927911',
    'd579d8207810b0166c0ca32c542063d7acf42dfd7c424133cf48d048632b0bdc',
    'e74a3a568f236e62ec8768ec83b89b30764e6928cabc59cf68e90192d2dfaf6a',
    '4042000d6556328b7a241c1aac0909720c30bc639602524bdf689741eccaf97f',
    '66c94432257d560b97da2992d4908946c5719bd8ed8df79c5e96f3b698180851',
    '1a513bae4fc030743755c47f009642d1f51e28a682919410e9076ecfe70c803e',
    '8225d29cdb407d81a204b599a089568edd5e3fcb8df809b65dc8c9cc96c7ea0f',
    '3847e9990b48ef13a5dce602e8ae876efaf119fb612027bc6bd311489f4d63fc',
    '102abdd542c224ed05517913af11f7d0e0e632a6d15bbbe777cc11c6a4b035aa',
    '5a04d2cda99bfc9cf3914d491c95d839d049fb5a16d582339326977c0a970449',
  ]
  expect(migrations.map(sha256)).toEqual(onMain)
  expect(versionWith()).toBe(firstVersion + migrations.length - 1)
})

test('a newer petstore applies the migrations that are missing, each once, and keeps the records', () => {
  const first = openDatabase(path, 0)
  first.connection.run("INSERT INTO deleted_pets VALUES (7, 'Ada', 1, 'sold', 0)")
  first.close()
  const current = versionWith() as number
  expect(versionWith('ALTER TABLE deleted_pets ADD colour text')).toBe(current + 1)
  const another = "UPDATE deleted_pets SET colour = coalesce(colour, '') || 'red'"
  for (let i = 0; i < 2; i++) {
    expect(versionWith('ALTER TABLE deleted_pets ADD colour text', another)).toBe(current + 2)
  }
  expect(() => openDatabase(path, 0)).toThrow(`version ${current + 2}, and this petstore supports version ${current}`)
  const file = new Database(path)
  expect(file.query('SELECT id, colour FROM deleted_pets').values()).toEqual([[7, 'red']])
  file.close()
})

test('a migration that fails, or breaks a foreign key, changes nothing', () => {
  const current = versionWith()
  expect(() => versionWith('CREATE TABLE later (id INTEGER); SELECT * FROM absent')).toThrow('no such table: absent')
  expect(() => versionWith('INSERT INTO usage (account_id, day, requests) VALUES (77, 1, 1)')).toThrow(
    'broke a foreign key',
  )
  expect(versionWith()).toBe(current)
  const file = new Database(path)
  expect(file.query("SELECT 1 FROM sqlite_schema WHERE name = 'later'").values()).toEqual([])
  file.close()
})

test.each([1, 25, 26])(
  'a database of version %d, from before the first release, is rejected and left unchanged',
  (version) => {
    versionWith()
    const old = new Database(path)
    old.run(`PRAGMA user_version = ${version}`)
    old.close()
    expect(() => openDatabase(path, 0)).toThrow(
      `The database ${path} can't be used: it has version ${version}, from before the first release of petstore. Export its animals with the petstore of commit 2f73b8c (petstore pets export), and import them into a new store (petstore pets import).`,
    )
    const file = new Database(path)
    expect(file.query('PRAGMA user_version').values()).toEqual([[version]])
    file.close()
  },
)

test('another program’s database is rejected and left unchanged', () => {
  const other = new Database(path, { create: true })
  other.run('CREATE TABLE letters (text TEXT)')
  expect(() => openDatabase(path, 0)).toThrow('belongs to another program')
  expect(other.query('SELECT name FROM sqlite_schema').values()).toEqual([['letters']])
  other.close()
})
