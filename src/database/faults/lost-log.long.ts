/** The log of a database is deleted under a running server: the compiled executable. */

import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isBuilt } from '../../testing/executable.ts'
import { faultsLogged, is, messageOf, serversPerTest, type TestServer, until } from '../../testing/per-test/server.ts'
import { openDatabase } from '../open.ts'

const { folder, data, file, petstore, serve } = serversPerTest()

const [log, index] = ['production.db-wal', 'production.db-shm']
/** The animals that are only in the log of the server. */
const added = 250
const imported = 2_000

/** A server with animals that are only in its log. */
async function serveAnimals(animals = added): Promise<TestServer> {
  const server = await serve()
  for (let i = 0; i < animals; i++) expect((await server.add(`Animal ${i}`)).status).toBe(201)
  return server
}

/** Imports animals of new categories, so that pages of many tables change. */
async function importAnimals(): Promise<void> {
  const rows = Array.from({ length: imported }, (_, i) => `Imported animal ${i},Category ${i}`)
  writeFileSync(join(folder(), 'animals.csv'), ['name,category', ...rows].join('\n'))
  expect((await petstore('pets', 'import', 'animals.csv')).code).toBe(0)
}

/** The number of animals in a database of which nothing is damaged. */
function countAnimals(): number {
  const connection = new Database(file(), { readwrite: true })
  try {
    expect(connection.query('PRAGMA integrity_check').values()).toEqual([['ok']])
    return connection.query<{ animals: number }, []>('SELECT count(*) AS animals FROM pets').get()?.animals ?? 0
  } finally {
    connection.close(true)
  }
}

async function expectNoWrites(server: TestServer, message: string): Promise<void> {
  const rejected = await server.add('Lost')
  expect(rejected.status).toBe(503)
  expect(await messageOf(rejected)).toContain(message)
  expect((await server.readyz()).status).toBe(503)
}

/** Begins a request whose body does not arrive, which delays a stop. */
async function holdRequest(port: number, key: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const request = `POST /v1/imports?dryRun=true HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: text/csv\r\nContent-Length: 9\r\n\r\nname`
  await Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      open: (connection) => void connection.write(`GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n${request}`),
      data: () => resolve(),
    },
  })
  await promise
}

describe.skipIf(!isBuilt)('a server whose log was deleted', () => {
  test.each([
    [[index], added + imported],
    // The animals that were only in the deleted log are lost.
    [[log, index], imported],
  ])('keeps in a stop the animals that a command has added after %j was deleted', async (names, animals) => {
    const server = await serveAnimals()
    for (const name of names) rmSync(file(name))
    await importAnimals()
    await expectNoWrites(server, 'The log of the database (-wal or -shm) was replaced by another process.')
    expect(await server.stop()).toBe(1)
    expect(await server.errors).toContain(`petstore: The log of the database ${file()} was replaced`)
    expect(countAnimals()).toBe(animals)
    await (await serve(server.key)).stop()
    expect(readdirSync(data())).not.toContain(log)
    expect(countAnimals()).toBe(animals)
  })

  test('keeps the animals that a command has added when a second signal ends the stop', async () => {
    const server = await serveAnimals(50)
    for (const name of [log, index]) rmSync(file(name))
    await importAnimals()
    await until(server.readyz, is(503))
    await holdRequest(server.ready.port, server.key)
    server.signal('SIGTERM')
    await until(
      () => fetch(`${server.ready.url}/healthz`).catch(() => new Response()),
      ({ url }) => url === '',
    )
    expect(await server.stop()).toBe(1)
    expect(countAnimals()).toBe(imported)
  })

  test.each([
    [[index], undefined],
    [[log, index], undefined],
    [[log, index], 0],
    // The index refers to frames that are not in the new log.
    [[log], 1],
  ])('loses nothing in a stop after %j was deleted and a command that reads exited with %p', async (names, code) => {
    const server = await serveAnimals()
    for (const name of names) rmSync(file(name))
    if (code !== undefined) expect((await petstore('pets', 'export')).code).toBe(code)
    await expectNoWrites(server, 'The log of the database (-wal or -shm) was moved or removed.')
    expect(await server.stop()).toBe(0)
    expect(countAnimals()).toBe(added)
  })

  test('does not write again when its log is put back after a command has written', async () => {
    const server = await serveAnimals()
    for (const name of [log, index]) renameSync(file(name), file(`old-${name}`))
    await importAnimals()
    await until(server.readyz, is(503))
    for (const name of [log, index]) renameSync(file(`old-${name}`), file(name))
    expect((await server.add('Lost')).status).toBe(503)
    expect((await faultsLogged(server)).at(-1)).toBe('begin log_replaced')
  })
})

test.skipIf(!isBuilt)('a command whose log was replaced fails, and leaves the changes of other processes', async () => {
  await (await serve()).stop()
  const { connection, close } = openDatabase(file(), 0)
  const add = connection.prepare(
    "INSERT INTO pets (name, folded_name, category_id, status) VALUES ('Rex', 'rex', 1, 'available')",
  )
  for (let i = 0; i < 100; i++) add.run()
  for (const name of [log, index]) rmSync(file(name))
  await importAnimals()
  expect(close).toThrow('was replaced')
  expect(countAnimals()).toBe(imported)
})
