import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { createManualClock } from '../../lib/clock.ts'
import type { Allowance } from '../accounts/rules.ts'
import type { NewBan } from './bans.ts'
import { dayMs } from './days.ts'
import { type Client, Limiter } from './limiter.ts'

const noon = Date.UTC(2026, 10, 20, 12)
const hourMs = 3_600_000

function setUp(allowance: Allowance, startMs = noon) {
  const clock = createManualClock(startMs)
  const bans: NewBan[] = []
  const stored = new Map<string, number>()
  const limiter = new Limiter({
    clock,
    days: { find: (accountId, day) => stored.get(`${accountId} ${day}`) ?? 0 },
    onBan: (ban) => bans.push(ban),
  })
  const client: Client = { keyId: 1, accountId: 1, allowance }
  return { clock, limiter, client, bans, stored, admit: () => limiter.admit(client) }
}

const pauses = fc.array(
  fc.oneof(
    { arbitrary: fc.integer({ min: 0, max: 30 }), weight: 6 },
    { arbitrary: fc.integer({ min: 100, max: 3_000 }), weight: 3 },
    { arbitrary: fc.integer({ min: 5_000, max: 90_000 }), weight: 1 },
  ),
  { minLength: 1, maxLength: 300 },
)
const limit = fc.integer({ min: 1, max: 20 })

test('in no period of 60 seconds are more requests admitted than the limit', () => {
  fc.assert(
    fc.property(pauses, limit, fc.integer({ min: 0, max: 999 }), (gaps, perMinute, offsetMs) => {
      const { clock, admit } = setUp({ perMinute, perDay: 1_000_000 }, noon + offsetMs)
      const admittedMs: number[] = []
      for (const gap of gaps) {
        clock.advance(gap)
        if (!admit()) admittedMs.push(clock.now())
      }
      for (const fromMs of admittedMs) {
        const within = admittedMs.filter((ms) => ms >= fromMs && ms < fromMs + 60_000)
        expect(within.length).toBeLessThanOrEqual(perMinute)
      }
    }),
  )
})

test('a client that sleeps until Reset is always admitted, and Retry-After is the same time', () => {
  fc.assert(
    fc.property(pauses, limit, fc.integer({ min: 1, max: 25 }), (gaps, perMinute, perDay) => {
      const { clock, limiter, admit } = setUp({ perMinute, perDay }, noon + 11.9 * hourMs)
      for (const gap of gaps) {
        clock.advance(gap)
        const code = admit()
        if (!code || code === 'key_banned') continue
        const { reset, remaining, retryAfterSeconds } = limiter.status
        expect(remaining).toBe(0)
        expect(retryAfterSeconds).toBe(Math.max(1, Math.ceil(reset - clock.now() / 1000)))
        clock.advance(reset * 1000 - clock.now())
        expect(admit()).toBeUndefined()
      }
    }),
  )
})

test('exactly as many further requests as Remaining are admitted at once', () => {
  fc.assert(
    fc.property(pauses, limit, fc.integer({ min: 1, max: 40 }), (gaps, perMinute, perDay) => {
      const { clock, limiter, admit } = setUp({ perMinute, perDay })
      for (const gap of gaps) {
        clock.advance(gap)
        if (admit()) break
      }
      const { remaining } = limiter.status
      for (let left = remaining; left > 0; left--) {
        expect(admit()).toBeUndefined()
        expect(limiter.status.remaining).toBe(left - 1)
      }
      expect(admit()).toBeDefined()
    }),
  )
})

test('a request stops counting exactly 61 seconds after the second in which it was counted', () => {
  const { clock, limiter, admit } = setUp({ perMinute: 1, perDay: 100 }, noon + 999)
  expect(admit()).toBeUndefined()
  expect(limiter.status.reset).toBe(noon / 1000 + 61)
  clock.advance(60_000)
  expect(admit()).toBe('rate_limit_exceeded')
  clock.advance(1)
  expect(admit()).toBeUndefined()
})

