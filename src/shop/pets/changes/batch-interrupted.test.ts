import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { writeTimeoutMs } from '../../../database/writer.ts'
import { storePerTest } from '../../../testing/per-test/store.ts'

const opened = storePerTest()

test('a batch that another process interrupts says that part of it was done', async () => {
  const { store, databasePath } = opened
  const ids = Array.from({ length: 60 }, (_, i) => i + 1)
  for (const id of ids) await store.call('POST', '/v1/pets', { body: { name: `Rex ${id}`, categoryId: 1 } })
  const other = new Database(databasePath, { readwrite: true })
  const { pets } = store.app
  const { update } = pets
  pets.update = (...parameters) => {
    pets.update = update
    // After the first transaction, and before the second.
    setImmediate(() => other.run('BEGIN IMMEDIATE'))
    return update(...parameters)
  }
  const changing = store.call('POST', '/v1/pets/batch', { body: { ids, change: { status: 'sold' } } })
  let isDone = false
  void changing.then(() => (isDone = true))
  while (!isDone) {
    await new Promise((resolve) => setImmediate(resolve))
    if (other.inTransaction) store.clock.advance(writeTimeoutMs / 10)
  }
  const { status, json } = await changing
  other.close()
  // Writes of jobs wait for their next attempt.
  store.clock.advance(1_000)
  await new Promise((resolve) => setImmediate(resolve))
  expect([status, json.message]).toEqual([
    503,
    'Another process keeps the database locked. A part of this was done; try again later to finish it.',
  ])
  expect((await store.call('GET', '/v1/pets/count?status=sold')).json.count).toBe(20)
})
