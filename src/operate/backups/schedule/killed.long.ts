import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openDatabase } from '../../../database/open.ts'
import { emptyFolder, executable, isBuilt } from '../../../testing/executable.ts'
import { mountDisk } from '../../../testing/faults.ts'
import { contentsOf } from '../contents.ts'
import { listBackups } from '../folder.ts'
import { restoreBackup } from '../restore.ts'
import { verifyBackup } from '../verify.ts'
import { makeScheduledBackup } from './make.ts'

const strace = Bun.which('strace')
if (!strace) console.error('SKIPPED: killing a backup at every step needs strace.')

/** The system calls that change files, without those by which SQLite writes pages. */
const steps = ['link', 'rename', 'unlink', 'mkdir', 'ftruncate', 'fsync', 'write']
const dayMs = 86_400_000
const start = Date.UTC(2026, 10, 1, 3, 15)
const keep = { days: 1, weeks: 0, months: 0 }
const sha256 = (content: string | Uint8Array) => new Bun.CryptoHasher('sha256').update(content).digest('hex')

const folder = emptyFolder()
/** Has four days of backups: the next one deletes the first of them, and a content with it. */
const prepared = join(folder.path, 'prepared')
const data = join(folder.path, 'data')
const placeIn = (directory: string) =>
  ({ databasePath: join(directory, 'production.db'), environment: 'production' }) as const
const place = placeIn(data)
const taskAt = (day: number, directory = data) => ({ ...placeIn(directory), keep, nowMs: start + day * dayMs })

/** Makes these pages the only site of the store in `directory`. */
function publish(directory: string, pages: readonly (string | Uint8Array)[]): void {
  mkdirSync(directory, { recursive: true })
  const { connection, close } = openDatabase(placeIn(directory).databasePath, 0)
  connection.run("INSERT OR IGNORE INTO deploys VALUES (1, 1, 1, 'ready', 0, 'key:1', 0, 0, NULL, NULL, NULL, NULL)")
  connection.run('DELETE FROM deploy_files')
  for (const [i, page] of pages.entries()) {
    const hash = sha256(page)
    connection.run('INSERT INTO deploy_files VALUES (1, ?, unhex(?), ?, 0)', [`${i}.html`, hash, page.length])
    const path = join(directory, 'production-files', hash.slice(0, 2), hash.slice(2))
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, page)
  }
  close()
}

beforeAll(() => {
  for (const day of [0, 1, 2]) {
    publish(prepared, ['home', `news of day ${day}`])
    makeScheduledBackup(taskAt(day, prepared))
  }
  publish(prepared, ['home', 'prices', 'contact'])
})
afterEach(() => rmSync(data, { recursive: true, force: true }))
afterAll(() => folder.remove())

/** Runs the task of the service on a copy of the store, with `injected` for its calls of `step`. */
function run(step?: string, injected?: string) {
  const tracing = [strace ?? '', '-f', '-o', '/dev/null', '-e', `trace=${step}`, '-e', `inject=${step}:${injected}`]
  const command = [...(step === undefined ? [] : tracing), executable, 'task', 'scheduled-backup']
  const { exitCode, stdout } = Bun.spawnSync(command, { stdin: Buffer.from(JSON.stringify(taskAt(3))) })
  return { code: exitCode, out: stdout.toString() }
}

const contents = () =>
  readdirSync(join(data, 'backups/contents'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(-65).replace('/', ''))
    .sort()

/** All backups of the schedule are whole; returns how many there are. */
function verified(): number {
  const listed = listBackups(place)
  for (const { file } of listed) expect(verifyBackup(file, 'production').damagedFiles).toBe(0)
  return listed.length
}

describe.skipIf(!isBuilt || !strace)('kill -9 at any step of a scheduled backup', () => {
  test('leaves every backup whole, deletes none before the new one is there, and the next run cleans up', () => {
    let kills = 0
    for (const step of steps) {
      for (let nth = 1; ; nth++) {
        rmSync(data, { recursive: true, force: true })
        cpSync(prepared, data, { recursive: true })
        if (run(step, `signal=KILL:when=${nth}`).code === 0) break
        expect(nth).toBeLessThan(300)
        kills++
        const left = verified()
        const isMade = listBackups(place).some(
          ({ createdAt }) => createdAt === new Date(start + 3 * dayMs).toISOString(),
        )
        expect(left).toBeGreaterThanOrEqual(3)
        if (!isMade) expect(left).toBe(3)
        expect(run().code).toBe(0)
        verified()
        const listed = new Set(listBackups(place).flatMap(({ file }) => [...contentsOf(file)].map(({ hash }) => hash)))
        expect(contents()).toEqual([...listed].sort())
      }
    }
    expect(kills).toBeGreaterThan(20)
  }, 300_000)
})

describe.skipIf(!mountDisk.isPossible)('a directory of backups on another disk', () => {
  const disk = join(folder.path, 'disk')

  function mount(bytes: number) {
    cpSync(prepared, data, { recursive: true })
    rmSync(join(data, 'backups'), { recursive: true })
    const mounted = mountDisk(disk, bytes)
    symlinkSync(disk, join(data, 'backups'))
    return mounted
  }

  test('has copies of the contents, each once, and a restore brings them back', () => {
    const mounted = mount(40_000_000)
    try {
      for (const day of [3, 4])
        expect(makeScheduledBackup(taskAt(day))).toMatchObject({ damagedFiles: 0, leftBecause: null })
      const [newest] = listBackups(place)
      const [first] = [...contentsOf(newest?.file ?? '')]
      expect(contents()).toHaveLength(3)
      const copy = join(disk, 'contents', first?.hash.slice(0, 2) ?? '', first?.hash.slice(2) ?? '')
      expect(statSync(copy).nlink).toBe(1)
      rmSync(join(data, 'production-files'), { recursive: true })
      expect(restoreBackup(newest?.file ?? '', place, Date.now).damagedFiles).toBe(0)
      expect(
        existsSync(join(data, 'production-files', first?.hash.slice(0, 2) ?? '', first?.hash.slice(2) ?? '')),
      ).toBe(true)
    } finally {
      mounted.unmount()
    }
  })

  test('that is too small for the database, or for the contents, is not filled, and the error says what is missing', () => {
    const large = crypto.getRandomValues(new Uint8Array(3_000_000))
    for (const [bytes, message] of [
      [
        400_000,
        /^No backup was made: \d+ kB beside the [\d.]+ kB that stay free for the store are needed on the disk of .*backups, which has [\d.]+ kB\. Free/,
      ],
      [3_000_000, /^No backup was made: 3(\.\d)? MB beside the [\d.]+ kB that stay free for the store are needed/],
    ] as const) {
      const mounted = mount(bytes)
      try {
        publish(data, ['home', large])
        expect(() => makeScheduledBackup(taskAt(3))).toThrow(message)
        expect(
          readdirSync(disk, { recursive: true, withFileTypes: true }).filter(
            (one) => one.isFile() && one.name !== '.lock',
          ),
        ).toEqual([])
      } finally {
        mounted.unmount()
        rmSync(data, { recursive: true })
      }
    }
  })

  test('that is read-only is said', () => {
    const mounted = mount(10_000_000)
    mounted.makeReadOnly()
    try {
      expect(() => makeScheduledBackup(taskAt(3))).toThrow(/read-only/)
    } finally {
      mounted.unmount()
    }
  })
})
