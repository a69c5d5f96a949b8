/** Faults of real files under a running server: the compiled executable. */

import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
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
import { isBuilt, makeStore } from '../../testing/executable.ts'
import { faultsLogged, is, messageOf, serversPerTest, until } from '../../testing/per-test/server.ts'

const { folder, data, file, petstore, serve } = serversPerTest()

describe.skipIf(!isBuilt)('a fault of the storage while petstore serves', () => {
  test.each([
    ['production.db', 'file_gone', 'The database file was moved, removed or replaced.'],
    ['production.db-wal', 'log_gone', 'The log of the database (-wal or -shm) was moved or removed.'],
    ['production.db-shm', 'log_gone', 'The log of the database (-wal or -shm) was moved or removed.'],
    ['production.db-serving', 'lock_gone', 'The lock of the database (-serving) was moved, removed or replaced.'],
  ])('writes and readiness fail while %s is moved away', async (name, fault, message) => {
    const server = await serve()
    expect((await server.add('Ada')).status).toBe(201)
    renameSync(file(name), file('elsewhere'))
    const rejected = await server.add('Lost')
    expect(rejected.status).toBe(503)
    expect(rejected.headers.get('retry-after')).toBe('10')
    expect(await messageOf(rejected)).toBe(`${message} Nothing was changed; try again later.`)
    const notReady = await server.readyz()
    expect(notReady.status).toBe(503)
    expect(await messageOf(notReady)).toContain(message)
    expect((await server.send('GET', '/v1/pets')).status).toBe(200)
    renameSync(file('elsewhere'), file(name))
    await until(server.readyz, is(200))
    expect((await server.add('Bea')).status).toBe(201)
    expect(await faultsLogged(server)).toEqual([`begin ${fault}`, `end ${fault}`])
  })

  test('a second server that starts after the lock was deleted is the only one that writes', async () => {
    const first = await serve()
    // Without its socket, nothing shows that the first one runs.
    for (const name of ['production.db-serving', 'production.sock']) rmSync(file(name))
    const second = await serve(first.key)
    expect((await first.add('Lost')).status).toBe(503)
    expect((await second.add('Ada')).status).toBe(201)
    expect(await first.stop()).toBe(0)
    expect((await second.add('Bea')).status).toBe(201)
    expect(await second.names()).toEqual(['Ada', 'Bea'])
  })

  test('a removed data directory is detected, and so is another database in the place of the old one', async () => {
    const server = await serve()
    await server.add('Ada')
    renameSync(data(), `${data()}-old`)
    expect((await server.add('Lost')).status).toBe(503)
    makeStore(folder())
    expect((await petstore('keys', 'create', '--name', 'Other')).code).toBe(0)
    await Bun.sleep(300)
    expect((await server.add('Lost')).status).toBe(503)
    expect(await server.stop()).toBe(1)
    expect((await faultsLogged(server)).filter((line) => line.startsWith('begin'))).toEqual(['begin file_gone'])
  })

  test('if data directory and database are symbolic links, their targets are watched', async () => {
    const [real, other] = [join(folder(), 'real'), join(folder(), 'other')]
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
    const again = await serve(server.key)
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
    const { send } = await serve(server.key)
    expect(await (await send('GET', '/v1/pets')).json()).toHaveLength(1)
  })

  test('damage is named in the log, in /readyz and in responses, stops every write, and makes the exit code 1', async () => {
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
    await petstore('keys', 'create', '--name', 'Other')
    const failed = await until(() => server.send('GET', '/v1/pets'), is(503))
    expect(await failed.json()).toMatchObject({
      code: 'storage_unavailable',
      message: expect.stringContaining('damaged'),
    })
    const notReady = await until(server.readyz, is(503))
    expect(await messageOf(notReady)).toContain('damaged')
    expect((await server.send('GET', '/v1/pets/1')).status).toBe(503)
    // Intact pages can be read, but not written.
    expect((await server.send('GET', '/v1/accounts/1')).status).toBe(200)
    const rejected = await server.send('PATCH', '/v1/accounts/1', { body: { name: 'Lost' } })
    expect([rejected.status, await messageOf(rejected)]).toEqual([
      503,
      'The database file is damaged. Nothing was changed; try again later.',
    ])
    expect(await server.stop()).toBe(1)
    expect(await server.errors).toEndWith(
      'petstore: The database file is damaged. Restore a backup before the next start: petstore backup restore FILE.\n',
    )
    expect((await faultsLogged(server)).filter((line) => line.startsWith('begin'))).toEqual(['begin malformed'])
  })

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
    // A write waits five seconds for the lock.
  }, 20_000)
})
