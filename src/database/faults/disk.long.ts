/** Faults of real disks under a running server: the compiled executable, strace and tmpfs. */

import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { isBuilt } from '../../testing/executable.ts'
import { injectErrors, mountDisk } from '../../testing/faults.ts'
import { faultsLogged, is, messageOf, serversPerTest, type TestServer, until } from '../../testing/per-test/server.ts'

const { data, file, serve, cleanUp } = serversPerTest()

/** Lets every flush of the log fail until the process has exited. */
async function failFlushes(server: TestServer): Promise<void> {
  const strace = await injectErrors(server.ready.pid, 'fsync,fdatasync:error=EIO', [file('production.db-wal')])
  cleanUp(() => strace.stop())
}

/** A command that runs a start in which every flush of the log fails. */
const failingFlushes = () => [
  'strace',
  '-f',
  '-o',
  '/dev/null',
  '-P',
  file('production.db-wal'),
  '-e',
  'inject=fsync,fdatasync:error=EIO',
]

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
    // A commit of another program makes the server read the pages again.
    const other = new Database(file(), { readwrite: true })
    other.run("INSERT INTO pets (name, folded_name, category_id, status) VALUES ('Other', 'other', 1, 'available')")
    other.close()
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

  // After this many changes in a row of one client, the log is flushed in the event loop (`log.ts`).
  test.skipIf(!injectErrors.isPossible).each([0, 80])(
    'after a failed flush the process exits with 1, and the next start loses nothing, also in a loss of power (%d changes before)',
    async (changes) => {
      const log = file('production.db-wal')
      const server = await serve()
      for (let i = 0; i < changes; i++) expect((await server.add(`Animal ${i}`)).status).toBe(201)
      expect((await server.add('Ada')).status).toBe(201)
      const flushed = readFileSync(log)
      await failFlushes(server)
      const key = { 'Idempotency-Key': 'the same' }
      expect((await server.add('Bea', key)).status).toBe(503)
      expect(await server.process.exited).toBe(1)
      expect(await server.errors).toContain('petstore: The disk of the database failed to write a change')
      // The disk has only what was flushed; the system's memory has more, and shows it to the next start.
      const shown = readFileSync(log)
      expect(shown.length).toBeGreaterThan(flushed.length)
      const next = await serve(server.key)
      expect((await next.add('Cleo')).status).toBe(201)
      await next.kill()
      // The power fails: in a log that was not begun anew, the frames that were not flushed are missing.
      const image = readFileSync(log)
      if (image.subarray(0, 32).equals(shown.subarray(0, 32))) image.fill(0, flushed.length, shown.length)
      writeFileSync(log, image)
      rmSync(file('production.db-shm'))
      const last = await serve(server.key)
      const newest = async (): Promise<string[]> =>
        (await (await last.send('GET', '/v1/pets?order=desc&limit=3')).json()).map(({ name }: { name: string }) => name)
      expect(await newest()).toContain('Ada')
      expect(await newest()).toContain('Cleo')
      expect((await last.add('Bea', key)).status).toBe(201)
      expect((await newest()).sort()).toEqual(['Ada', 'Bea', 'Cleo'])
    },
  )

  test.skipIf(!injectErrors.isPossible)(
    'a start that cannot move the log into the file serves reads only',
    async () => {
      const first = await serve()
      await first.add('Ada')
      await first.kill()
      const onlyReads = await serve(first.key, failingFlushes())
      expect(await onlyReads.names()).toEqual(['Ada'])
      const rejected = await onlyReads.add('Bea')
      expect([rejected.status, await messageOf(rejected)]).toEqual([
        503,
        'The disk of the database reported an error. Nothing was changed; try again later.',
      ])
      expect((await onlyReads.readyz()).status).toBe(503)
      expect((await faultsLogged(onlyReads))[0]).toBe('begin disk_error')
      const again = await serve(first.key)
      expect((await again.add('Cleo')).status).toBe(201)
      expect((await again.names()).sort()).toEqual(['Ada', 'Cleo'])
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
