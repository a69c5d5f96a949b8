import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { isBuilt } from '../../testing/executable.ts'
import { mountDisk } from '../../testing/faults.ts'
import { is, messageOf, serversPerTest, type TestServer, until } from '../../testing/per-test/server.ts'

const { data, petstore, serve, cleanUp } = serversPerTest()

const count = async ({ send }: TestServer) =>
  ((await (await send('GET', '/v1/pets/count')).json()) as { count: number }).count

async function untilCount(server: TestServer, isReached: (count: number) => boolean): Promise<void> {
  while (!isReached(await count(server))) await Bun.sleep(10)
}

const rows = 150_000

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

  test('an import in the middle says that what it has added will be removed, and then nothing of it remains', async () => {
    const { disk, server } = await serveOnDisk()
    const importing = importMany(server)
    await untilCount(server, (found) => found > 1_000)
    const filler = disk.fill()
    const response = await importing
    expect([response.status, await messageOf(response)]).toEqual([
      503,
      'The disk of the database is full. The part that was saved will be removed as soon as there is space; free some on it and try again.',
    ])
    expect(await count(server)).toBeGreaterThan(1_000)
    rmSync(filler)
    await until(server.readyz, is(200))
    await untilCount(server, (found) => found === 0)
    await until(() => server.send('GET', '/v1/imports/1'), is(404))
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

  test('an undo in the middle says that a part of it was done, and is finished by a second one', async () => {
    const { disk, server: first } = await serveOnDisk()
    expect((await importMany(first)).status).toBe(201)
    // The log of a server that has imported has space that the undo would use again.
    await first.stop()
    const server = await serve(first.key)
    const undoing = server.send('DELETE', '/v1/imports/1')
    await untilCount(server, (found) => found < rows)
    const filler = disk.fill()
    const response = await undoing
    expect([response.status, await messageOf(response)]).toEqual([
      503,
      'The disk of the database is full. A part of this was done; free some space on it and try again to finish it.',
    ])
    rmSync(filler)
    await until(server.readyz, is(200))
    expect(await count(server)).toBeGreaterThan(0)
    expect((await server.send('DELETE', '/v1/imports/1')).status).toBe(200)
    expect(await count(server)).toBe(0)
  }, 60_000)

  test('so does the undo of a command', async () => {
    const { disk, server } = await serveOnDisk()
    expect((await importMany(server)).status).toBe(201)
    await server.stop()
    const undo = () => petstore('pets', 'import', '--undo', '1')
    const undoing = undo()
    const stored = new Database(join(data(), 'production.db'), { readonly: true })
    const left = () => stored.query<{ found: number }, []>('SELECT count(*) AS found FROM pets').get()?.found ?? 0
    while (left() === rows) await Bun.sleep(5)
    const filler = disk.fill()
    expect(await undoing).toEqual({
      code: 1,
      out: '',
      err: expect.stringContaining('A part of this was done; free some space on it and try again to finish it.\n'),
    })
    rmSync(filler)
    expect((await undo()).code).toBe(0)
    expect(left()).toBe(0)
    stored.close()
  }, 60_000)
})
