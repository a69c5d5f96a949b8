/** Faults of real disks under a running server: the compiled executable, strace and tmpfs. */

import { describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { isBuilt } from '../../testing/executable.ts'
import { injectErrors, mountDisk } from '../../testing/faults.ts'
import { faultsLogged, is, messageOf, serversPerTest, type TestServer, until } from '../../testing/per-test/server.ts'

const { data, file, petstore, serve, cleanUp } = serversPerTest()

/**
 * Sends a request whose flush fails; resolves to its status and message. If the flush of a job of the server fails before,
 * the log is repaired and the next attempt made: until then every request fails, and has changed nothing.
 */
async function failToFlush(server: TestServer, request: () => Promise<Response>) {
  for (let attempt = 1; ; attempt++) {
    const strace = await injectErrors(server.ready.pid, 'fsync,fdatasync:error=EIO', [file('production.db-wal')])
    cleanUp(() => strace.stop())
    const response = await request()
    const message = await messageOf(response)
    if (!message.includes('Nothing was changed') || attempt === 5) return [response.status, message] as const
    await strace.stop()
    await until(server.readyz, is(200))
  }
}

describe.skipIf(!isBuilt)('a fault of the disk while petstore serves', () => {
  test.skipIf(!injectErrors.isPossible)(
    'a disk that fails to write the database file loses nothing of the log',
    async () => {
      const server = await serve()
      const strace = await injectErrors(server.ready.pid, 'pwrite64,fsync,fdatasync:error=EIO', [file()])
      cleanUp(() => strace.stop())
      for (const name of ['Ada', 'Bea']) expect((await server.add(name)).status).toBe(201)
      expect(await server.stop()).toBe(0)
      const { send } = await serve(server.key)
      expect(await (await send('GET', '/v1/pets')).json()).toHaveLength(2)
    },
  )

  test.skipIf(!injectErrors.isPossible)('a disk that fails to read causes a 503 that names the fault', async () => {
    const server = await serve()
    await server.add('Ada')
    const strace = await injectErrors(server.ready.pid, 'pread64:error=EIO', [file(), file('production.db-wal')])
    cleanUp(() => strace.stop())
    await petstore('keys', 'create', '--name', 'Other')
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
      const { names, add } = await serve(server.key)
      const found = await names()
      const again = await add('Bea', key)
      expect(again.status).toBe(201)
      expect(again.headers.get('idempotent-replayed')).toBe(found.includes('Bea') ? 'true' : null)
      expect(await names()).toEqual(['Ada', 'Bea'])
      // The pages were in the log, so that the next process treated them as committed.
      expect(found).toEqual(['Ada', 'Bea'])
    },
  )

  test.skipIf(!injectErrors.isPossible)(
    'a retry in the same process after a failed flush adds nothing twice',
    async () => {
      const server = await serve()
      const strace = await injectErrors(server.ready.pid, 'fsync,fdatasync:error=EIO', [file('production.db-wal')])
      cleanUp(() => strace.stop())
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
      cleanUp(() => disk.unmount())
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
})
