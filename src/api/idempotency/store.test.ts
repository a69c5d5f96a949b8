import { afterEach, beforeEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import { removalJobs } from '../../app/removals.ts'
import { type OpenDatabase, openDatabase } from '../../database/open.ts'
import { createManualClock } from '../../lib/clock.ts'
import { emptyFolder } from '../../testing/executable.ts'
import { createIdempotencyStore } from './store.ts'

let folder: ReturnType<typeof emptyFolder>
let database: OpenDatabase
beforeEach(() => {
  folder = emptyFolder()
  database = openDatabase(join(folder.path, 'store.db'), 0)
})
afterEach(() => {
  database.close()
  folder.remove()
})

const request = Buffer.alloc(32)
const response = { accountId: 1, request, status: 201, body: '{"id":1}', etag: '"a"', location: '/v1/pets/1' }

function addResponses(count: number, createdAt: number): void {
  const store = createIdempotencyStore(database.tables)
  database.connection.transaction(() => {
    for (let i = 0; i < count; i++) store.add({ ...response, key: `${createdAt}-${Bun.randomUUIDv7()}`, createdAt })
  })()
}

const countResponses = () =>
  database.connection.query<{ n: number }, []>('SELECT count(*) AS n FROM idempotent_answers').get()?.n

test('a step ends when its time is over, and deletes only responses that are old enough', () => {
  let elapsedMs = 0
  const store = createIdempotencyStore(database.tables, { ...createManualClock(0), monotonic: () => elapsedMs++ })
  addResponses(1_000, 10)
  addResponses(7, 11)
  store.deleteUntil(10, 3)
  expect(countResponses()).toBe(1_007 - 150)
  store.deleteUntil(10, 1_000)
  expect(countResponses()).toBe(7)
  expect([store.hasUntil(10), store.hasUntil(11)]).toEqual([false, true])
})

test('the job deletes them in steps, then waits', async () => {
  let elapsedMs = 0
  const clock = { ...createManualClock(0), monotonic: () => elapsedMs++ }
  const storedResponses = createIdempotencyStore(database.tables, clock)
  const writeRepeatable = async <T>(work: () => T): Promise<T> => database.connection.transaction(work).immediate()
  const parts = { storedResponses, events: {}, deletedPets: {}, cutoff: () => 0, writer: { writeRepeatable } }
  const job = removalJobs(parts as never).find(({ name }) => name === 'delete old stored responses')
  if (!job) throw new Error('there is no job')
  addResponses(120, 0)
  const left: unknown[] = []
  do {
    await job.run(new AbortController().signal)
    left.push(countResponses())
  } while (job.idleMs?.() === undefined)
  expect(left).toEqual([70, 20, 0, 0])
})
