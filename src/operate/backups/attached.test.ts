import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { openDatabase } from '../../database/open.ts'
import { emptyFolder } from '../../testing/executable.ts'
import { createBackup } from './create.ts'
import { listBackups } from './folder.ts'
import { restoreBackup } from './restore.ts'
import { seal, unseal } from './seal.ts'
import { writeWholeFile } from './testing/whole-file.ts'
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
/** A file of 300,000 bytes in the whole file of petstore 1.0.0. */
const large = 'd9/c30921ab850a0e81b8a21eabf78cb38e4ff43fdf46d2e023275a064ed1a7f9'
const page = '83/d9df0a690ef8421c8ede5c5d7e41dc2a1067b86fa40d17c3b50f55e03ca7fc'
const inDeploys = (path: string) => join(folder.path, 'production-files', path)
const inCertificates = (path: string) => join(folder.path, 'production-certificates', path)

function write(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content, { mode: 0o600 })
}

function writeCertificate(): void {
  write(inCertificates(`${certificate}.key`), 'the key')
  write(inCertificates(`${certificate}.pem`), 'the chain')
}

function removeAll(): void {
  for (const name of ['files', 'certificates']) rmSync(join(folder.path, `production-${name}`), { recursive: true })
}

test('a backup has the certificates, and a restore writes them back for their owner alone', () => {
  writeCertificate()
  write(inCertificates(`${certificate}.pem.unfinished`), 'half')
  write(inCertificates('notes.txt'), "the operator's")
  symlinkSync('/etc/hostname', inCertificates(`${certificate.replace('3', '4')}.key`))
  const { file } = createBackup(place, () => noon)
  rmSync(inCertificates('.'), { recursive: true })
  restoreBackup(file, place, () => noon)
  expect(readdirSync(inCertificates('.')).toSorted()).toEqual([`${certificate}.key`, `${certificate}.pem`])
  expect(readFileSync(inCertificates(`${certificate}.key`), 'utf8')).toBe('the key')
  expect(statSync(inCertificates(`${certificate}.key`)).mode & 0o777).toBe(0o600)
  expect(statSync(inCertificates('.')).mode & 0o777).toBe(0o700)
})

describe('a whole file of petstore 1.0.0', () => {
  const restoreWhole = () => restoreBackup(writeWholeFile(place), place, () => noon)

  test('is listed, verified and restored with its site and certificates, which leaves no copy of them in the database', () => {
    const file = writeWholeFile(place)
    expect(listBackups(place)).toEqual([{ file, bytes: 880_753, createdAt: '2026-11-27T20:22:12.000Z' }])
    expect(verifyBackup(file, 'production')).toMatchObject({ animals: 1, keys: 1, damagedFiles: 0 })
    expect(restoreBackup(file, place, () => noon)).toMatchObject({ animals: 1, damagedFiles: 0 })
    expect(readFileSync(inDeploys(large), 'utf8')).toBe('y'.repeat(300_000))
    expect(readFileSync(inDeploys(page))).toHaveLength(14)
    expect(readFileSync(inCertificates(`${certificate}.key`), 'utf8')).toBe('the key')
    expect(statSync(inDeploys(large)).mode & 0o777).toBe(0o600)
    const { connection, close } = openDatabase(place.databasePath, 0)
    expect(connection.query("SELECT 1 FROM sqlite_master WHERE name = 'backup_files'").get()).toBeNull()
    expect(connection.query('SELECT name FROM pets').values()).toEqual([['Ada']])
    close()
    expect(readFileSync(file)).toHaveLength(880_753)
  })

  test('replaces files that were damaged since, and leaves those of others as they are', () => {
    for (const damage of ['', 'Our kittens', undefined]) {
      if (damage === undefined) rmSync(inDeploys(large))
      else write(inDeploys(large), damage)
      write(inCertificates(`${certificate}.pem`), 'the cha')
      write(inCertificates('notes.txt'), "the operator's")
      restoreWhole()
      expect(readFileSync(inDeploys(large), 'utf8')).toBe('y'.repeat(300_000))
      expect(readFileSync(inCertificates(`${certificate}.pem`), 'utf8')).toBe('the chain')
      expect(readFileSync(inCertificates('notes.txt'), 'utf8')).toBe("the operator's")
    }
  })

  test('leaves no unfinished file if its restore fails', () => {
    // A directory can't be replaced by the file.
    mkdirSync(inDeploys(large), { recursive: true })
    expect(restoreWhole).toThrow(/Nothing was restored/)
    expect(readdirSync(dirname(inDeploys(large)))).toEqual([basename(large)])
  })

  for (const path of ['../../escape.key', '/etc/escape', `ab/../${'c'.repeat(62)}`, 'ab', '']) {
    test(`is not restored with the file name ${JSON.stringify(path)}`, () => {
      const file = writeWholeFile(place)
      unseal(file)
      const changed = new Database(file)
      changed.query('UPDATE backup_files SET path = ? WHERE part = 0').run(path)
      changed.close()
      seal(file, noon)
      expect(() => restoreBackup(file, place, () => noon)).toThrow(/has a file with the name/)
      expect(readdirSync(folder.path).filter((name) => name.startsWith('production-'))).toEqual([])
      expect(existsSync(join(dirname(folder.path), 'escape.key'))).toBe(false)
    })
  }
})

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