test('the headers describe the window with fewer requests remaining, or the one that resets later if they are equal', () => {
  const { limiter, admit } = setUp({ perMinute: 3, perDay: 4 })
  admit()
  expect(limiter.status).toMatchObject({ limit: 3, remaining: 2, reset: noon / 1000 + 61 })
  const tied = setUp({ perMinute: 3, perDay: 3 })
  tied.admit()
  expect(tied.limiter.status).toMatchObject({ limit: 3, remaining: 2, reset: (noon + 12 * hourMs) / 1000 })
  const late = setUp({ perMinute: 3, perDay: 3 }, noon + 12 * hourMs - 10_000)
  late.admit()
  expect(late.limiter.status).toMatchObject({ limit: 3, remaining: 2, reset: (noon + 12 * hourMs) / 1000 + 51 })
})

test('the day ends exactly at midnight UTC', () => {
  const { clock, limiter, admit } = setUp({ perMinute: 100, perDay: 2 }, noon + 12 * hourMs - 1)
  admit()
  admit()
  expect(admit()).toBe('daily_quota_exceeded')
  expect(limiter.status.retryAfterSeconds).toBe(1)
  clock.advance(1)
  expect(admit()).toBeUndefined()
  expect(limiter.status.dayRemaining).toBe(1)
})

test('if the clock is set back over midnight, the count of the earlier day still applies', () => {
  const { clock, admit } = setUp({ perMinute: 100, perDay: 2 }, noon + 12 * hourMs - 1)
  admit()
  admit()
  clock.advance(1)
  expect(admit()).toBeUndefined()
  clock.setWall(clock.now() - hourMs)
  expect(admit()).toBe('daily_quota_exceeded')
  clock.setWall(clock.now() + hourMs)
  expect(admit()).toBeUndefined()
  expect(admit()).toBe('daily_quota_exceeded')
})

test('a day that is read from the database continues with its count', () => {
  const { stored, limiter, client, admit } = setUp({ perMinute: 100, perDay: 10 })
  stored.set(`${client.accountId} ${Math.floor(noon / dayMs)}`, 9)
  expect(admit()).toBeUndefined()
  expect(limiter.used(client.accountId)).toEqual({ minute: 1, day: 10 })
  expect(admit()).toBe('daily_quota_exceeded')
})

test('setting the system clock neither clears nor lengthens the window of 60 seconds', () => {
  for (const stepMs of [-hourMs, hourMs, -1_500, 90_000]) {
    const { clock, limiter, admit } = setUp({ perMinute: 2, perDay: 100 }, noon + 250)
    admit()
    admit()
    clock.setWall(clock.now() + stepMs)
    expect(admit()).toBe('rate_limit_exceeded')
    const waitMs = limiter.status.reset * 1000 - clock.now()
    expect(waitMs).toBeGreaterThan(58_000)
    expect(waitMs).toBeLessThanOrEqual(62_000)
    clock.advance(waitMs)
    expect(admit()).toBeUndefined()
  }
})

test('if the wall clock is set, no period of 60 real seconds has more admitted requests than the limit, and a request at Reset is admitted', () => {
  const steps = fc.array(
    fc.record({
      gapMs: fc.oneof(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 100, max: 90_000 })),
      stepMs: fc.oneof(
        { arbitrary: fc.constant(0), weight: 4 },
        { arbitrary: fc.integer({ min: -1_500, max: 1_500 }), weight: 3 },
        { arbitrary: fc.integer({ min: -5 * hourMs, max: 5 * hourMs }), weight: 1 },
      ),
    }),
    { minLength: 1, maxLength: 200 },
  )
  fc.assert(
    fc.property(steps, limit, fc.integer({ min: 0, max: 999 }), (history, perMinute, offsetMs) => {
      const { clock, limiter, admit } = setUp({ perMinute, perDay: 1_000_000 }, noon + offsetMs)
      const admittedMs: number[] = []
      const sendOne = () => {
        const code = admit()
        if (!code) admittedMs.push(clock.monotonic())
        return code
      }
      for (const { gapMs, stepMs } of history) {
        clock.advance(gapMs)
        clock.setWall(clock.now() + stepMs)
        if (sendOne() !== 'rate_limit_exceeded') continue
        const waitMs = limiter.status.reset * 1000 - clock.now()
        expect(waitMs).toBeGreaterThan(0)
        expect(waitMs).toBeLessThanOrEqual(62_000)
        clock.advance(waitMs)
        expect(sendOne()).not.toBe('rate_limit_exceeded')
      }
      for (const fromMs of admittedMs) {
        const within = admittedMs.filter((ms) => ms >= fromMs && ms < fromMs + 60_000)
        expect(within.length).toBeLessThanOrEqual(perMinute)
      }
    }),
  )
})

