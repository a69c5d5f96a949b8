import { expect, test } from 'bun:test'
import { createManualClock } from '../../lib/clock.ts'
import { banDurationMs, type NewBan } from './bans.ts'
import { Limiter } from './limiter.ts'

const start = Date.UTC(2026, 10, 20, 12)
const minuteMs = 60_000
const hourMs = 3_600_000

function setUp() {
  const clock = createManualClock(start)
  const begun: NewBan[] = []
  const limiter = new Limiter({ clock, days: { find: () => 0 }, onBan: (ban) => begun.push(ban) })
  const client = { keyId: 7, accountId: 1, allowance: { perMinute: 1, perDay: 2 } }
  const admit = (keyId = client.keyId) => limiter.admit({ ...client, keyId })
  /** Uses up the day, then keeps sending requests, past the two seconds that do not count. */
  function exhaust(): void {
    admit()
    clock.advance(61_000)
    admit()
    expect(admit()).toBe('daily_quota_exceeded')
    clock.advance(2_001)
  }
  return { clock, limiter, begun, admit, exhaust }
}

test('twenty rejections after the first two seconds ban the key for ten minutes', () => {
  const { clock, limiter, begun, admit, exhaust } = setUp()
  exhaust()
  for (let i = 0; i < 20; i++) expect(admit()).toBe('daily_quota_exceeded')
  expect(begun).toEqual([{ keyId: 7, accountId: 1, startedMs: clock.now(), endsMs: clock.now() + 10 * minuteMs }])
  expect(admit()).toBe('key_banned')
  expect(limiter.status).toMatchObject({ remaining: 0, reset: (start + 12 * hourMs) / 1000 })
})

test('any number of rejections within two seconds of the first do not count', () => {
  const { clock, begun, admit } = setUp()
  admit()
  for (let i = 0; i < 200; i++) {
    expect(admit()).toBe('rate_limit_exceeded')
    clock.advance(10)
  }
  expect(begun).toEqual([])
})

test('an admitted request starts the two seconds anew', () => {
  const { clock, begun, admit } = setUp()
  for (let round = 0; round < 2; round++) {
    expect(admit()).toBeUndefined()
    for (let i = 0; i < 30; i++) {
      expect(admit()).toBeDefined()
      clock.advance(60)
    }
    clock.advance(61_000)
  }
  expect(begun).toEqual([])
})

test('a key that sends 90 requests at once every 5 minutes is never banned, even with sweeps in between', () => {
  const clock = createManualClock(start)
  const limiter = new Limiter({ clock, days: { find: () => 0 }, onBan: () => expect.unreachable() })
  const client = { keyId: 7, accountId: 1, allowance: { perMinute: 60, perDay: 1_000 } }
  for (let burst = 0; burst < 12; burst++) {
    const results = Array.from({ length: 90 }, () => limiter.admit(client))
    expect(results.filter((code) => code === undefined)).toHaveLength(60)
    expect(results.filter((code) => code === 'rate_limit_exceeded')).toHaveLength(30)
    for (let minute = 0; minute < 5; minute++) {
      clock.advance(minuteMs)
      limiter.sweep()
    }
  }
})

test('setting the system clock back or forward neither lengthens nor shortens a ban', () => {
  for (const stepMs of [-5 * hourMs, 5 * hourMs, -999, 999]) {
    const { clock, limiter, admit } = setUp()
    admit()
    admit()
    clock.advance(2_001)
    for (let i = 0; i < 20; i++) admit()
    expect(admit()).toBe('key_banned')
    clock.setWall(clock.now() + stepMs)
    expect(admit()).toBe('key_banned')
    const waitMs = limiter.status.reset * 1000 - clock.now()
    expect(waitMs).toBeGreaterThanOrEqual(10 * minuteMs)
    expect(waitMs).toBeLessThan(10 * minuteMs + 1_000)
    clock.advance(10 * minuteMs - 1)
    expect(admit()).toBe('key_banned')
    clock.advance(1)
    expect(admit()).toBeUndefined()
  }
})

test('setting the clock forward during a burst does not end the two seconds', () => {
  const { clock, begun, admit } = setUp()
  admit()
  admit()
  clock.setWall(clock.now() + hourMs)
  for (let i = 0; i < 100; i++) expect(admit()).toBe('rate_limit_exceeded')
  expect(begun).toEqual([])
})

test('rejections that are spread over more than ten minutes do not cause a ban', () => {
  const { clock, begun, admit, exhaust } = setUp()
  exhaust()
  for (let i = 0; i < 60; i++) {
    expect(admit()).toBe('daily_quota_exceeded')
    clock.advance(31_600)
  }
  expect(begun).toEqual([])
})

test('rejections during a ban do not extend it, and the key is admitted after it', () => {
  const { clock, limiter, begun, admit } = setUp()
  admit()
  admit()
  clock.advance(2_001)
  for (let i = 0; i < 20; i++) admit()
  expect(begun).toHaveLength(1)
  for (let i = 0; i < 100; i++) {
    clock.advance(5_000)
    expect(admit()).toBe('key_banned')
  }
  const { reset, retryAfterSeconds } = limiter.status
  expect(reset).toBe(Math.ceil((begun[0] as NewBan).endsMs / 1000))
  expect(retryAfterSeconds).toBe(Math.ceil(reset - clock.now() / 1000))
  clock.advance(reset * 1000 - clock.now())
  expect(admit()).toBeUndefined()
  expect(begun).toHaveLength(1)
})

test('a ban applies to one key: other keys of the account are limited but not banned', () => {
  const { begun, admit, exhaust } = setUp()
  exhaust()
  for (let i = 0; i < 20; i++) admit()
  expect(begun).toHaveLength(1)
  expect(admit(8)).toBe('daily_quota_exceeded')
})

test('a key whose ban was lifted is not banned', () => {
  const { limiter, admit, exhaust } = setUp()
  exhaust()
  for (let i = 0; i < 20; i++) admit()
  for (const ban of limiter.bans.unsaved()) limiter.bans.markSaved(ban)
  limiter.bans.load([])
  expect(admit()).toBe('daily_quota_exceeded')
})

test('each ban that starts within 24 hours of the last one’s end is twice as long, up to 24 hours', () => {
  const ban = (startedMs: number, durationMs: number) => ({ keyId: 1, startedMs, endsMs: startedMs + durationMs })
  expect(banDurationMs(undefined, 0)).toBe(10 * minuteMs)
  expect(banDurationMs(ban(0, 10 * minuteMs), 10 * minuteMs + 24 * hourMs)).toBe(20 * minuteMs)
  expect(banDurationMs(ban(0, 10 * minuteMs), 10 * minuteMs + 24 * hourMs + 1)).toBe(10 * minuteMs)
  expect(banDurationMs(ban(0, 20 * hourMs), 21 * hourMs)).toBe(24 * hourMs)
  expect(banDurationMs(ban(0, 24 * hourMs), 25 * hourMs)).toBe(24 * hourMs)
})

test('an admission ends the rejections before it, even after an idle time in which the window was removed from memory', () => {
  const { clock, admit, begun } = setUp()
  admit()
  expect(admit()).toBe('rate_limit_exceeded')
  clock.advance(3_000)
  for (let i = 0; i < 19; i++) admit()
  clock.advance(62_000)
  expect(admit()).toBeUndefined()
  clock.advance(70_000)
  // The first rejection after an admission does not count.
  expect([admit(), begun.length]).toEqual(['daily_quota_exceeded', 0])
  clock.advance(3_000)
  expect([admit(), begun.length]).toEqual(['daily_quota_exceeded', 1])
})
