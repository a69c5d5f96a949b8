import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import { createApp } from './app.ts'
import { createManualClock } from './lib/clock.ts'
import { createLog } from './lib/log.ts'
import { emptyFolder } from './testing/executable.ts'
import { testStart } from './testing/harness.ts'

let folder: ReturnType<typeof emptyFolder>
beforeEach(() => {
  folder = emptyFolder()
})
afterEach(() => folder.remove())

test('closing waits for the jobs in progress before it closes the database, and then for its own saves', async () => {
  const clock = createManualClock(testStart)
  const logged: string[] = []
  const log = createLog({ level: 'info', json: true, now: () => 0, write: (line) => logged.push(line) })
  const databasePath = join(folder.path, 'production.db')
  const app = createApp({ environment: 'production', databasePath, corsOrigins: [], trustedProxies: [] }, clock, log)
  await app.writer.write(() => app.pets.add({ name: 'Rex', categoryId: 1, status: 'available' }))
  const other = new Database(databasePath)
  other.run('BEGIN IMMEDIATE')
  // The indexing job begins to wait for the other process's lock.
  clock.advance(100)
  await new Promise((resolve) => setImmediate(resolve))
  let isClosed = false
  const closed = app.close().then(() => {
    isClosed = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  expect(isClosed).toBe(false)
  other.run('COMMIT')
  clock.advance(100)
  await closed
  expect(logged).toEqual([])
  expect(other.query('SELECT last_pet_id FROM pet_progress').values()).toEqual([[1], [1]])
  other.close()
})
