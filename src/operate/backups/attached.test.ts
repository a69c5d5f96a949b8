import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openDatabase } from '../../database/open.ts'
import { emptyFolder } from '../../testing/executable.ts'
import { createBackup } from './create.ts'
import { restoreBackup } from './restore.ts'
import { seal, unseal } from './seal.ts'
import { verifyBackup } from './verify.ts'

const noon = Date.UTC(2026, 10, 20, 10, 15)

let folder: ReturnType<typeof emptyFolder>
let place: { databasePath: string; environment: 'production' }
beforeEach(() => {
  folder = emptyFolder()
  place = { databasePath: join(folder.path, 'production.db'), environment: 'production' }
  openDatabase(place.databasePath, 0).close()
})
afterEach(() => folder.remove())

const certificate = '3b241101-e2bb-4255-8caf-4136c566a962'
const page = `ab/${'c'.repeat(62)}`
const inDeploys = (path: string) => join(folder.path, 'production-files', path)
const inCertificates = (path: string) => join(folder.path, 'production-certificates', path)

function write(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content, { mode: 0o600 })
}

function writeAll(): { readonly large: Buffer } {
  const large = Buffer.alloc(2_500_000, 'shop')
  write(inDeploys(page), large)
  write(inDeploys(`00/${'0'.repeat(62)}`), '')
  write(inCertificates(`${certificate}.key`), 'the key')
  write(inCertificates(`${certificate}.pem`), 'the chain')
  return { large }
}

function removeAll(): void {
  for (const name of ['files', 'certificates']) rmSync(join(folder.path, `production-${name}`), { recursive: true })
}

test('a backup has the files of deploys and certificates, and a restore writes them back for their owner alone', () => {
  const { large } = writeAll()
  const { file } = createBackup(place, () => noon)
  expect(verifyBackup(file, 'production').animals).toBe(0)
  removeAll()
  restoreBackup(file, place, () => noon)
  expect(readFileSync(inDeploys(page)).equals(large)).toBe(true)
  expect(readFileSync(inDeploys(`00/${'0'.repeat(62)}`), 'utf8')).toBe('')
  expect(readFileSync(inCertificates(`${certificate}.key`), 'utf8')).toBe('the key')
  expect(readFileSync(inCertificates(`${certificate}.pem`), 'utf8')).toBe('the chain')
  expect(statSync(inCertificates(`${certificate}.key`)).mode & 0o777).toBe(0o600)
  expect(statSync(inCertificates('.')).mode & 0o777).toBe(0o700)
})

test('the restored database has no copy of the files, and opens', () => {
  writeAll()
  const { file } = createBackup(place, () => noon)
  restoreBackup(file, place, () => noon)
  expect(statSync(place.databasePath).size).toBeLessThan(1_000_000)
  const { connection, close } = openDatabase(place.databasePath, 0)
  expect(connection.query("SELECT count(*) AS count FROM sqlite_master WHERE name = 'backup_files'").get()).toEqual({
    count: 0,
  })
  close()
})

test('files that were damaged since the backup are whole after a restore, and those of others stay as they are', () => {
  const content = 'Our puppies'
  const hash = new Bun.CryptoHasher('sha256').update(content).digest('hex')
  const path = `${hash.slice(0, 2)}/${hash.slice(2)}`
  write(inDeploys(path), content)
  writeAll()
  const { file } = createBackup(place, () => noon)
  for (const damage of ['', 'Our kittens', undefined]) {
    if (damage === undefined) rmSync(inDeploys(path))
    else write(inDeploys(path), damage)
    write(inCertificates(`${certificate}.pem`), 'the cha')
    write(inCertificates('notes.txt'), "the operator's")
    restoreBackup(file, place, () => noon)
    expect(readFileSync(inDeploys(path), 'utf8')).toBe(content)
    expect(readFileSync(inCertificates(`${certificate}.pem`), 'utf8')).toBe('the chain')
    expect(readFileSync(inCertificates('notes.txt'), 'utf8')).toBe("the operator's")
  }
})

test('a restore that fails leaves no unfinished file', () => {
  writeAll()
  const { file } = createBackup(place, () => noon)
  removeAll()
  // A directory can't be replaced by the file.
  mkdirSync(inDeploys(page), { recursive: true })
  expect(() => restoreBackup(file, place, () => noon)).toThrow(/Nothing was restored/)
  expect(readdirSync(inDeploys('ab'))).toEqual(['c'.repeat(62)])
})

