import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { copyFileSync, existsSync, readdirSync, readlinkSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '../../database/open.ts'
import { listBackups } from './folder.ts'
import { holdDatabase } from './previous.ts'
import { addPet, animalsIn, type BackedUpStore, createBackedUpStore } from './testing/backed-up-store.ts'

let folder: BackedUpStore['folder']
let place: BackedUpStore['place']
let backup: string

beforeEach(() => {
  ;({ folder, place, backup } = createBackedUpStore())
})
afterEach(() => folder.remove())

const hasProc = existsSync('/proc/self/fd')
if (!hasProc) console.error('SKIPPED: the tests of a restore during a waiting command need /proc.')

describe.skipIf(!hasProc)('a command that waits for the lock while the database is replaced', () => {
  /** Runs `work` in another process; resolves when that has opened the current database. */
  async function start(work: string) {
    const script = `
      const { openDatabase } = await import(${JSON.stringify(join(import.meta.dir, '../../database/open.ts'))})
      const { createBackup } = await import(${JSON.stringify(join(import.meta.dir, 'create.ts'))})
      const place = ${JSON.stringify(place)}
      process.stdout.write('loaded')
      ${work}`
    const { pid, exited, stdout, stderr } = Bun.spawn([process.execPath, '-e', script], {
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const errors = new Response(stderr).text()
    // Before the child runs its script, it may still have the open files of this process.
    await stdout.getReader().read()
    while (!openFilesOf(pid).includes(place.databasePath)) await new Promise((resolve) => setImmediate(resolve))
    return { exited, errors }
  }

  const addDora = `
    const { connection, close } = openDatabase(place.databasePath, 10_000)
    connection.run(${JSON.stringify(addPet)}, ['Dora'])
    close()`

  function openFilesOf(pid: number): string[] {
    const links = readdirSync(`/proc/${pid}/fd`).map((fd) => `/proc/${pid}/fd/${fd}`)
    return links.flatMap((link) => {
      try {
        return [readlinkSync(link)]
      } catch {
        return [] // Closed since.
      }
    })
  }

  test('writes to the new database', async () => {
    const incoming = join(folder.path, 'incoming.db')
    copyFileSync(backup, incoming)
    const old = holdDatabase(place)
    const { exited } = await start(addDora)
    renameSync(incoming, place.databasePath)
    old.release()
    expect(await exited).toBe(0)
    expect(animalsIn(place.databasePath)).toEqual(['Ada', 'Dora'])
  })

  test('loses no write of a server that has already opened the new database', async () => {
    // SQLite finds the log by its path. If the new database has the same size, it would accept the log of the wrong
    // one.
    const incoming = join(folder.path, 'incoming.db')
    copyFileSync(place.databasePath, incoming)
    const old = holdDatabase(place)
    const { exited } = await start(addDora)
    renameSync(incoming, place.databasePath)
    const server = openDatabase(place.databasePath, 0)
    server.connection.run(addPet, ['Cleo'])
    old.release()
    expect(await exited).toBe(0)
    server.close()
    expect(animalsIn(place.databasePath)).toEqual(['Ada', 'Bea', 'Cleo', 'Dora'])
  })

  test('does not back up the old database', async () => {
    const incoming = join(folder.path, 'incoming.db')
    copyFileSync(backup, incoming)
    const old = holdDatabase(place)
    const { exited, errors } = await start('createBackup(place, Date.now)')
    renameSync(incoming, place.databasePath)
    old.release()
    expect(await exited).toBe(1)
    expect(await errors).toContain('No backup was made: the store was restored at the same time.')
    expect(listBackups(place).map(({ file }) => file)).toEqual([backup])
  })
})
