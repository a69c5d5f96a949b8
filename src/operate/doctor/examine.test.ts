import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { zipOf } from '../../hosting/deploys/testing/per-test.ts'
import { addDemo } from '../../shop/demo/add.ts'
import { emptyFolder } from '../../testing/executable.ts'
import { openTestStore } from '../../testing/harness.ts'
import { examineStore } from './examine.ts'

const folder = emptyFolder()
const original = join(folder.path, 'original')
const copy = join(folder.path, 'copy')
const databasePath = join(copy, 'production.db')

/** A store with animals, orders of each status and a website, which nobody has open. */
beforeAll(async () => {
  mkdirSync(original)
  const store = await openTestStore({ databasePath: join(original, 'production.db') })
  const { app, call, clock } = store
  await app.writer.write(() => addDemo(app, new Map(), clock.now()))
  const { json: pet } = await call('POST', '/v1/pets', { body: { name: 'Ærø 🐶🐱🐭 ananas', categoryId: 2 } })
  const { json: order } = await call('POST', '/v1/store/orders', { body: { petId: pet.id } })
  await call('POST', `/v1/store/orders/${order.id}/cancel`)
  await call('PATCH', `/v1/pets/${pet.id}`, { body: { name: 'Ŝtrudel ananas 🐶🐱🐭', categoryId: 9 } })
  const { json: project } = await call('POST', '/v1/projects', { body: { name: 'Shop' } })
  for (const page of ['Hello', 'Hello again']) {
    const rawBody = new Uint8Array(zipOf({ 'index.html': page, 'a.css': 'p {}', 'copy.html': page }))
    await call('POST', `/v1/projects/${project.id}/deploys`, {
      headers: { 'Content-Type': 'application/zip' },
      rawBody,
    })
  }
  await store.close()
})
beforeEach(() => {
  rmSync(copy, { recursive: true, force: true })
  cpSync(original, copy, { recursive: true })
})
afterAll(folder.remove)

const examine = () => examineStore({ databasePath, environment: 'production' })

/** The lines that are not in order. */
const faults = () => examine().flatMap(({ name, ok, message }) => (ok === false ? [`${name}: ${message}`] : []))

/** Writes into the database as another program does. */
function write(...statements: readonly string[]): void {
  const database = new Database(databasePath)
  for (const statement of statements) database.run(statement)
  database.close(true)
}

/** Every file of the store with its bytes. */
const bytesOf = () =>
  readdirSync(copy, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort()
    .map((path) => `${path} ${createHash('sha256').update(readFileSync(path)).digest('hex')}`)

const another = 'Another program has written into the database: '

test('an undamaged store has no fault, and not one byte of it changes', () => {
  const before = bytesOf()
  expect(examine().map(({ name, ok, fix }) => [name, ok, fix])).toEqual(
    ['database', 'schema', 'foreign_keys', 'totals', 'files'].map((name) => [name, true, null]),
  )
  expect(bytesOf()).toEqual(before)
})

describe('a write of another program is found', () => {
  const animals = `totals: ${another}the counts of animals are wrong.`
  test.each([
    ['UPDATE pets SET category_id = 1 WHERE id = (SELECT max(id) FROM pets)', [animals]],
    ["UPDATE pets SET status = 'sold' WHERE id = (SELECT max(id) FROM pets)", [animals]],
    ["INSERT INTO pets (name, folded_name, category_id, status) VALUES ('Rex', 'rex', 1, 'available')", [animals]],
    ['DELETE FROM pets WHERE id = 7', [animals]],
    ['UPDATE orders SET account_id = 0 WHERE id = 1', [`totals: ${another}the counts of orders are wrong.`]],
    ['UPDATE orders SET delivered_at = 0 WHERE id = 1', [`totals: ${another}the counts of orders by day are wrong.`]],
    [
      "DELETE FROM deploy_files WHERE path = 'a.css'",
      [`totals: ${another}the counts of uses of website files are wrong.`],
    ],
    ['UPDATE account_storage SET bytes = 0', [`totals: ${another}the sizes of websites by account are wrong.`]],
    ['UPDATE orders SET account_id = 77', [expect.stringContaining('foreign_keys: '), expect.any(String)]],
    ['DROP INDEX pets_by_status', ['schema: The index pets_by_status is missing.']],
    ['ALTER TABLE pets ADD colour TEXT', ['schema: Another program has changed the table pets.']],
    ['CREATE TABLE notes (id)', ["schema: The table notes is not petstore's: another program has added it."]],
  ])('%s', (statement, expected) => {
    write('PRAGMA foreign_keys = OFF', statement)
    expect(faults()).toEqual(expected as string[])
  })
})

test('the tables of Litestream are accepted', () => {
  write(
    'CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)',
    'CREATE TABLE _litestream_lock (id INTEGER)',
  )
  const lines = examine()
  expect(lines.every(({ ok }) => ok === true)).toBe(true)
  expect(lines[1]?.message).toContain('and the tables of Litestream')
})

describe('a database that cannot be used has one fault, and the rest is not examined', () => {
  const damage = (at: number) => {
    const bytes = readFileSync(databasePath)
    bytes.fill(0xff, at, at + 4096)
    writeFileSync(databasePath, bytes)
  }
  test.each([
    [
      'of a newer version',
      () => write('PRAGMA user_version = 1000'),
      /^schema: The database has version 1000, and this petstore supports version \d+\.$/,
    ],
    [
      'from before the first release',
      () => write('PRAGMA user_version = 1'),
      /^schema: The database has version 1, from before the first release of petstore\.$/,
    ],
    ['that is empty', () => truncateSync(databasePath), /^database: .* is empty: its content is lost\.$/],
    [
      'that is another file',
      () => writeFileSync(databasePath, 'x'.repeat(8192)),
      /^database: The database cannot be read: it is not a pet store database\.$/,
    ],
    [
      'of another program',
      () => write('PRAGMA application_id = 5'),
      /^database: .* is the database of another program\.$/,
    ],
    [
      'of staging',
      () => write(`PRAGMA application_id = ${0x50455454}`),
      /^database: .* belongs to staging, not to production\.$/,
    ],
    ['whose schema is damaged', () => damage(100), /^database: The database file is damaged\.$/],
    [
      'that is gone',
      () => renameSync(databasePath, `${databasePath}-away`),
      /^database: The database \S+ is missing, but the files of its sites are there\.$/,
    ],
  ])('%s', (_, change, expected) => {
    change()
    const found = faults()
    expect(found).toEqual([expect.stringMatching(expected)])
    expect(examine().filter(({ ok }) => ok === null).length).toBeGreaterThanOrEqual(3)
  })

  test('with a damaged page', () => {
    damage(readFileSync(databasePath).length - 4096)
    expect(faults()).toEqual([expect.stringMatching(/^database: The database (file is damaged|is damaged: .*)\.$/)])
  })
})

test('the files of websites are compared with the database, which names the websites that lack some', () => {
  const files = join(copy, 'production-files')
  const [first = ''] = readdirSync(files, { recursive: true, encoding: 'utf8' }).filter((path) => path.length === 65)
  truncateSync(join(files, first), 1)
  expect(faults()).toEqual([
    'files: 1 of 3 files of websites, photos and certificates are missing or have another size: shop.',
  ])
  rmSync(files, { recursive: true })
  expect(faults()).toEqual([
    'files: 3 of 3 files of websites, photos and certificates are missing or have another size: shop.',
  ])
})
