import { describe, expect, jest, setSystemTime, test } from 'bun:test'
import { type PetstoreOptions, startPetstore, type TestPetstore } from 'petstore-appliance/testing'

function listPets({ url, key }: TestPetstore): Promise<Response> {
  return fetch(`${url}/v1/pets`, { headers: { Authorization: `Bearer ${key}` } })
}

test('a Free key that has used its limit for a minute is admitted again exactly 61 seconds later', async () => {
  await using store = await startPetstore({ plan: 'free', now: new Date('2026-11-20T23:59:00Z') })
  for (let i = 0; i < 60; i++) expect((await listPets(store)).status).toBe(200)
  const rejection = await listPets(store)
  expect([rejection.status, rejection.headers.get('retry-after')]).toEqual([429, '61'])
  store.clock.advance(60_999)
  expect((await listPets(store)).status).toBe(429)
  store.clock.advance(1)
  expect((await listPets(store)).status).toBe(200)
})

test('a client can move the clock to X-RateLimit-Reset instead of sleeping', async () => {
  await using store = await startPetstore({ plan: 'free', now: Date.UTC(2026, 10, 20, 10) })
  for (let i = 0; i < 61; i++) await listPets(store)
  const reset = Number((await listPets(store)).headers.get('x-ratelimit-reset'))
  store.clock.advance(reset * 1_000 - store.clock.now())
  expect((await listPets(store)).status).toBe(200)
})

test('a step of years takes less than a second, and the store then behaves as at that date', async () => {
  await using store = await startPetstore({ now: new Date('2026-11-20T10:00:00Z') })
  const getPet = () => fetch(`${store.url}/v1/pets/1`, { headers: { Authorization: `Bearer ${store.key}` } })
  expect((await getPet()).status).toBe(404)
  const begin = performance.now()
  store.clock.advance(5 * 366 * 86_400_000)
  expect(performance.now() - begin).toBeLessThan(1_000)
  const response = await getPet()
  expect([response.status, response.headers.get('x-ratelimit-remaining')]).toEqual([410, '999'])
})

test('a key of one store is unknown to another store in the same process', async () => {
  await using one = await startPetstore()
  await using other = await startPetstore()
  expect((await listPets(one)).status).toBe(200)
  expect((await listPets({ ...other, key: one.key })).status).toBe(401)
})

test('a stopped store accepts no connection, and stopping it again does nothing', async () => {
  const store = await startPetstore()
  await Promise.all([store.stop(), store.stop()])
  await store.stop()
  await store[Symbol.asyncDispose]()
  store.clock.advance(61_000)
  await expect(listPets(store)).rejects.toThrow()
})

test('a store responds in a suite that replaces the timers and the time of its process', async () => {
  jest.useFakeTimers()
  setSystemTime(new Date('2020-01-01T00:00:00Z'))
  try {
    await using store = await startPetstore()
    expect(store.clock.now()).toBe(Date.UTC(2020, 0))
    const headers = { Authorization: `Bearer ${store.key}`, 'Content-Type': 'application/json' }
    const body = JSON.stringify({ name: 'Honeysuckle', categoryId: 2 })
    expect((await fetch(`${store.url}/v1/pets`, { method: 'POST', headers, body })).status).toBe(201)
  } finally {
    setSystemTime()
    jest.useRealTimers()
  }
})

test('a process that started and stopped fifty stores keeps no file descriptor of them and exits by itself', async () => {
  const script = `
    import { readdirSync } from 'node:fs'
    import { startPetstore } from 'petstore-appliance/testing'
    const descriptors = () => process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0
    const round = async () => {
      const { url, key, stop } = await startPetstore()
      await (await fetch(url + '/v1/pets', { headers: { Authorization: 'Bearer ' + key } })).text()
      await stop()
    }
    for (let i = 0; i < 5; i++) await round()
    const before = descriptors()
    for (let i = 0; i < 50; i++) await round()
    console.log(descriptors() - before)`
  const child = Bun.spawn([process.execPath, '-e', script], { cwd: import.meta.dir, stdout: 'pipe' })
  const printed = await new Response(child.stdout).text()
  const printedAt = performance.now()
  expect(await child.exited).toBe(0)
  // A remaining timer would keep the process alive for the ten seconds that a stop allows for requests in flight.
  expect(performance.now() - printedAt).toBeLessThan(5_000)
  // The last connections may be closing still.
  expect(Number(printed)).toBeLessThan(5)
})

describe('an invalid option throws one error that names it', () => {
  const nowRule = 'now must be a Date or a whole number of Unix milliseconds, from 1970 to 9999, not'
  const wrong: [unknown, string][] = [
    [{ plann: 'free' }, 'startPetstore has no option "plann". Its options are now and plan.'],
    [{ plan: 'gold' }, `plan must be 'free', 'pro' or 'business', not "gold".`],
    [{ plan: 'enterprise' }, `plan must be 'free', 'pro' or 'business', not "enterprise".`],
    [{ plan: null }, `plan must be 'free', 'pro' or 'business', not null.`],
    [{ plan: { name: 'free' } }, `plan must be 'free', 'pro' or 'business', not an object.`],
    [{ now: '2026-11-20' }, `${nowRule} "2026-11-20".`],
    [{ now: new Date('tomorrow') }, `${nowRule} an invalid Date.`],
    [{ now: Number.NaN }, `${nowRule} NaN.`],
    [{ now: 1.5 }, `${nowRule} 1.5.`],
    [{ now: -1 }, `${nowRule} -1.`],
    [{ now: new Date(Date.UTC(10_000, 0)) }, `${nowRule} +010000-01-01T00:00:00.000Z.`],
    [{ now: null }, `${nowRule} null.`],
    ['free', `startPetstore takes an object such as { plan: 'free' }, not "free".`],
    [['free'], `startPetstore takes an object such as { plan: 'free' }, not an array.`],
    [null, `startPetstore takes an object such as { plan: 'free' }, not null.`],
    [() => {}, `startPetstore takes an object such as { plan: 'free' }, not a function.`],
  ]
  for (const [options, message] of wrong) {
    test(message, async () => {
      await expect(startPetstore(options as PetstoreOptions)).rejects.toThrow(new TypeError(message))
    })
  }

  test('options that are undefined are the defaults', async () => {
    const before = Date.now()
    await using store = await startPetstore({ now: undefined, plan: undefined })
    expect(store.clock.now()).toBeWithin(before, Date.now() + 1)
    expect((await listPets(store)).headers.get('x-ratelimit-limit')).toBe('1000')
  })
})

test('an invalid step, or one that ends after the year 9999, throws and does not move the clock', async () => {
  await using store = await startPetstore({ now: 0 })
  for (const ms of [-1, Number.NaN, 0.5, Number.POSITIVE_INFINITY, '61000', undefined, null, 10n]) {
    expect(() => store.clock.advance(ms as number)).toThrow(/^advance needs a whole number of milliseconds, 0 or more/)
  }
  for (const ms of [Date.UTC(10_000, 0), Number.MAX_SAFE_INTEGER, Number.MAX_VALUE]) {
    expect(() => store.clock.advance(ms)).toThrow(/^advance can't move the clock beyond the year 9999/)
  }
  store.clock.advance(0)
  expect(store.clock.now()).toBe(0)
  store.clock.advance(Date.UTC(10_000, 0) - 1)
  expect((await listPets(store)).status).toBe(200)
})
