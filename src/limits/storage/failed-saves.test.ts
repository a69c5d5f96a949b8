import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import { createApp } from '../../app.ts'
import { issueFirstKey } from '../../keys/issue.ts'
import { createManualClock } from '../../lib/clock.ts'
import { silentLog } from '../../lib/log.ts'
import { emptyFolder } from '../../testing/executable.ts'
import { saveBans } from './save-bans.ts'
import { saveCounts } from './save-counts.ts'

const start = Date.UTC(2026, 10, 20, 12)
const hourMs = 3_600_000

let folder: ReturnType<typeof emptyFolder>
beforeEach(() => {
  folder = emptyFolder()
})
afterEach(() => folder.remove())

/** Opens the application with the same database file and a clock that the test moves. */
function open(nowMs = start) {
  const clock = createManualClock(nowMs)
  const databasePath = join(folder.path, 'production.db')
  const config = { environment: 'production', databasePath, corsOrigins: [], trustedProxies: [] } as const
  const app = createApp(config, clock, silentLog)
  const client = { keyId: 1, accountId: 1, allowance: { perMinute: 60, perDay: 1_000 } }
  const admit = (times = 1) => Array.from({ length: times }, () => app.limiter.admit(client)).at(-1)
  /** Takes the write lock on a second connection, as another process would. Returns the function that releases it. */
  function lock() {
    const other = new Database(databasePath)
    other.run('BEGIN IMMEDIATE')
    return () => other.close()
  }
  /** Lets ten seconds pass, longer than writes wait for a lock, and returns the outcome of `saving`. */
  async function outcomeOf(saving: Promise<unknown>) {
    const result = saving.then(
      () => 'stored',
      () => 'failed',
    )
    for (let i = 0; i < 20; i++) {
      await new Promise((resolve) => setImmediate(resolve))
      clock.advance(500)
    }
    return result
  }
  return { app, clock, client, admit, lock, outcomeOf, used: () => app.limiter.used(client.accountId) }
}

test('after several failed saves, the next save stores every second of the window', async () => {
  const first = open()
  await issueFirstKey(first.app, 'free')
  first.admit(4)
  await saveCounts(first.app)
  const unlock = first.lock()
  for (let i = 0; i < 2; i++) {
    first.clock.advance(2_000)
    first.admit(20)
    expect(await first.outcomeOf(saveCounts(first.app))).toBe('failed')
  }
  unlock()
  expect(first.used()).toEqual({ minute: 44, day: 44 })
  await first.outcomeOf(first.app.close())
  const second = open(first.clock.now())
  expect(second.used()).toEqual({ minute: 44, day: 44 })
  await second.app.close()
})

test('requests that are counted during a save are stored by the next save', async () => {
  const first = open()
  await issueFirstKey(first.app, 'free')
  first.admit(3)
  const saving = saveCounts(first.app)
  first.app.writer.flush()
  first.admit(2)
  await saving
  await saveCounts(first.app)
  expect(first.app.limits.find(1, Math.floor(start / 86_400_000))).toBe(5)
  await first.app.close()
  const second = open(start)
  expect(second.used()).toEqual({ minute: 5, day: 5 })
  await second.app.close()
})

test('a ban that cannot be stored because of a lock applies immediately and is stored later, with one audit entry', async () => {
  const { app, clock, client, lock, outcomeOf } = open()
  await issueFirstKey(app, 'free')
  const small = { ...client, allowance: { perMinute: 1, perDay: 1 } }
  const unlock = lock()
  app.limiter.admit(small)
  app.limiter.admit(small)
  clock.advance(2_001)
  for (let i = 0; i < 20; i++) app.limiter.admit(small)
  const startedAt = clock.now()
  expect(await outcomeOf(saveBans(app))).toBe('failed')
  unlock()
  expect(app.limiter.admit(small)).toBe('key_banned')
  expect(app.keys.bans()).toEqual([])
  expect(await outcomeOf(Promise.all([saveBans(app), saveBans(app)]))).toBe('stored')
  expect(app.keys.bans()).toEqual([{ keyId: 1, startedAt, endsAt: startedAt + 600_000 }])
  expect(app.audit.page({ action: 'key.banned' }, undefined, 100).records).toHaveLength(1)
  expect(app.limiter.bans.unsaved()).toEqual([])
  await outcomeOf(app.close())
})

test('if the clock was an hour fast and is then corrected, the rest of a window delays requests after one restart only', async () => {
  const first = open(start + hourMs)
  await issueFirstKey(first.app, 'free')
  expect(first.admit(60)).toBeUndefined()
  first.clock.advance(50_000)
  first.admit()
  await first.app.close()
  const second = open(start)
  expect(second.admit()).toBe('rate_limit_exceeded')
  expect(second.app.limiter.status.reset).toBe(start / 1000 + 11)
  second.clock.advance(11_000)
  expect(second.admit()).toBeUndefined()
  await second.app.close()
  for (let run = 0; run < 3; run++) {
    const third = open(start + 61_000 + run)
    expect(third.used().minute).toBeLessThanOrEqual(2)
    await third.app.close()
  }
})

test('after a start with a clock beyond February 2106, the limit holds then, and once the clock is right again', async () => {
  for (const nowMs of [Date.UTC(2110, 0, 1), start, start + 48 * hourMs]) {
    const { app, clock, admit } = open(nowMs)
    await issueFirstKey(app, 'free')
    clock.advance(61_000)
    expect([nowMs, admit(60)]).toEqual([nowMs, undefined])
    expect([nowMs, admit()]).toEqual([nowMs, 'rate_limit_exceeded'])
    expect(app.limiter.status.reset).toBe(clock.now() / 1000 + 61)
    await app.close()
  }
})

