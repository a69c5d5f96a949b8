import { afterEach, beforeEach, expect, test } from 'bun:test'
import { openTestStore, type TestStore } from '../../testing/harness.ts'
import { dayOf } from './days.ts'

let store: TestStore
beforeEach(async () => {
  store = await openTestStore()
})
afterEach(() => store.close())

const settle = async (ms: number) => {
  store.clock.advance(ms)
  await new Promise((resolve) => setImmediate(resolve))
}
const send = async (key: string, times: number) => {
  for (let i = 0; i < times; i++) await store.call('GET', '/v1/pets', { key })
}
const stored = (day: number) => store.app.limits.allDays(day, day)[0]

test('rejected requests are counted on their day, once a second and when they are read', async () => {
  const today = dayOf(store.clock.now())
  const { key } = await store.newKey({ plan: 'free' })
  await send(key, 65)
  expect(store.app.limiter.unsavedRejections.get(today)).toBe(5)
  await settle(1_000)
  expect(stored(today)).toEqual({ day: today, requests: 60, rejected: 5 })
  expect(store.app.limiter.unsavedRejections.get(today)).toBeUndefined()
  await send(key, 2)
  expect(store.app.limiter.unsavedRejections.get(today)).toBe(2)
  await settle(86_400_000)
  await send(key, 61)
  await settle(1_000)
  expect(stored(today)).toMatchObject({ requests: 60, rejected: 7 })
  expect(stored(today + 1)).toMatchObject({ requests: 60, rejected: 1 })
})

test('a request that was rejected in the last second of a day counts on that day', async () => {
  const today = dayOf(store.clock.now())
  const { key } = await store.newKey({ plan: 'free' })
  store.clock.skip((today + 1) * 86_400_000 - store.clock.now() - 10)
  await send(key, 62)
  await settle(2_000)
  expect(stored(today)).toMatchObject({ requests: 60, rejected: 2 })
  expect(stored(today + 1)?.rejected ?? 0).toBe(0)
})

test('the requests of a day are the sum of all accounts, however often counts are stored', async () => {
  const today = dayOf(store.clock.now())
  const first = await store.newKey()
  const second = await store.newKey()
  for (let i = 1; i <= 3; i++) {
    await send(first.key, 2)
    await send(second.key, 1)
    expect(store.app.limiter.days.unsavedOn(today, 0)).toBe(3)
    await settle(1_000)
    expect(stored(today)?.requests).toBe(3 * i)
    expect(store.app.limiter.days.unsavedOn(today, 0)).toBe(0)
  }
})

test('counts that could not be stored are stored later', async () => {
  const today = dayOf(store.clock.now())
  const { key } = await store.newKey({ plan: 'free' })
  await send(key, 61)
  const { addRejected } = store.app.limits
  store.app.limits.addRejected = () => {
    throw new Error('no')
  }
  expect(await store.app.savedLimiter.saveCounts().catch((error: Error) => error.message)).toBe('no')
  expect(store.app.limiter.unsavedRejections.get(today)).toBe(1)
  store.app.limits.addRejected = addRejected
  await store.app.savedLimiter.saveCounts()
  expect(stored(today)?.rejected).toBe(1)
})