test('if the clock is set forward by 999 ms, no request is admitted early', () => {
  const { clock, admit } = setUp({ perMinute: 1, perDay: 100 }, noon)
  admit()
  clock.setWall(clock.now() + 999)
  clock.advance(60_999)
  expect(admit()).toBe('rate_limit_exceeded')
  clock.advance(1)
  expect(admit()).toBeUndefined()
})

test('rejected requests count towards neither window', () => {
  const { clock, limiter, client, admit } = setUp({ perMinute: 1, perDay: 100 })
  admit()
  for (let i = 0; i < 10; i++) expect(admit()).toBe('rate_limit_exceeded')
  expect(limiter.used(client.accountId)).toEqual({ minute: 1, day: 1 })
  clock.advance(61_000)
  expect(limiter.used(client.accountId)).toEqual({ minute: 0, day: 1 })
})

test('a smaller plan applies at once, and Reset is the time at which it admits a request', () => {
  const { clock, limiter, client } = setUp({ perMinute: 10, perDay: 100 })
  for (let i = 0; i < 6; i++) {
    expect(limiter.admit(client)).toBeUndefined()
    clock.advance(2_000)
  }
  const smaller = { ...client, allowance: { perMinute: 2, perDay: 100 } }
  expect(limiter.admit(smaller)).toBe('rate_limit_exceeded')
  expect(limiter.status.reset).toBe(noon / 1000 + 8 + 61)
  clock.advance(limiter.status.reset * 1000 - clock.now())
  expect(limiter.admit(smaller)).toBeUndefined()
})

/** Bursts of requests of several keys, with pauses, clock steps and sweeps before them. */
const events = fc.array(
  fc.record({
    gapMs: fc.oneof(
      { arbitrary: fc.integer({ min: 0, max: 50 }), weight: 6 },
      { arbitrary: fc.integer({ min: 500, max: 70_000 }), weight: 3 },
      { arbitrary: fc.integer({ min: 100_000, max: 30 * hourMs }), weight: 1 },
    ),
    wallStepMs: fc.oneof(
      { arbitrary: fc.constant(0), weight: 8 },
      { arbitrary: fc.integer({ min: -26 * hourMs, max: 26 * hourMs }), weight: 1 },
    ),
    keyId: fc.integer({ min: 1, max: 3 }),
    requests: fc.integer({ min: 1, max: 30 }),
    sweeps: fc.boolean(),
  }),
  { minLength: 1, maxLength: 60 },
)

test('sweep() changes no admission, rejection, ban or status', () => {
  fc.assert(
    fc.property(
      events,
      fc.integer({ min: 1, max: 8 }),
      fc.integer({ min: 1, max: 40 }),
      (history, perMinute, perDay) => {
        const swept = setUp({ perMinute, perDay })
        const unswept = setUp({ perMinute, perDay })
        for (const { gapMs, wallStepMs, keyId, requests, sweeps } of history) {
          for (const { clock, limiter } of [swept, unswept]) {
            clock.advance(gapMs)
            clock.setWall(clock.now() + wallStepMs)
            if (sweeps && limiter === swept.limiter) limiter.sweep()
          }
          for (let i = 0; i < requests; i++) {
            const client = { ...swept.client, keyId, accountId: keyId === 3 ? 2 : 1 }
            expect(swept.limiter.admit(client)).toBe(unswept.limiter.admit(client))
            expect(swept.limiter.status).toEqual(unswept.limiter.status)
          }
          expect(swept.bans).toEqual(unswept.bans)
        }
      },
    ),
  )
})
