import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { lockForServing } from '../../database/lock.ts'
import { currentVersion } from '../../database/migrate.ts'
import { openDatabase } from '../../database/open.ts'
import { createOldStore, olderVersions, type Rows, readRows } from '../../database/testing/old-store.ts'
import { emptyFolder, executable, isBuilt, runPetstore, startPetstoreProcess } from '../../testing/executable.ts'
import { createBackup } from './create.ts'
import { listBackups, openBackupFolder, sweepLeftovers } from './folder.ts'
import { verifyBackup } from './verify.ts'

const strace = Bun.which('strace')
if (!strace) console.error('SKIPPED: killing a backup and a restore at every step needs strace.')

/** The system calls that change files, without those by which SQLite writes pages. */
const steps = ['rename', 'unlink', 'truncate', 'ftruncate', 'fsync', 'write', 'copy_file_range']

const folder = emptyFolder()
const prepared = join(folder.path, 'prepared')
/** The same store without its database: only the log is left. */
const lost = join(folder.path, 'lost')
const data = join(folder.path, 'data')
const place = { databasePath: join(data, 'production.db'), environment: 'production' } as const
const backup = join(folder.path, 'backup.db')

/** A store with one animal, which is still in its log, as a killed server leaves it; and a backup of another. */
beforeAll(() => {
  const addPet = "INSERT INTO pets (name, folded_name, category_id, status) VALUES (?1, lower(?1), 1, 'available')"
  for (const name of ['new', 'old']) {
    const databasePath = join(folder.path, name, 'production.db')
    mkdirSync(join(folder.path, name))
    const { connection, close } = openDatabase(databasePath, 0)
    connection.run(addPet, [name])
    if (name === 'new') cpSync(createBackup({ ...place, databasePath }, Date.now).file, backup)
    else cpSync(join(folder.path, name), prepared, { recursive: true })
    close()
  }
  mkdirSync(lost)
  cpSync(join(prepared, 'production.db-wal'), join(lost, 'production.db-wal'))
})
afterAll(() => folder.remove())

/** Opens the store like the next command; returns the name of its one animal. */
function animal(): unknown {
  const store = new Database(place.databasePath, { create: false, readwrite: true })
  const names = store.query('SELECT name FROM pets').values().flat()
  expect(store.query('PRAGMA integrity_check').values()).toEqual([['ok']])
  store.close(true)
  expect(names).toHaveLength(1)
  return names[0]
}

/** Runs a command on a copy of `store` with `injected` for its calls of `step`. */
function runStopped(args: readonly string[], step: string, injected: string, store = prepared) {
  rmSync(data, { recursive: true, force: true })
  cpSync(store, data, { recursive: true })
  const tracing = ['-f', '-o', '/dev/null', '-e', `trace=${step}`, '-e', `inject=${step}:${injected}`]
  const { exitCode, stderr } = Bun.spawnSync([strace ?? '', ...tracing, executable, ...args, '--data', data])
  return { code: exitCode, err: stderr.toString() }
}

/** Kills a command once before each call of each kind that it makes, and calls `check` after each. */
function killEverywhere(args: readonly string[], check: () => void, store = prepared): number {
  let kills = 0
  for (const step of steps) {
    for (let nth = 1; runStopped(args, step, `signal=KILL:when=${nth}`, store).code !== 0; nth++) {
      // An executable that can't open the store at all would fail for ever.
      expect(nth).toBeLessThan(500)
      check()
      kills++
    }
  }
  return kills
}

