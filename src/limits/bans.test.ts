import { expect, test } from 'bun:test'
import { createManualClock } from '../lib/clock.ts'
import { type Ban, banDurationMs } from './bans.ts'
import { Limiter } from './limiter.ts'

const start = Date.UTC(2026, 10, 20, 12)
const minuteMs = 60_000
const hourMs = 3_600_000

function setUp() {
  const clock = createManualClock(start)
  const begun: Ban[] = []
  const limiter = new Limiter({ clock, days: { find: () => 0 }, onBan: (ban) => begun.push(ban) })
  const client = { keyId: 7, accountId: 1, allowance: { perMinute: 1, perDay: 2 } }
  const admit = (keyId = client.keyId) => limiter.admit({ ...client, keyId })
  /** Uses up the day, then asks on, past the two seconds that are forgiven. */
  function exhaust(): void {
    admit()
    clock.advance(61_000)
    admit()
    expect(admit()).toBe('daily_quota_exceeded')
    clock.advance(2_001)
  }
  return { clock, limiter, begun, admit, exhaust }
}

test('twenty refusals after the first two seconds ban the key for ten minutes', () => {
  const { clock, limiter, begun, admit, exhaust } = setUp()
  exhaust()
  for (let i = 0; i < 20; i++) expect(admit()).toBe('daily_quota_exceeded')
  expect(begun).toEqual([{ keyId: 7, startedAt: clock.now(), endsAt: clock.now() + 10 * minuteMs }])
  expect(admit()).toBe('key_banned')
  expect(limiter.status).toMatchObject({ remaining: 0, reset: (start + 12 * hourMs) / 1000 })
})

test('any number of refusals within two seconds of the first are forgiven', () => {
  const { clock, begun, admit } = setUp()
  admit()
  for (let i = 0; i < 200; i++) {
    expect(admit()).toBe('rate_limit_exceeded')
    clock.advance(10)
  }
  expect(begun).toEqual([])
})

test('being admitted starts the two seconds anew', () => {
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

test('refusals that are spread over more than ten minutes do not ban', () => {
  const { clock, begun, admit, exhaust } = setUp()
  exhaust()
  for (let i = 0; i < 60; i++) {
    expect(admit()).toBe('daily_quota_exceeded')
    clock.advance(31_600)
  }
  expect(begun).toEqual([])
})

test('refusals during a ban do not extend it, and after it the key is admitted', () => {
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
  expect(reset).toBe(Math.ceil((begun[0] as Ban).endsAt / 1000))
  expect(retryAfterSeconds).toBe(Math.ceil(reset - clock.now() / 1000))
  clock.advance(reset * 1000 - clock.now())
  expect(admit()).toBeUndefined()
  expect(begun).toHaveLength(1)
})

test('a ban belongs to one key: the others of the account are only limited', () => {
  const { begun, admit, exhaust } = setUp()
  exhaust()
  for (let i = 0; i < 20; i++) admit()
  expect(begun).toHaveLength(1)
  expect(admit(8)).toBe('daily_quota_exceeded')
})

test('a lifted ban is forgotten', () => {
  const { limiter, admit, exhaust } = setUp()
  exhaust()
  for (let i = 0; i < 20; i++) admit()
  limiter.bans.lift(7)
  expect(admit()).toBe('daily_quota_exceeded')
})

test('each ban that starts within 24 hours of the last one’s end is twice as long, up to 24 hours', () => {
  const ban = (startedAt: number, durationMs: number) => ({ keyId: 1, startedAt, endsAt: startedAt + durationMs })
  expect(banDurationMs(undefined, 0)).toBe(10 * minuteMs)
  expect(banDurationMs(ban(0, 10 * minuteMs), 10 * minuteMs + 24 * hourMs)).toBe(20 * minuteMs)
  expect(banDurationMs(ban(0, 10 * minuteMs), 10 * minuteMs + 24 * hourMs + 1)).toBe(10 * minuteMs)
  expect(banDurationMs(ban(0, 20 * hourMs), 21 * hourMs)).toBe(24 * hourMs)
  expect(banDurationMs(ban(0, 24 * hourMs), 25 * hourMs)).toBe(24 * hourMs)
})