test('if the clock is set back twice while no server runs, a run without requests in between does not bring a window back', async () => {
  const first = open()
  await issueFirstKey(first.app, 'free')
  first.admit(60)
  await first.app.close()
  for (const nowMs of [start - hourMs, start - hourMs / 2]) await open(nowMs).app.close()
  const last = open(start - hourMs + 1_000)
  expect(last.used().minute).toBe(0)
  await last.app.close()
})

test('while the clock alone cannot be stored, nothing is pending, and it is stored once afterwards', async () => {
  const { app, lock, outcomeOf } = open()
  const unlock = lock()
  expect(await outcomeOf(saveCounts(app))).toBe('stored')
  expect(app.storedLimits.countsPendingMs).toBeUndefined()
  expect(app.limits.clock()).toBeUndefined()
  unlock()
  expect(await outcomeOf(saveCounts(app))).toBe('stored')
  const stored = app.limits.clock()
  expect(stored).toEqual({ offsetMs: 0, savedAt: expect.any(Number) })
  await outcomeOf(saveCounts(app))
  expect(app.limits.clock()).toEqual(stored)
  expect(app.reserve?.content).toBeUndefined()
  await outcomeOf(app.close())
})

test('a window keeps its duration over a clock step and a restart', async () => {
  for (const stepMs of [-5 * hourMs, -999, 999, 40_000, 5 * hourMs]) {
    const first = open()
    await issueFirstKey(first.app, 'free')
    first.clock.advance(200_000)
    first.admit(60)
    await saveCounts(first.app)
    first.clock.setWall(first.clock.now() + stepMs)
    first.clock.advance(1_000)
    await first.app.close()
    const second = open(first.clock.now())
    second.clock.advance(59_000)
    expect([stepMs, second.admit()]).toEqual([stepMs, 'rate_limit_exceeded'])
    second.clock.advance(2_000)
    expect([stepMs, second.admit()]).toEqual([stepMs, undefined])
    await second.app.close()
    folder.remove()
    folder = emptyFolder()
  }
})

test('a ban keeps its duration over clock steps and restarts, and its stored times follow the clock', async () => {
  for (const stepMs of [-5 * hourMs, 5 * hourMs]) {
    const first = open()
    await issueFirstKey(first.app, 'free')
    const small = { ...first.client, allowance: { perMinute: 1, perDay: 1_000 } }
    first.app.limiter.admit(small)
    first.app.limiter.admit(small)
    first.clock.advance(2_001)
    for (let i = 0; i < 20; i++) first.app.limiter.admit(small)
    await saveBans(first.app)
    first.clock.setWall(first.clock.now() + stepMs)
    await saveCounts(first.app)
    expect(first.app.keys.find(1)?.bannedUntil).toBe(first.clock.now() + 600_000)
    first.clock.advance(60_000)
    expect(first.app.limiter.admit(small)).toBe('key_banned')
    await first.app.close()
    const second = open(first.clock.now())
    second.clock.advance(540_000 - 1)
    expect(second.app.limiter.admit(small)).toBe('key_banned')
    second.clock.advance(1)
    expect(second.app.limiter.admit(small)).toBeUndefined()
    await second.app.close()
    folder.remove()
    folder = emptyFolder()
  }
})

test('if the clock is set back while no server runs, a ban lasts at most its duration again, and an ended ban does not return', async () => {
  const first = open()
  await issueFirstKey(first.app, 'free')
  const small = { ...first.client, allowance: { perMinute: 1, perDay: 1_000 } }
  first.app.limiter.admit(small)
  first.app.limiter.admit(small)
  first.clock.advance(2_001)
  for (let i = 0; i < 20; i++) first.app.limiter.admit(small)
  await first.app.close()
  const second = open(start - 5 * hourMs)
  second.clock.advance(600_000 - 1)
  expect(second.app.limiter.admit(small)).toBe('key_banned')
  second.clock.advance(1_001)
  expect(second.app.limiter.admit(small)).toBeUndefined()
  await second.app.close()
  const third = open(start - 10 * hourMs)
  third.clock.advance(61_000)
  expect(third.app.limiter.admit(small)).toBeUndefined()
  await third.app.close()
})

test('the counts of all accounts are stored in transactions of a thousand accounts', async () => {
  const first = open()
  await issueFirstKey(first.app, 'free')
  const { app } = first
  const outcome = await first.outcomeOf(
    app.writer.write(() => {
      for (let i = 0; i < 2_500; i++) {
        app.accounts.add({ name: `Shop ${i}`, plan: 'free', perMinute: null, perDay: null, createdAt: start })
      }
    }),
  )
  expect(outcome).toBe('stored')
  const allowance = { perMinute: 60, perDay: 1_000 }
  const accounts = Array.from({ length: 2_501 }, (_, i) => i + 1)
  for (const id of accounts) app.limiter.admit({ keyId: id, accountId: id, allowance })
  let transactions = 0
  const writer = {
    ...app.writer,
    write<T>(work: () => T) {
      transactions++
      return app.writer.write(work)
    },
  }
  await saveCounts({ ...app, writer })
  expect(transactions).toBe(3)
  await app.close()
  const second = open()
  expect(accounts.filter((id) => second.app.limiter.used(id).minute !== 1)).toEqual([])
  await second.app.close()
})
