import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { openDatabase } from '../../database/open.ts'
import { emptyFolder } from '../../testing/executable.ts'
import { contentsBeside, contentsOf, removeUnlisted } from './contents.ts'
import { createBackup } from './create.ts'
import { restoreBackup } from './restore.ts'
import { seal, unseal } from './seal.ts'
import { verifyBackup } from './verify.ts'

const noon = Date.UTC(2026, 10, 20, 10, 15)
const sha256 = (content: string) => new Bun.CryptoHasher('sha256').update(content).digest('hex')
const [html, script, brotli] = ['<h1>Kiosk</h1>', 'alert(1)', 'compressed']
const certificate = '3b241101-e2bb-4255-8caf-4136c566a962'

let folder: ReturnType<typeof emptyFolder>
let place: { databasePath: string; environment: 'production' }
const inStore = (content: string) => pathIn(join(folder.path, 'production-files'), content)
const inBackups = (content: string) => pathIn(join(folder.path, 'backups/contents'), content)
const pathIn = (directory: string, content: string) =>
  join(directory, sha256(content).slice(0, 2), sha256(content).slice(2))
const key = () => join(folder.path, `production-certificates/${certificate}.key`)

function write(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content, { mode: 0o600 })
}

/** A site of two pages, one with a compressed form, and a certificate. */
beforeEach(() => {
  folder = emptyFolder()
  place = { databasePath: join(folder.path, 'production.db'), environment: 'production' }
  const { connection, close } = openDatabase(place.databasePath, 0)
  const deploy = 'INSERT INTO deploys (id, project_id, account_id, state, created_at, created_by, file_count, bytes)'
  connection.run(`${deploy} VALUES (1, 1, 1, 'ready', 0, 'key:1', 2, 22), (2, 1, 1, 'removed', 0, 'key:1', 1, 14)`)
  const file = 'INSERT INTO deploy_files (deploy_id, path, hash, size, modified_at) VALUES (?, ?, unhex(?), ?, 0)'
  connection.run(file, [1, 'index.html', sha256(html), html.length])
  connection.run(file, [1, 'app.js', sha256(script), script.length])
  connection.run(file, [2, 'old.html', sha256('swept already'), 13])
  connection.run('INSERT INTO content_encodings (hash, br, br_size) VALUES (unhex(?), unhex(?), 10)', [
    sha256(html),
    sha256(brotli),
  ])
  const row = "INSERT INTO certificates (hostname, kind, wanted_at, file) VALUES ('kiosk.example', 'domain', 0, ?)"
  connection.run(row, [certificate])
  close()
  for (const content of [html, script, brotli]) write(inStore(content), content)
  write(key(), 'the key')
  write(key().replace(/key$/, 'pem'), 'the chain')
})
afterEach(() => folder.remove())

const schedule = (at = noon) => createBackup(place, () => at, 'scheduled')
const removeStoreFiles = () => {
  for (const name of ['files', 'certificates']) rmSync(join(folder.path, `production-${name}`), { recursive: true })
}

test('a backup lists the contents that it has beside it, each once and without a copy of its bytes', () => {
  const { file, damagedFiles } = schedule()
  expect(basename(file)).toBe('production-scheduled-20261120T101500Z.db')
  expect(damagedFiles).toBe(0)
  const listed = [...contentsOf(file)].toSorted((a, b) => a.bytes - b.bytes)
  expect(listed).toEqual([script, brotli, html].map((content) => ({ hash: sha256(content), bytes: content.length })))
  expect(contentsBeside(file).pathOf(sha256(html))).toBe(inBackups(html))
  expect(statSync(inBackups(html)).ino).toBe(statSync(inStore(html)).ino)
  expect(statSync(dirname(inBackups(html))).mode & 0o777).toBe(0o700)
  const second = schedule(noon + 86_400_000)
  expect([...contentsOf(second.file)]).toEqual([...contentsOf(file)])
  expect(statSync(inBackups(html)).nlink).toBe(2)
  expect([...contentsOf(createBackup(place, () => noon).file)]).toEqual([...contentsOf(file)])
})

test('it is restored with its contents, keys and certificates, where the store has lost or damaged them', () => {
  const { file } = schedule()
  removeStoreFiles()
  write(inStore(script), 'alert(2)')
  expect(restoreBackup(file, place, () => noon).damagedFiles).toBe(0)
  for (const content of [html, script, brotli]) expect(readFileSync(inStore(content), 'utf8')).toBe(content)
  expect(readFileSync(key(), 'utf8')).toBe('the key')
  const { connection, close } = openDatabase(place.databasePath, 0)
  expect(
    connection.query("SELECT name FROM sqlite_master WHERE name IN ('backup_files', 'backup_contents')").values(),
  ).toEqual([])
  close()
})

