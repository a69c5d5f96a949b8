import { expect, test } from 'bun:test'
import { runsPerTest, start } from '../../../testing/per-test/limited-runs.ts'
import { issueFirstKey } from '../../keys/issue.ts'
import { saveBans } from './save-bans.ts'
import { saveCounts } from './save-counts.ts'

const { open } = runsPerTest()

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

test('a stop waits for the lock of another process for a second and a half in all, and keeps the counts for the next start', async () => {
  const first = open()
  await issueFirstKey(first.app, 'free')
  const unlock = first.lock()
  first.admit(4)
  const pass = async (ms: number) => {
    for (let passedMs = 0; passedMs < ms; passedMs += 100) {
      first.clock.advance(100)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  // The periodic save begins to wait.
  await pass(1_000)
  const closed = first.app.close()
  await pass(1_500)
  await closed
  unlock()
  const second = open(first.clock.now())
  expect(second.used()).toEqual({ minute: 4, day: 4 })
  await second.app.close()
})

test('requests that are counted during a save are stored by the next save', async () => {
  const first = open()
  await issueFirstKey(first.app, 'free')
  first.admit(3)
  const saving = saveCounts(first.app)
  // In the same transaction, after the counts were read.
  await first.app.writer.write(() => first.admit(2))
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
