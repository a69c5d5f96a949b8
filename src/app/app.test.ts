import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import { createManualClock } from '../lib/clock.ts'
import { createLog, silentLog } from '../lib/log.ts'
import { emptyFolder } from '../testing/executable.ts'
import { testHosting, testStart } from '../testing/harness.ts'
import { createApp } from './app.ts'

let folder: ReturnType<typeof emptyFolder>
beforeEach(() => {
  folder = emptyFolder()
})
afterEach(() => folder.remove())

/** A store with a clock that counts the moments at which timers end. */
function openCounted(hosting?: typeof testHosting) {
  const clock = createManualClock(testStart)
  const wakeUps = new Set<number>()
  const config = {
    environment: 'production',
    corsOrigins: [],
    trustedProxies: [],
    hosting,
    self: ['petstore'],
  } as const
  const app = createApp(
    { ...config, databasePath: join(folder.path, 'production.db') },
    {
      ...clock,
      after: (delayMs, task) =>
        clock.after(delayMs, () => {
          wakeUps.add(clock.monotonic())
          task()
        }),
    },
    silentLog,
  )
  /** Lets time pass, and jobs end that began meanwhile. */
  async function pass(ms: number, stepMs = 10): Promise<void> {
    for (let passedMs = 0; passedMs < ms; passedMs += stepMs) {
      clock.advance(stepMs)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  return { app, clock, wakeUps, pass }
}

test('closing waits for the jobs in progress before it closes the database, and then for its own saves', async () => {
  const clock = createManualClock(testStart)
  const logged: string[] = []
  const log = createLog({ level: 'info', json: true, now: () => 0, write: (line) => logged.push(line) })
  const databasePath = join(folder.path, 'production.db')
  const app = createApp({ environment: 'production', databasePath, corsOrigins: [], trustedProxies: [] }, clock, log)
  const deletedMs = clock.now()
  const addDeleted = (id: number) =>
    app.writer.write(() => app.deletedPets.add({ id, name: 'Rex', categoryId: 1, status: 'available' }, deletedMs))
  await addDeleted(1)
  clock.advance(600_000)
  await new Promise((resolve) => setImmediate(resolve))
  clock.advance(10_000)
  while (app.deletedPets.find(1)) await Bun.sleep(1)
  // A job that has removed an animal looks for more a quarter of a second later.
  await addDeleted(2)
  const other = new Database(databasePath)
  other.run('BEGIN IMMEDIATE')
  // It begins to wait for the other process's lock.
  clock.advance(250)
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
  expect(other.query('SELECT id FROM deleted_pets').values()).toEqual([])
  other.close()
})

test.each([undefined, testHosting])(
  'a store that has nothing to do wakes up about once a second and writes nothing',
  async (hosting) => {
    const { app, wakeUps, pass } = openCounted(hosting)
    await pass(5_000)
    const transactions = () => app.writer.batches.sizes.counts.reduce((sum, count) => sum + count, 0)
    const before = transactions()
    wakeUps.clear()
    await pass(60_000, 50)
    expect(wakeUps.size).toBeLessThanOrEqual(75)
    expect(transactions()).toBe(before)
    await app.close()
  },
)