test('it is restored from another directory with its contents; alone it is refused, except where they are at hand', () => {
  const { file } = schedule()
  const elsewhere = join(folder.path, 'elsewhere', basename(file))
  mkdirSync(dirname(elsewhere))
  renameSync(file, elsewhere)
  expect(() => verifyBackup(elsewhere, 'production')).toThrow(
    `the files of its sites are missing: copy the directory ${join(folder.path, 'elsewhere/contents')}, too`,
  )
  expect(restoreBackup(elsewhere, place, () => noon).damagedFiles).toBe(0)
  removeStoreFiles()
  renameSync(join(folder.path, 'backups/contents'), join(folder.path, 'contents'))
  expect(() => restoreBackup(elsewhere, place, () => noon)).toThrow('the files of its sites are missing')
  renameSync(join(folder.path, 'contents'), join(folder.path, 'elsewhere/contents'))
  expect(verifyBackup(elsewhere, 'production').damagedFiles).toBe(0)
  restoreBackup(elsewhere, place, () => noon)
  expect(readFileSync(inStore(brotli), 'utf8')).toBe(brotli)
})

test('a content that was damaged beside the backups is found by verifying, and is whole after the next backup', () => {
  const { file } = schedule()
  rmSync(inBackups(html))
  write(inBackups(html), '<h1>KIOSK</h1>')
  rmSync(inBackups(script))
  expect(verifyBackup(file, 'production').damagedFiles).toBe(2)
  expect(schedule().damagedFiles).toBe(0)
  expect(verifyBackup(file, 'production').damagedFiles).toBe(0)
  expect(readFileSync(inBackups(html), 'utf8')).toBe(html)
})

test('a content that the store has lost stays in the backups; one that is whole nowhere is damaged and not listed', () => {
  schedule()
  rmSync(inStore(html))
  expect(schedule(noon + 1_000).damagedFiles).toBe(0)
  write(inStore(script), 'alert(2)')
  write(inBackups(script), 'alert(2)')
  const { file, damagedFiles } = schedule(noon + 2_000)
  expect(damagedFiles).toBe(1)
  expect([...contentsOf(file)].map(({ hash }) => hash)).not.toContain(sha256(script))
  expect(restoreBackup(file, place, () => noon).damagedFiles).toBe(1)
})

test('a store without sites has backups without contents', () => {
  const { connection, close } = openDatabase(place.databasePath, 0)
  connection.run('DELETE FROM deploy_files')
  connection.run('DELETE FROM content_encodings')
  close()
  const { file } = schedule()
  expect([...contentsOf(file)]).toEqual([])
  expect(existsSync(join(folder.path, 'backups/contents'))).toBe(false)
  expect(verifyBackup(file, 'production').damagedFiles).toBe(0)
})

test('what a restore replaces is a backup with its contents; of a damaged store it is a copy of its bytes', () => {
  const { file } = schedule()
  const { previous } = restoreBackup(file, place, () => noon)
  expect([...contentsOf(previous ?? '')]).toHaveLength(3)
  removeStoreFiles()
  expect(restoreBackup(previous ?? '', place, () => noon).damagedFiles).toBe(0)
  for (const content of [html, script, brotli]) expect(readFileSync(inStore(content), 'utf8')).toBe(content)
  const damaged = damageTable(place.databasePath, 'deploy_files')
  const copy = restoreBackup(file, place, () => noon).previous ?? ''
  expect(readFileSync(copy).equals(damaged)).toBe(true)
  // Such a copy lists nothing, even if it cannot be read: contents that no backup lists are deleted all the same.
  writeFileSync(copy, 'torn')
  write(inBackups('left'), 'left')
  removeUnlisted(dirname(file))
  expect([existsSync(inBackups('left')), existsSync(inBackups(html))]).toEqual([false, true])
})

/** Damages the first page of a table. Returns the bytes of the database. */
function damageTable(databasePath: string, table: string): Buffer {
  const database = new Database(databasePath)
  const { page, size } = database
    .query<{ page: number; size: number }, [string]>(
      'SELECT rootpage AS page, page_size AS size FROM sqlite_master, pragma_page_size WHERE name = ?',
    )
    .get(table) ?? { page: 0, size: 0 }
  database.run('PRAGMA journal_mode = DELETE')
  database.close()
  const bytes = readFileSync(databasePath)
  bytes.fill(0xff, (page - 1) * size, page * size)
  writeFileSync(databasePath, bytes)
  return bytes
}

test('a backup that lists a content without a SHA-256 is refused', () => {
  const { file } = schedule()
  unseal(file)
  const changed = new Database(file)
  changed.run("UPDATE backup_contents SET hash = CAST('../../../escape' AS BLOB) WHERE hash = unhex(?)", [sha256(html)])
  changed.close()
  seal(file, noon)
  expect(() => restoreBackup(file, place, () => noon)).toThrow('it lists a content that has no SHA-256')
  expect(readdirSync(folder.path).filter((name) => name.includes('escape') || name.includes('restoring'))).toEqual([])
})
