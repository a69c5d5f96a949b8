import { expect, test } from 'bun:test'
import { runsPerTest, start } from '../../testing/per-test/limited-runs.ts'
import { issueFirstKey } from '../keys/issue.ts'

const { open } = runsPerTest()

test('after several failed saves, the next save stores every second of the window', async () => {
  const first = open()
  await issueFirstKey(first.app, { plan: 'free' })
  first.admit(4)
  await first.app.savedLimiter.saveCounts()
  const unlock = first.lock()
  for (let i = 0; i < 2; i++) {
    first.clock.advance(2_000)
    first.admit(20)
    expect(await first.outcomeOf(first.app.savedLimiter.saveCounts())).toBe('failed')
  }
  unlock()
  expect(first.used()).toEqual({ minute: 44, day: 44 })
  await first.outcomeOf(first.app.close())
  const second = open(first.clock.now())
  expect(second.used()).toEqual({ minute: 44, day: 44 })
  await second.app.close()
})

test('a stop waits for the lock of another process for a second and a half in all, and then loses the unsaved counts', async () => {
  const first = open()
  await issueFirstKey(first.app, { plan: 'free' })
  first.admit(4)
  await first.app.savedLimiter.saveCounts()
  const unlock = first.lock()
  first.admit(2)
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
  await issueFirstKey(first.app, { plan: 'free' })
  first.admit(3)
  const saving = first.app.savedLimiter.saveCounts()
  // In the same transaction, after the counts were read.
  await first.app.writer.write(() => first.admit(2))
  await saving
  await first.app.savedLimiter.saveCounts()
  expect(first.app.limits.find(1, Math.floor(start / 86_400_000))).toBe(5)
  await first.app.close()
  const second = open(start)
  expect(second.used()).toEqual({ minute: 5, day: 5 })
  await second.app.close()
})

test('a ban that cannot be stored because of a lock applies immediately and is stored later, with one audit entry', async () => {
  const { app, clock, client, lock, outcomeOf } = open()
  await issueFirstKey(app, { plan: 'free' })
  const small = { ...client, allowance: { perMinute: 1, perDay: 1 } }
  const unlock = lock()
  app.limiter.admit(small)
  app.limiter.admit(small)
  clock.advance(2_001)
  for (let i = 0; i < 20; i++) app.limiter.admit(small)
  const startedAt = clock.now()
  expect(await outcomeOf(app.savedLimiter.saveBans())).toBe('failed')
  unlock()
  expect(app.limiter.admit(small)).toBe('key_banned')
  expect(app.keys.bans()).toEqual([])
  expect(await outcomeOf(Promise.all([app.savedLimiter.saveBans(), app.savedLimiter.saveBans()]))).toBe('stored')
  expect(app.keys.bans()).toEqual([{ keyId: 1, startedAt, endsAt: startedAt + 600_000 }])
  expect(app.audit.page({ action: 'key.banned' }, undefined, 100).records).toHaveLength(1)
  expect(app.limiter.bans.unsaved()).toEqual([])
  await outcomeOf(app.close())
})

test('the clock is saved once without requests, as soon as that is possible', async () => {
  const { app, lock, outcomeOf } = open()
  const unlock = lock()
  expect(await outcomeOf(app.savedLimiter.saveCounts())).toBe('failed')
  expect(app.limits.clock()).toBeUndefined()
  unlock()
  expect(await outcomeOf(app.savedLimiter.saveCounts())).toBe('stored')
  const stored = app.limits.clock()
  expect(stored).toMatchObject({ offsetMs: 0, savedAt: expect.any(Number) })
  await outcomeOf(app.savedLimiter.saveCounts())
  expect(app.limits.clock()).toEqual(stored)
  await outcomeOf(app.close())
})

test('the counts of all accounts are stored in transactions of a thousand accounts', async () => {
  const first = open()
  await issueFirstKey(first.app, { plan: 'free' })
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
  const transactions = () => app.writer.batches.sizes.counts.reduce((sum, count) => sum + count)
  const before = transactions()
  await app.savedLimiter.saveCounts()
  expect(transactions() - before).toBe(3)
  await app.close()
  const second = open()
  expect(accounts.filter((id) => second.app.limiter.used(id).minute !== 1)).toEqual([])
  await second.app.close()
})
