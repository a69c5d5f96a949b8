/** Faults of real files and disks under a running server: the compiled executable, strace and tmpfs. */

import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  closeSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import {
  emptyFolder,
  isBuilt,
  type PetstoreProcess,
  runPetstore,
  startPetstoreProcess,
} from '../../testing/executable.ts'
import { injectErrors, mountDisk } from '../../testing/faults.ts'

let folder: ReturnType<typeof emptyFolder>
let cleanups: (() => void | Promise<void>)[]

beforeEach(() => {
  folder = emptyFolder()
  cleanups = []
})
afterEach(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup()
  folder.remove()
})

const data = () => join(folder.path, 'data')
const file = (name = 'production.db') => join(data(), name)

async function serve() {
  const server = await startPetstoreProcess([], { cwd: folder.path })
  cleanups.push(() => server.kill())
  return { ...server, ...client(server) }
}

function client({ ready: { url, key = '' } }: Pick<PetstoreProcess, 'ready'>) {
  const send = (method: string, path: string, { body, headers = {} }: { body?: object; headers?: object } = {}) =>
    fetch(url + path, {
      method,
      headers: { Authorization: `Bearer ${key}`, ...(body ? { 'Content-Type': 'application/json' } : {}), ...headers },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
  return {
    send,
    key,
    add: (name: string, headers = {}) => send('POST', '/v1/pets', { body: { name, categoryId: 1 }, headers }),
    readyz: () => fetch(`${url}/readyz`),
  }
}

/** Sends requests until `isDone` accepts a response; throws after ten seconds. */
async function until(request: () => Promise<Response>, isDone: (response: Response) => boolean): Promise<Response> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const response = await request()
    if (isDone(response)) return response
    await response.text()
    await Bun.sleep(50)
  }
  throw new Error('it did not happen within ten seconds')
}

const is = (status: number) => (response: Response) => response.status === status
const messageOf = async (response: Response) => ((await response.json()) as { message: string }).message

/**
 * Sends a request whose flush fails; resolves to its status and message. If the flush of a job of the server fails before,
 * the log is repaired and the next attempt made: until then every request fails, and has changed nothing.
 */
async function failToFlush(server: Awaited<ReturnType<typeof serve>>, request: () => Promise<Response>) {
  for (let attempt = 1; ; attempt++) {
    const strace = await injectErrors(server.ready.pid, 'fsync,fdatasync:error=EIO', [file('production.db-wal')])
    cleanups.push(() => strace.stop())
    const response = await request()
    const message = await messageOf(response)
    if (!message.includes('Nothing was changed') || attempt === 5) return [response.status, message] as const
    await strace.stop()
    await until(server.readyz, is(200))
  }
}

/** The lines of the log on faults, as `begin FAULT` and `end FAULT`. */
async function faultsLogged(server: PetstoreProcess): Promise<string[]> {
  await server.kill()
  const lines = (await server.errors).split('\n').filter((line) => line.startsWith('{'))
  const entries = lines.map((line) => JSON.parse(line) as { message: string; fault?: string; level: string })
  return entries
    .filter(({ level, fault }) => level !== 'info' || fault !== undefined)
    .map(({ message, fault }) => (fault ? `${message.includes('has ended') ? 'end' : 'begin'} ${fault}` : message))
}