describe.skipIf(!isBuilt || !strace)('kill -9 at any step', () => {
  test('of a restore leaves all of the old state or all of the new one, and the next restore succeeds', () => {
    const found = new Set<unknown>()
    const kills = killEverywhere(['backup', 'restore', backup], () => {
      const listed = listBackups(place)
      for (const { file } of listed) expect(verifyBackup(file, 'production').animals).toBe(1)
      const current = animal()
      if (current === 'new') expect(listed).toHaveLength(1)
      found.add(current)
      const again = Bun.spawnSync([executable, 'backup', 'restore', backup, '--data', data])
      expect([again.exitCode, animal()]).toEqual([0, 'new'])
      expect(readdirSync(data).sort()).toEqual(['backups', 'production.db', 'production.db-serving'])
    })
    expect([...found].sort()).toEqual(['new', 'old'])
    expect(kills).toBeGreaterThan(20)
  }, 60_000)

  test('of a restore where only a log is left keeps the log, and no store is created in place of the lost one', () => {
    const found = new Set<unknown>()
    const check = () => {
      const isRestored = animalOfLost() === 'new'
      found.add(isRestored)
      const again = Bun.spawnSync([executable, 'backup', 'restore', backup, '--data', data])
      expect([again.exitCode, animal()]).toEqual([0, 'new'])
      const names = readdirSync(data).filter((name) => !name.startsWith('backups'))
      expect(names.sort()).toEqual(['production.db', 'production.db-serving', 'production.db-wal-without-database'])
      expect(logAt('production.db-wal-without-database')).toBe(lostLog())
    }
    expect(killEverywhere(['backup', 'restore', backup], check, lost)).toBeGreaterThan(15)
    expect([...found].sort()).toEqual([false, true])
  }, 60_000)

  test('of a backup leaves no incomplete file with the name of a backup, and the next backup removes the remains', () => {
    const kills = killEverywhere(['backup', 'create'], () => {
      const listed = listBackups(place)
      for (const { file } of listed) verifyBackup(file, 'production')
      expect(animal()).toBe('old')
      const next = createBackup(place, Date.now)
      const names = readdirSync(join(data, 'backups')).filter((name) => !name.startsWith('.lock'))
      expect(names).toHaveLength(listed.length + 1)
      expect(verifyBackup(next.file, 'production').animals).toBe(1)
    })
    expect(kills).toBeGreaterThan(10)
  }, 60_000)
})

describe.skipIf(!isBuilt || !strace)('kill -9 at any step of the first command of a newer petstore', () => {
  const old = join(folder.path, 'of-older-petstore')
  const [oldest = 27] = olderVersions
  let before: Rows
  beforeAll(() => {
    mkdirSync(old)
    before = createOldStore(join(old, 'production.db'), oldest, (table) => ['audit', 'deleted_pets'].includes(table))
  })

  test('leaves the old store or the migrated one with its backup, and the next command goes on', () => {
    const found = new Set<number>()
    const kills = killEverywhere(
      ['keys', 'list'],
      () => {
        const version = check()
        found.add(version)
        const backups = listBackups(place)
        if (version !== oldest) expect(backups).toHaveLength(1)
        for (const { file } of backups) expect(verifyBackup(file, 'production').keys).toBe(0)
        const again = Bun.spawnSync([executable, 'keys', 'list', '--data', data])
        expect([again.exitCode, check(), listBackups(place).length]).toEqual([0, currentVersion, 1])
      },
      old,
    )
    expect([...found].sort()).toEqual([oldest, currentVersion])
    expect(kills).toBeGreaterThan(20)
  }, 300_000)

  /** The version of the store, whose records are those that it had. */
  function check(): number {
    const store = new Database(place.databasePath, { create: false, readwrite: true })
    expect(store.query('PRAGMA integrity_check').values()).toEqual([['ok']])
    for (const table of ['audit', 'deleted_pets', 'categories', 'accounts']) {
      expect(readRows(store, before)[table]).toEqual(before[table])
    }
    const [version] = store.query('PRAGMA user_version').values()[0] as [number]
    store.close(true)
    return version
  }
})

const logAt = (name: string) => readFileSync(join(data, name)).toHex()
const lostLog = () => readFileSync(join(lost, 'production.db-wal')).toHex()

