/**
 * The reference for durable POSTs: what every API that stores an animal does at least. It reads the URL and two
 * headers, parses the body, adds a row to a table with the indexes of animals, flushes the log once for all requests of
 * a turn, and changes five headers of the response. It has no keys, limits, rules, search or totals.
 *
 *     bun bench/raw-store.ts DATABASE ANIMALS '{"status":201,"headers":{},"body":""}'
 */

import { Database } from 'bun:sqlite'
import { fdatasync, fdatasyncSync, openSync } from 'node:fs'

interface Animal {
  readonly name: string
  readonly categoryId: number
}

interface Waiting {
  readonly animal: Animal
  readonly resolve: (id: number | bigint) => void
}

const [, , path = '', animals, created = ''] = process.argv
const database = new Database(path)
database.run('PRAGMA journal_mode = WAL')
database.run('PRAGMA synchronous = NORMAL')
database.run(
  'CREATE TABLE pets (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, category_id INTEGER NOT NULL, status TEXT NOT NULL)',
)
database.run('CREATE INDEX pets_by_status ON pets (status)')
database.run('CREATE INDEX pets_by_category_and_status ON pets (category_id, status)')
const insert = database.prepare("INSERT INTO pets (name, category_id, status) VALUES (?1, ?2, 'available')")
const add = ({ name, categoryId }: Animal) => insert.run(name, categoryId).lastInsertRowid
database.transaction(() => {
  for (let i = 0; i < Number(animals); i++) add({ name: 'Honeysuckle', categoryId: 1 + (i % 6) })
})()
const log = openSync(`${path}-wal`, 'r+')
// The next response copies the headers from this one, which is faster than from an object.
const last = new Response(null, JSON.parse(created))
let queue: Waiting[] = []
let isScheduled = false
let requests = 0

function schedule(): void {
  if (!isScheduled && queue.length > 0) setImmediate(store)
  isScheduled = queue.length > 0
}

function store(): void {
  const batch = queue
  queue = []
  const ids = database.transaction(() => batch.map(({ animal }) => add(animal))).immediate()
  const finish = () => {
    for (const [i, { resolve }] of batch.entries()) resolve(ids[i] as number)
    isScheduled = false
    schedule()
  }
  // Another thread would cost a single client more than it saves.
  if (batch.length > 1) {
    fdatasync(log, finish)
    return
  }
  fdatasyncSync(log)
  finish()
}

async function respond(request: Request): Promise<Response> {
  const { headers, url } = request
  if (headers.get('authorization') === '' || headers.get('content-type') === '' || url === '') return Response.error()
  const animal = (await request.json()) as Animal
  const { promise, resolve } = Promise.withResolvers<number | bigint>()
  queue.push({ animal, resolve })
  schedule()
  const body = JSON.stringify({ id: await promise, ...animal, status: 'available' })
  const remaining = 1e9 - ++requests
  last.headers.set('X-Request-Id', `req_0123456789abcdef${requests.toString(36)}`)
  last.headers.set('X-RateLimit-Remaining', String(remaining))
  last.headers.set('RateLimit', `"minute";r=${remaining};t=60, "day";r=${remaining};t=86400`)
  last.headers.set('Location', `/v1/pets/${remaining}`)
  last.headers.set('ETag', `"${Bun.hash(body).toString(36)}"`)
  return new Response(body, last)
}

const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: respond })
console.log(server.port)