describe.skipIf(!isBuilt)('a fault of the storage while petstore serves', () => {
  const files = ['production.db', 'production.db-wal', 'production.db-shm']
  test.each(files)('writes and readiness fail while %s is moved away', async (name) => {
    const server = await serve()
    expect((await server.add('Ada')).status).toBe(201)
    renameSync(file(name), file('elsewhere'))
    if (name === 'production.db') expect((await server.add('Lost')).status).toBe(503)
    const startedMs = performance.now()
    const notReady = await until(server.readyz, is(503))
    expect(performance.now() - startedMs).toBeLessThan(1_500)
    expect(await messageOf(notReady)).toContain('moved, removed or replaced')
    const rejected = await server.add('Lost')
    expect(rejected.status).toBe(503)
    expect(rejected.headers.get('retry-after')).toBe('10')
    expect(await messageOf(rejected)).toContain('Nothing was changed')
    expect((await server.send('GET', '/v1/pets')).status).toBe(200)
    renameSync(file('elsewhere'), file(name))
    await until(server.readyz, is(200))
    expect((await server.add('Bea')).status).toBe(201)
    expect(await faultsLogged(server)).toEqual(['begin file_gone', 'end file_gone'])
  })

  test('a removed data directory is detected, and so is another database in the place of the old one', async () => {
    const server = await serve()
    await server.add('Ada')
    renameSync(data(), `${data()}-old`)
    expect((await server.add('Lost')).status).toBe(503)
    expect((await runPetstore(['keys', 'create', '--name', 'Other'], { cwd: folder.path })).code).toBe(0)
    await Bun.sleep(300)
    expect((await server.add('Lost')).status).toBe(503)
    expect(await faultsLogged(server)).toEqual(['begin file_gone'])
  })

  test('of a data directory and a database that are symbolic links, the targets are watched', async () => {
    const [real, other] = [join(folder.path, 'real'), join(folder.path, 'other')]
    for (const path of [real, other]) mkdirSync(path)
    symlinkSync(real, data())
    const server = await serve()
    expect((await server.add('Ada')).status).toBe(201)
    unlinkSync(data())
    symlinkSync(other, data())
    await until(server.readyz, is(503))
    expect((await server.add('Lost')).status).toBe(503)
    unlinkSync(data())
    symlinkSync(real, data())
    await until(server.readyz, is(200))
    await server.kill()
    renameSync(join(real, 'production.db'), join(other, 'far.db'))
    renameSync(join(real, 'production.db-wal'), join(other, 'far.db-wal'))
    symlinkSync(join(other, 'far.db'), join(real, 'production.db'))
    const second = await serve()
    const again = client({ ready: { ...second.ready, key: server.key } })
    expect((await again.add('Bea')).status).toBe(201)
    expect(await (await again.send('GET', '/v1/pets')).json()).toHaveLength(2)
    rmSync(join(other, 'far.db'))
    expect((await again.add('Lost')).status).toBe(503)
  })

  test('a store with the journal of a crashed process can be opened', async () => {
    const server = await serve()
    await server.add('Ada')
    await server.kill()
    writeFileSync(file('production.db-journal'), Buffer.alloc(5_000, 0x5a))
    const second = await serve()
    const { send } = client({ ready: { ...second.ready, key: server.key } })
    expect(await (await send('GET', '/v1/pets')).json()).toHaveLength(1)
  })

  test.skipIf(!injectErrors.isPossible)(
    'a disk that fails to write the database file loses nothing of the log',
    async () => {
      const server = await serve()
      const strace = await injectErrors(server.ready.pid, 'pwrite64,fsync,fdatasync:error=EIO', [file()])
      cleanups.push(() => strace.stop())
      for (const name of ['Ada', 'Bea']) expect((await server.add(name)).status).toBe(201)
      expect(await server.stop()).toBe(0)
      const second = await serve()
      const { send } = client({ ready: { ...second.ready, key: server.key } })
      expect(await (await send('GET', '/v1/pets')).json()).toHaveLength(2)
    },
  )

  test('damage is named in the log, in /readyz and in responses, and intact pages can still be read', async () => {
    const server = await serve()
    await server.add('Ada')
    const connection = new Database(file(), { readwrite: true })
    connection.run('PRAGMA wal_checkpoint(TRUNCATE)')
    const [page] = connection.query("SELECT rootpage FROM sqlite_schema WHERE name = 'pets'").values()[0] as [number]
    connection.close()
    const descriptor = openSync(file(), 'r+')
    writeSync(descriptor, Buffer.alloc(4096, 0xa5), 0, 4096, (page - 1) * 4096)
    closeSync(descriptor)
    // A commit of another process makes the server read the pages again.
    await runPetstore(['keys', 'create', '--name', 'Other'], { cwd: folder.path })
    const failed = await until(() => server.send('GET', '/v1/pets'), is(503))
    expect(await failed.json()).toMatchObject({
      code: 'storage_unavailable',
      message: expect.stringContaining('damaged'),
    })
    const notReady = await until(server.readyz, is(503))
    expect(await messageOf(notReady)).toContain('damaged')
    expect((await server.send('GET', '/v1/pets/1')).status).toBe(503)
    expect((await server.send('GET', '/v1/accounts/1')).status).toBe(200)
    expect(await faultsLogged(server)).toEqual(['begin malformed'])
  })

  test.skipIf(!injectErrors.isPossible)('a disk that fails to read causes a 503 that names the fault', async () => {
    const server = await serve()
    await server.add('Ada')
    const strace = await injectErrors(server.ready.pid, 'pread64:error=EIO', [file(), file('production.db-wal')])
    cleanups.push(() => strace.stop())
    await runPetstore(['keys', 'create', '--name', 'Other'], { cwd: folder.path })
    const failed = await until(() => server.send('GET', '/v1/pets'), is(503))
    expect(await failed.json()).toMatchObject({
      code: 'storage_unavailable',
      message: expect.stringContaining('reported an error'),
    })
    expect((await server.readyz()).status).toBe(503)
    await strace.stop()
    expect((await server.send('GET', '/v1/pets')).status).toBe(200)
    expect(await faultsLogged(server)).toEqual(['begin disk_error'])
  })

  test.skipIf(!injectErrors.isPossible)(
    'after a failed flush it is unknown whether a change was saved, and a retry adds nothing twice',
    async () => {
      const server = await serve()
      await server.add('Ada')
      const key = { 'Idempotency-Key': 'the same' }
      const [status, message] = await failToFlush(server, () => server.add('Bea', key))
      expect([status, message]).toEqual([
        503,
        'The disk of the database reported an error. It is unknown whether this was saved; send it again with the same Idempotency-Key.',
      ])
      // The pages of the failed commit must not be overwritten before the process has ended.
      await server.kill()
      const names = async (call: ReturnType<typeof client>['send']) =>
        ((await (await call('GET', '/v1/pets')).json()) as { name: string }[]).map(({ name }) => name)
      const second = await serve()
      const { send, add } = client({ ready: { ...second.ready, key: server.key } })
      const found = await names(send)
      const again = await add('Bea', key)
      expect(again.status).toBe(201)
      expect(again.headers.get('idempotent-replayed')).toBe(found.includes('Bea') ? 'true' : null)
      expect(await names(send)).toEqual(['Ada', 'Bea'])
      // The pages were in the log, so that the next process treated them as committed.
      expect(found).toEqual(['Ada', 'Bea'])
    },
  )

  test.skipIf(!injectErrors.isPossible)(
    'a retry in the same process after a failed flush adds nothing twice',
    async () => {
      const server = await serve()
      const strace = await injectErrors(server.ready.pid, 'fsync,fdatasync:error=EIO', [file('production.db-wal')])
      cleanups.push(() => strace.stop())
      const key = { 'Idempotency-Key': 'the same' }
      expect((await server.add('Bea', key)).status).toBe(503)
      expect((await server.add('Bea', key)).status).toBe(503)
      expect((await server.readyz()).status).toBe(503)
      await strace.stop()
      await until(server.readyz, is(200))
      expect((await server.add('Bea', key)).status).toBe(201)
      expect((await server.add('Bea', key)).headers.get('idempotent-replayed')).toBe('true')
      expect(await (await server.send('GET', '/v1/pets')).json()).toHaveLength(1)
      expect(await faultsLogged(server)).toEqual(['begin disk_error', 'end disk_error'])
    },
  )

  test.skipIf(!mountDisk.isPossible)(
    'a full disk is logged once when it is full and once when it has space again',
    async () => {
      const disk = mountDisk(data(), 8_000_000)
      cleanups.push(() => disk.unmount())
      const server = await serve()
      await server.add('Ada')
      const fill = disk.fill()
      const failed = await until(() => server.add('x'.repeat(100)), is(503))
      expect(await messageOf(failed)).toBe(
        'The disk of the database is full. Nothing was changed; free some space on it and try again.',
      )
      for (let i = 0; i < 20; i++) expect((await server.readyz()).status).toBe(503)
      expect((await server.send('GET', '/v1/pets')).status).toBe(200)
      rmSync(fill)
      await until(server.readyz, is(200))
      expect((await server.add('Bea')).status).toBe(201)
      expect(await faultsLogged(server)).toEqual(['begin full', 'end full'])
    },
  )

  test('a lock of another process is reported as busy, and the fault ends with the lock', async () => {
    const server = await serve()
    const other = new Database(file(), { readwrite: true })
    other.run('BEGIN IMMEDIATE')
    const failed = await server.add('Late')
    expect([failed.status, failed.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await messageOf(failed)).toContain('Another process keeps the database locked.')
    other.run('ROLLBACK')
    other.close()
    await until(server.readyz, is(200))
    expect(await faultsLogged(server)).toEqual(['begin busy', 'end busy'])
  })
})
