import { expect, test } from 'bun:test'
import { runsPerTest, start } from '../../testing/per-test/limited-runs.ts'
import { issueFirstKey } from '../keys/issue.ts'

const hourMs = 3_600_000
const { open, renew } = runsPerTest()

test('if the clock was an hour fast and is then corrected, the rest of a window delays requests after one restart only', async () => {
  const first = open(start + hourMs)
  await issueFirstKey(first.app, { plan: 'free' })
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

test('if the clock is set back twice while no server runs, a run without requests in between does not bring a window back', async () => {
  const first = open()
  await issueFirstKey(first.app, { plan: 'free' })
  first.admit(60)
  await first.app.close()
  for (const nowMs of [start - hourMs, start - hourMs / 2]) await open(nowMs).app.close()
  const last = open(start - hourMs + 1_000)
  expect(last.used().minute).toBe(0)
  await last.app.close()
})

test('a window keeps its duration over a clock step and a restart', async () => {
  for (const stepMs of [-5 * hourMs, -999, 999, 40_000, 5 * hourMs]) {
    const first = open()
    await issueFirstKey(first.app, { plan: 'free' })
    first.clock.advance(200_000)
    first.admit(60)
    await first.app.savedLimiter.saveCounts()
    first.clock.setWall(first.clock.now() + stepMs)
    first.clock.advance(1_000)
    await first.app.close()
    const second = open(first.clock.now())
    second.clock.advance(59_000)
    expect([stepMs, second.admit()]).toEqual([stepMs, 'rate_limit_exceeded'])
    second.clock.advance(2_000)
    expect([stepMs, second.admit()]).toEqual([stepMs, undefined])
    await second.app.close()
    renew()
  }
})

test('a ban keeps its duration over clock steps and restarts, and its stored times follow the clock', async () => {
  for (const stepMs of [-5 * hourMs, 5 * hourMs]) {
    const first = open()
    await issueFirstKey(first.app, { plan: 'free' })
    const small = { ...first.client, allowance: { perMinute: 1, perDay: 1_000 } }
    first.app.limiter.admit(small)
    first.app.limiter.admit(small)
    first.clock.advance(2_001)
    for (let i = 0; i < 20; i++) first.app.limiter.admit(small)
    await first.app.savedLimiter.saveBans()
    first.clock.setWall(first.clock.now() + stepMs)
    await first.app.savedLimiter.saveCounts()
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
    renew()
  }
})

test('if the clock is set back while no server runs, a ban lasts at most its duration again, and an ended ban does not return', async () => {
  const first = open()
  await issueFirstKey(first.app, { plan: 'free' })
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