test('the copy of the old store that a restore keeps has its files too', () => {
  const { file } = createBackup(place, () => noon)
  writeAll()
  const { previous } = restoreBackup(file, place, () => noon)
  removeAll()
  restoreBackup(previous ?? '', place, () => noon)
  expect(readFileSync(inCertificates(`${certificate}.key`), 'utf8')).toBe('the key')
  expect(existsSync(inDeploys(page))).toBe(true)
})

test('links, unfinished files and files of others are not in a backup', () => {
  writeAll()
  write(inCertificates(`${certificate}.pem.unfinished`), 'half')
  write(inDeploys(`incoming/7/0`), 'half')
  write(inCertificates('notes.txt'), "the operator's")
  symlinkSync('/etc/hostname', inDeploys(`ab/${'d'.repeat(62)}`))
  const { file } = createBackup(place, () => noon)
  const copy = new Database(file, { readonly: true })
  const paths = copy.query<{ path: string }, []>('SELECT DISTINCT path FROM backup_files').all()
  copy.close()
  expect(paths.map(({ path }) => path).toSorted()).toEqual(
    [`${certificate}.key`, `${certificate}.pem`, page, `00/${'0'.repeat(62)}`].toSorted(),
  )
})

for (const path of ['../../escape.key', '/etc/escape', `ab/../${'c'.repeat(62)}`, 'ab', '']) {
  test(`a backup with the file name ${JSON.stringify(path)} is not restored`, () => {
    writeAll()
    const { file } = createBackup(place, () => noon)
    unseal(file)
    const changed = new Database(file)
    changed.query('UPDATE backup_files SET path = ? WHERE part = 0').run(path)
    changed.close()
    seal(file, noon)
    removeAll()
    expect(() => restoreBackup(file, place, () => noon)).toThrow(/has a file with the name/)
    expect(readdirSync(folder.path).filter((name) => name.startsWith('production-'))).toEqual([])
    expect(existsSync(join(dirname(folder.path), 'escape.key'))).toBe(false)
  })
}

describe('a backup says how many files', () => {
  const sha256 = (content: string) => new Bun.CryptoHasher('sha256').update(content).digest('hex')
  const placeOf = (hash: string) => inDeploys(`${hash.slice(0, 2)}/${hash.slice(2)}`)
  const [html, brotli] = ['<h1>Kiosk</h1>', 'compressed']

  /** A site of one page with a compressed form, and a certificate. */
  function publish(): void {
    const { connection, close } = openDatabase(place.databasePath, 0)
    const deploy = 'INSERT INTO deploys (id, project_id, account_id, state, created_at, created_by, file_count, bytes)'
    connection.run(`${deploy} VALUES (1, 1, 1, 'ready', 0, 'key:1', 1, 14), (2, 1, 1, 'removed', 0, 'key:1', 1, 14)`)
    const file = 'INSERT INTO deploy_files (deploy_id, path, hash, size, modified_at) VALUES (?, ?, unhex(?), 14, 0)'
    connection.run(file, [1, 'index.html', sha256(html)])
    connection.run(file, [2, 'old.html', sha256('swept already')])
    const encoding = 'INSERT INTO content_encodings (hash, br, br_size) VALUES (unhex(?), unhex(?), 10)'
    connection.run(encoding, [sha256(html), sha256(brotli)])
    const row = "INSERT INTO certificates (hostname, kind, wanted_at, file) VALUES ('kiosk.example', 'domain', 0, ?)"
    connection.run(row, [certificate])
    close()
    write(placeOf(sha256(html)), html)
    write(placeOf(sha256(brotli)), brotli)
    write(inCertificates(`${certificate}.key`), 'the key')
    write(inCertificates(`${certificate}.pem`), 'the chain')
  }

  const cases: [string, number, () => void][] = [
    ['none', 0, () => {}],
    ['a page that is missing', 1, () => rmSync(placeOf(sha256(html)))],
    ['a page with another content', 1, () => write(placeOf(sha256(html)), '<h1>KIOSK</h1>')],
    ['a compressed form that is empty', 1, () => write(placeOf(sha256(brotli)), '')],
    ['a key that is missing', 1, () => rmSync(inCertificates(`${certificate}.key`))],
    ['all of them', 4, () => removeAll()],
  ]
  test.each(cases)('it lacks: %s', (_, count, damage) => {
    publish()
    damage()
    const { file, damagedFiles } = createBackup(place, () => noon)
    expect(damagedFiles).toBe(count)
    expect(verifyBackup(file, 'production').damagedFiles).toBe(count)
  })
})
