import { expect, test } from 'bun:test'
import { openSync, readSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { silentLog } from '../lib/log.ts'
import { emptyFolder, isBuilt } from '../testing/executable.ts'
import { mountDisk } from '../testing/faults.ts'
import { serversPerTest } from '../testing/per-test/server.ts'
import { openLog } from './log.ts'
import { openDatabase } from './open.ts'

const servers = serversPerTest()

/** The command that follows sees an empty directory where the sources are, as on any other machine. */
const withoutSources = [
  '/usr/bin/unshare',
  '--mount',
  '/bin/sh',
  '-c',
  `mount -t tmpfs none ${resolve(import.meta.dir, '..')} && exec "$@"`,
  'sh',
]

test.skipIf(!isBuilt || !mountDisk.isPossible)(
  'the executable moves the log into the file without the sources',
  async () => {
    const { add, signal, errors } = await servers.serve(undefined, withoutSources)
    const log = openSync(servers.file('production.db-wal'), 'r')
    const header = Buffer.alloc(32)
    // Changes when the log begins anew: https://sqlite.org/fileformat2.html#the_write_ahead_log
    const salt = () => {
      readSync(log, header, 0, header.length, 0)
      return header.readUInt32BE(16)
    }
    expect((await add('first')).status).toBe(201)
    const before = salt()
    // A transaction writes some ten frames, and the log is moved after 4,000.
    for (let i = 0; i < 1_000 && salt() === before; i++) await add(`Animal ${i}`)
    signal('SIGTERM')
    expect(await errors).not.toContain('"level":"warn"')
    expect(salt()).not.toBe(before)
  },
)

test('a flush blocks the event loop only while one client sends requests alone, and only if flushes are short', async () => {
  const folder = emptyFolder()
  const database = openDatabase(join(folder.path, 'store.db'), 0)
  let requests = 0
  let nowMs = 0
  const log = openLog(database, silentLog, { requests: () => requests, monotonic: () => nowMs })
  /** Resolves to whether the event loop was blocked. */
  async function flush({ writes = 1, sent = 1, tookMs = 0 } = {}): Promise<boolean> {
    requests += sent
    const { promise, resolve } = Promise.withResolvers<void>()
    let isDone = false
    log.flush(writes, (error) => {
      isDone = true
      expect(error).toBeUndefined()
      resolve()
    })
    const wasDone = isDone
    nowMs += wasDone ? 0 : tookMs
    await promise
    return wasDone
  }
  async function flushAlone(): Promise<boolean> {
    for (let i = 0; i < 64; i++) await flush()
    return flush()
  }
  expect(await flush()).toBe(false)
  expect(await flushAlone()).toBe(true)
  for (const other of [{ writes: 2 }, { sent: 2 }, { sent: 0 }]) {
    expect(await flush(other)).toBe(false)
    expect(await flush()).toBe(false)
    expect(await flushAlone()).toBe(true)
  }
  await flush({ writes: 2, sent: 2, tookMs: 2 })
  for (let i = 0; i < 64; i++) expect(await flush({ tookMs: 2 })).toBe(false)
  expect(await flush()).toBe(false)
  await log.close()
  database.close()
  folder.remove()
})
