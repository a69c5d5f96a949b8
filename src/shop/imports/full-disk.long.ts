import { describe, expect, test } from 'bun:test'
import { rmSync, statSync, truncateSync } from 'node:fs'
import { isBuilt } from '../../testing/executable.ts'
import { mountDisk } from '../../testing/faults.ts'
import { is, messageOf, serversPerTest, type TestServer, until } from '../../testing/per-test/server.ts'

const { data, serve, cleanUp } = serversPerTest()

const count = async ({ send }: TestServer) =>
  ((await (await send('GET', '/v1/pets/count')).json()) as { count: number }).count

const rows = 100_000

function importMany({ ready: { url }, key }: TestServer): Promise<Response> {
  const body = `name,category\n${Array.from({ length: rows }, (_, i) => `Rex ${i},Newt\n`).join('')}`
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'text/csv' }
  return fetch(`${url}/v1/imports`, { method: 'POST', headers, body })
}

describe.skipIf(!isBuilt || !mountDisk.isPossible)('on a disk that becomes full', () => {
  async function serveOnDisk() {
    const disk = mountDisk(data(), 80_000_000)
    cleanUp(() => disk.unmount())
    return { disk, server: await serve() }
  }

  /** Fills the disk but for a megabyte. */
  function fillAlmost(disk: ReturnType<typeof mountDisk>): string {
    const filler = disk.fill()
    truncateSync(filler, statSync(filler).size - 1_048_576)
    return filler
  }

  const message = 'The disk of the database is full. Nothing was changed; free some space on it and try again.'

  test('an import that does not fit changes nothing', async () => {
    const { disk, server } = await serveOnDisk()
    const filler = fillAlmost(disk)
    const response = await importMany(server)
    expect([response.status, await messageOf(response)]).toEqual([503, message])
    rmSync(filler)
    await until(server.readyz, is(200))
    expect(await count(server)).toBe(0)
    expect(await (await server.send('GET', '/v1/imports')).json()).toEqual([])
  }, 60_000)

  test('a file is checked while nothing can be written', async () => {
    const { disk, server } = await serveOnDisk()
    disk.fill()
    await until(() => server.add('Rex'), is(503))
    const headers = { Authorization: `Bearer ${server.key}`, 'Content-Type': 'text/csv' }
    const body = 'name,category\nAda,Newt\n'
    const checked = await fetch(`${server.ready.url}/v1/imports?dryRun=true`, { method: 'POST', headers, body })
    expect([checked.status, await checked.json()]).toMatchObject([200, { imported: 1, newCategories: ['Newt'] }])
  }, 60_000)

  test('an undo that does not fit changes nothing, and succeeds when there is space', async () => {
    const { disk, server: first } = await serveOnDisk()
    expect((await importMany(first)).status).toBe(201)
    // The log of a server that has imported has space that the undo would use again.
    await first.stop()
    const server = await serve(first.key)
    const filler = fillAlmost(disk)
    const response = await server.send('DELETE', '/v1/imports/1')
    expect([response.status, await messageOf(response)]).toEqual([503, message])
    expect(await count(server)).toBe(rows)
    rmSync(filler)
    await until(server.readyz, is(200))
    expect((await server.send('DELETE', '/v1/imports/1')).status).toBe(200)
    expect(await count(server)).toBe(0)
  }, 60_000)
})
