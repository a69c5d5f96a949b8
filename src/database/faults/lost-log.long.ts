/** The log of a database is deleted under a running server: the compiled executable. */

import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { readdirSync, renameSync, rmSync } from 'node:fs'
import { isBuilt } from '../../testing/executable.ts'
import { faultsLogged, is, messageOf, serversPerTest, type TestServer, until } from '../../testing/per-test/server.ts'
import { openDatabase } from '../open.ts'

const { data, file, petstore, serve } = serversPerTest()

const [log, index] = ['production.db-wal', 'production.db-shm']
/** The animals that are only in the log of the server. */
const added = 250
const addedElsewhere = 2_000

/** A server with animals that are only in its log. */
async function serveAnimals(animals = added): Promise<TestServer> {
  const server = await serve()
  for (let i = 0; i < animals; i++) expect((await server.add(`Animal ${i}`)).status).toBe(201)
  return server
}

/** Adds animals of new categories as another program does, so that pages of many tables change. */
function addElsewhere(): void {
  const other = new Database(file(), { readwrite: true })
  const addCategory = other.query('INSERT INTO categories (id, name, folded_name) VALUES (?1, ?2, ?2)')
  const addAnimal = other.query(
    "INSERT INTO pets (name, folded_name, category_id, status) VALUES (?1, ?1, ?2, 'available')",
  )
  other.transaction(() => {
    for (let id = 101; id <= 100 + addedElsewhere; id++) {
      addCategory.run(id, `category ${id}`)
      addAnimal.run(`animal ${id}`, id)
    }
  })()
  other.close()
}

/** Reads as another program does. Throws if that is impossible. */
function readElsewhere(): void {
  const other = new Database(file(), { readwrite: true })
  try {
    other.query('SELECT count(*) FROM pets').get()
  } finally {
    other.close()
  }
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
    [[index], added + addedElsewhere],
    // The animals that were only in the deleted log are lost.
    [[log, index], addedElsewhere],
  ])('keeps in a stop the animals that another program has added after %j was deleted', async (names, animals) => {
    const server = await serveAnimals()
    for (const name of names) rmSync(file(name))
    addElsewhere()
    await expectNoWrites(server, 'The log of the database (-wal or -shm) was replaced by another process.')
    expect(await server.stop()).toBe(1)
    expect(await server.errors).toContain(`petstore: The log of the database ${file()} was replaced`)
    expect(countAnimals()).toBe(animals)
    await (await serve(server.key)).stop()
    expect(readdirSync(data())).not.toContain(log)
    expect(countAnimals()).toBe(animals)
  })

  test('keeps the animals that another program has added when a second signal ends the stop', async () => {
    const server = await serveAnimals(50)
    for (const name of [log, index]) rmSync(file(name))
    addElsewhere()
    await until(server.readyz, is(503))
    await holdRequest(server.ready.port, server.key)
    server.signal('SIGTERM')
    await until(
      () => fetch(`${server.ready.url}/healthz`).catch(() => new Response()),
      ({ url }) => url === '',
    )
    expect(await server.stop()).toBe(1)
    expect(countAnimals()).toBe(addedElsewhere)
  })

  test.each([
    [[index], 'does not read'],
    [[log, index], 'does not read'],
    [[log, index], 'reads'],
    // The index refers to frames that are not in the new log.
    [[log], 'fails to read'],
  ])('loses nothing in a stop after %j was deleted and another program %s', async (names, other) => {
    const server = await serveAnimals()
    for (const name of names) rmSync(file(name))
    if (other === 'reads') readElsewhere()
    if (other === 'fails to read') expect(readElsewhere).toThrow()
    await expectNoWrites(server, 'The log of the database (-wal or -shm) was moved or removed.')
    expect(await server.stop()).toBe(0)
    expect(countAnimals()).toBe(added)
  })

  test('does not write again when its log is put back after another program has written', async () => {
    const server = await serveAnimals()
    for (const name of [log, index]) renameSync(file(name), file(`old-${name}`))
    addElsewhere()
    await until(server.readyz, is(503))
    for (const name of [log, index]) renameSync(file(`old-${name}`), file(name))
    expect((await server.add('Lost')).status).toBe(503)
    expect((await faultsLogged(server)).at(-1)).toBe('begin log_replaced')
  })
})

test.skipIf(!isBuilt)(
  'a process whose log was replaced fails to close the database, and leaves the changes of others',
  async () => {
    await (await serve()).stop()
    const { connection, close } = openDatabase(file(), 0)
    const add = connection.prepare(
      "INSERT INTO pets (name, folded_name, category_id, status) VALUES ('Rex', 'rex', 1, 'available')",
    )
    for (let i = 0; i < 100; i++) add.run()
    for (const name of [log, index]) rmSync(file(name))
    // In one process SQLite would share the log that was deleted.
    expect((await petstore('demo')).code).toBe(0)
    expect(close).toThrow('was replaced')
    expect(countAnimals()).toBe(300)
  },
)
