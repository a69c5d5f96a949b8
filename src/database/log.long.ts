import type { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../lib/clock.ts'
import { type Log, silentLog } from '../lib/log.ts'
import { emptyFolder, isBuilt, type PetstoreProcess, runPetstore, startPetstoreProcess } from '../testing/executable.ts'
import { injectErrors, mountDisk } from '../testing/faults.ts'
import { createAnnouncements } from './announcements.ts'
import { openLog } from './log.ts'
import { keptLogBytes, type OpenDatabase, openDatabase } from './open.ts'
import { createWriter } from './writer.ts'

let folder: ReturnType<typeof emptyFolder>
beforeEach(() => {
  folder = emptyFolder()
})
afterEach(() => folder.remove())

const path = () => join(folder.path, 'store.db')
const framesOf = (connection: Database) =>
  connection.query<{ log: number }, []>('PRAGMA wal_checkpoint(NOOP)').get()?.log ?? 0

/** A database with a table of notes, and functions that write as a server does. */
function open({ onLowSpace, logger = silentLog }: { onLowSpace?: () => void; logger?: Pick<Log, 'warn'> } = {}) {
  const database: OpenDatabase = openDatabase(path(), 0)
  const { connection } = database
  connection.run('CREATE TABLE IF NOT EXISTS notes (bytes BLOB NOT NULL)')
  const log = openLog(database, logger, onLowSpace ? { onLowSpace } : {})
  const guard = { blocked: () => undefined, writeFailed: () => 'disk_error' as const }
  const writer = createWriter(connection, systemClock, createAnnouncements(silentLog).transaction, guard, log)
  return {
    connection,
    add: (bytes: number) => writer.write(() => connection.run('INSERT INTO notes VALUES (zeroblob(?1))', [bytes])),
    clear: () => writer.write(() => connection.run('DELETE FROM notes')),
    count: () => connection.query<{ n: number }, []>('SELECT count(*) AS n FROM notes').get()?.n,
    async close() {
      await log.close()
      database.close()
    },
  }
}

test('the log begins anew again and again while it is written, and no note is lost', async () => {
  const store = open()
  for (let i = 0; i < 300; i++) await store.add(1_000_000)
  expect(store.count()).toBe(300)
  // 300 MB were written through a log that is moved every 16 MB.
  expect(statSync(`${path()}-wal`).size).toBeLessThan(20_000_000)
  await store.close()
  const again = openDatabase(path(), 0)
  expect(again.connection.query('SELECT count(*) AS n FROM notes').get()).toEqual({ n: 300 })
  expect(again.connection.query('PRAGMA integrity_check').values()).toEqual([['ok']])
  again.close()
})

test('a log that could not be moved into the file keeps its frames, and is moved when it has grown', async () => {
  const warnings: string[] = []
  const store = open({ logger: { warn: (message) => void warnings.push(message) } })
  await store.add(1)
  renameSync(path(), `${path()}-moved`)
  while (warnings.length === 0) await store.add(1_000_000)
  expect(warnings[0]).toContain('could not be moved into the file')
  renameSync(`${path()}-moved`, path())
  const frames = framesOf(store.connection)
  expect(frames).toBeGreaterThanOrEqual(4_000)
  while (framesOf(store.connection) >= 4_000) {
    await store.add(100_000)
    expect(framesOf(store.connection)).toBeLessThan(frames + 1_100)
  }
  expect(warnings).toHaveLength(1)
  await store.close()
})

test('while another process reads an old state, the log grows; soon afterwards it begins anew, and is shortened', async () => {
  const store = open()
  await store.add(1)
  const reader = openDatabase(path(), 0).connection
  reader.run('BEGIN')
  reader.query('SELECT count(*) FROM notes').get()
  for (let i = 0; i < 100; i++) await store.add(1_000_000)
  const grown = framesOf(store.connection)
  expect(grown).toBeGreaterThan(24_000)
  reader.run('COMMIT')
  reader.close(true)
  const isLong = (frames: number) => frames >= 24_000 && frames < grown + 8_000
  while (isLong(framesOf(store.connection))) await store.add(10_000)
  expect(framesOf(store.connection)).toBeLessThan(24_000)
  expect(statSync(`${path()}-wal`).size).toBeLessThanOrEqual(keptLogBytes)
  await store.close()
})

test.skipIf(!mountDisk.isPossible)('a reader of an old state is ended before the log fills the disk', async () => {
  const disk = mountDisk(folder.path, 40_000_000)
  const store = open({ onLowSpace: () => reader.close(true) })
  await store.add(1)
  const reader = openDatabase(path(), 0).connection
  try {
    reader.run('BEGIN')
    reader.query('SELECT count(*) FROM notes').get()
    for (let i = 0; i < 100; i++) {
      await store.add(1_000_000)
      await store.clear()
    }
    expect(framesOf(store.connection)).toBeLessThan(5_000)
  } finally {
    await store.close()
    disk.unmount()
  }
})

test.skipIf(!mountDisk.isPossible)('where the disk has little space, the log is moved before it is full', async () => {
  const disk = mountDisk(folder.path, 40_000_000)
  const store = open()
  try {
    for (let i = 0; i < 100; i++) {
      await store.add(1_000_000)
      await store.clear()
    }
    expect(statSync(`${path()}-wal`).size).toBeLessThan(20_000_000)
  } finally {
    await store.close()
    disk.unmount()
  }
})

describe.skipIf(!isBuilt || !injectErrors.isPossible)('while the disk flushes slowly', () => {
  let server: PetstoreProcess
  afterEach(() => server.kill())

  test('reads show a change that is being flushed, and its response waits for the disk', async () => {
    server = await startPetstoreProcess([], { cwd: folder.path })
    const { url, key } = server.ready
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
    const delay = 'fsync,fdatasync:delay_exit=500000'
    const strace = await injectErrors(server.ready.pid, delay, [join(folder.path, 'data/production.db-wal')])
    const written: number[] = []
    const body = JSON.stringify({ name: 'Ada', categoryId: 1 })
    const writing = fetch(`${url}/v1/pets`, { method: 'POST', headers, body }).then(({ status }) =>
      written.push(status),
    )
    for (;;) {
      const animals = await fetch(`${url}/v1/pets`, { headers }).then((response) => response.json())
      if ((animals as unknown[]).length === 1) break
    }
    expect(written).toEqual([])
    await writing
    expect(written).toEqual([201])
    await strace.stop()
  })

  test('every change that was reported survives kill -9, even beside a command that moves the log', async () => {
    server = await startPetstoreProcess([], { cwd: folder.path })
    const { url, key } = server.ready
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
    const reported: string[] = []
    const clients = ['a', 'b', 'c', 'd'].map(async (client) => {
      for (let i = 0; ; i++) {
        const body = JSON.stringify({ name: `${client} ${i}`, categoryId: 1 })
        const response = await fetch(`${url}/v1/pets`, { method: 'POST', headers, body }).catch(() => undefined)
        if (response?.status !== 201) return
        reported.push(`${client} ${i}`)
      }
    })
    const other = openDatabase(join(folder.path, 'data/production.db'), 5_000)
    for (let i = 0; i < 20; i++) {
      const before = reported.length
      while (reported.length < before + 10) await new Promise((resolve) => setImmediate(resolve))
      other.connection.run('PRAGMA wal_checkpoint(TRUNCATE)')
    }
    await server.kill()
    await Promise.all(clients)
    other.close()
    const { out } = await runPetstore(['pets', 'export', '--format', 'ndjson'], { cwd: folder.path })
    const names = new Set(
      out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).name),
    )
    expect(reported.filter((name) => !names.has(name))).toEqual([])
  })
})