/** The name of the one animal of the store; undefined if petstore refuses to open it because the database is lost. */
function animalOfLost(): unknown {
  try {
    openDatabase(place.databasePath, 0).close()
  } catch (error) {
    expect((error as Error).message).toMatch(/is missing, but its log .* is there|is empty: its content is lost/)
    return undefined
  }
  return animal()
}

describe.skipIf(!isBuilt || !strace)('the files of a killed command are removed when the service starts', () => {
  const left = () =>
    [...readdirSync(data), ...readdirSync(join(data, 'backups'))].filter((name) => /restoring|unfinished/.test(name))

  async function startAndStop(): Promise<void> {
    const server = await startPetstoreProcess(['--data', data], { cwd: folder.path })
    expect(left()).toEqual([])
    expect(await server.stop()).toBe(0)
  }

  test('of a restore', async () => {
    runStopped(['backup', 'restore', backup], 'fsync', 'signal=KILL:when=2')
    expect(left()).toContain('production.db-restoring')
    await startAndStop()
    expect(animal()).toBe('old')
  })

  test('of a backup', async () => {
    runStopped(['backup', 'create'], 'rename', 'signal=KILL')
    expect(left()).toEqual(['.unfinished'])
    await startAndStop()
  })
})

describe('the files of a running command are not removed', () => {
  test('neither the copy of a backup nor that of a restore, during which no server can start', async () => {
    const databasePath = join(folder.path, 'busy/production.db')
    mkdirSync(join(folder.path, 'busy'))
    openDatabase(databasePath, 0).close()
    const opened = openBackupFolder(databasePath)
    writeFileSync(opened.unfinished, '')
    sweepLeftovers(databasePath)
    expect(existsSync(opened.unfinished)).toBe(true)
    opened[Symbol.dispose]()
    const unlock = lockForServing(databasePath)
    writeFileSync(opened.incoming, '')
    if (isBuilt) {
      const start = await runPetstore(['serve', '--port', '0', '--data', join(folder.path, 'busy')], {
        cwd: folder.path,
      })
      expect([start.code, existsSync(opened.incoming)]).toEqual([1, true])
    }
    unlock()
    sweepLeftovers(databasePath)
    expect(existsSync(opened.incoming)).toBe(false)
  })
})

describe.skipIf(!isBuilt || !strace)('a disk that becomes full causes one line and leaves no file', () => {
  test('of a backup', () => {
    const result = runStopped(['backup', 'create'], 'pwrite64', 'error=ENOSPC:when=20+')
    expect(result).toEqual({ code: 1, err: 'petstore: No backup was made: the disk is full.\n' })
    expect(readdirSync(join(data, 'backups'))).toEqual(['.lock'])
  })

  test('of a restore, which changes nothing', () => {
    const result = runStopped(['backup', 'restore', backup], 'fsync', 'error=ENOSPC')
    expect(result).toEqual({ code: 1, err: 'petstore: Nothing was restored: the disk is full.\n' })
    expect(readdirSync(join(data, 'backups'))).toEqual(['.lock'])
    expect([animal(), readdirSync(data).includes('production.db-restoring')]).toEqual(['old', false])
  })

  test.each(['rename', 'fsync', 'pwrite64'])(
    'of a restore where only a log is left, which changes nothing: %s',
    (step) => {
      let failures = 0
      for (;;) {
        const injected = `error=ENOSPC:when=${failures + 1}`
        const { code, err } = runStopped(['backup', 'restore', backup], step, injected, lost)
        // The last flush follows the replacement.
        if (code === 0 || animalOfLost() === 'new') break
        // SQLite reports a failed flush as an error of the disk.
        expect(err).toMatch(/^petstore: .*(disk .*full|the disk reports an error).*\n$/)
        expect(readdirSync(data).sort()).toEqual(['backups', 'production.db-serving', 'production.db-wal'])
        expect(logAt('production.db-wal')).toBe(lostLog())
        failures++
      }
      // Two files are renamed: the log and the new database.
      expect(failures).toBeGreaterThanOrEqual(2)
    },
  )
})
