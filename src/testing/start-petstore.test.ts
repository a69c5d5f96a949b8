import { describe, expect, jest, setSystemTime, test } from 'bun:test'
import { connect } from 'node:net'
import { type Fault, type PetstoreOptions, startPetstore, type TestPetstore } from 'petstore-appliance/testing'
import { imageBytes } from '../shop/photos/testing/images.ts'
import { readMessages } from './event-stream.ts'

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

/** Sends a request with the key of the store, or with another one. */
function send({ url, key }: Pick<TestPetstore, 'url' | 'key'>, method: string, path: string, body?: object) {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  return fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
}

const ada = { name: 'Ada', categoryId: 2 }
const namesOf = async (store: Pick<TestPetstore, 'url' | 'key'>) =>
  ((await (await send(store, 'GET', '/v1/pets')).json()) as { name: string }[]).map(({ name }) => name)

test('a store without limits admits what a whole file of tests sends in one minute that stands still', async () => {
  await using store = await startPetstore({ plan: 'unlimited' })
  for (let i = 0; i < 1_100; i++) expect((await listPets(store)).status).toBe(200)
  expect((await listPets(store)).headers.get('x-ratelimit-limit')).toBe('1000000000')
})

test('an enterprise plan has the numbers that it is given', async () => {
  await using store = await startPetstore({ plan: 'enterprise', perMinute: 2, perDay: 100 })
  const statuses = [await listPets(store), await listPets(store), await listPets(store)].map(({ status }) => status)
  expect(statuses).toEqual([200, 200, 429])
})

test('every time of a response is that of the store, whatever the method and the status', async () => {
  await using store = await startPetstore({ now: new Date('2031-02-03T04:05:06Z') })
  const date = 'Mon, 03 Feb 2031 04:05:06 GMT'
  for (const [method, path] of [
    ['GET', '/v1/pets'],
    ['HEAD', '/v1/pets'],
    ['GET', '/v1/nothing'],
    ['GET', '/healthz'],
    ['GET', '/test/clock'],
    ['POST', '/v1/pets'],
  ] as const) {
    expect([path, (await send(store, method, path)).headers.get('date')]).toEqual([path, date])
  }
  store.clock.advance(60_000)
  const order = await send(store, 'POST', '/v1/pets', ada).then(() =>
    send(store, 'POST', '/v1/store/orders', { petId: 1, quantity: 1 }),
  )
  expect([order.headers.get('date'), ((await order.json()) as { createdAt: string }).createdAt]).toEqual([
    'Mon, 03 Feb 2031 04:06:06 GMT',
    '2031-02-03T04:06:06.000Z',
  ])
})

test('a running clock runs, and can be moved as well', async () => {
  const startMs = Date.UTC(2026, 10, 20)
  await using store = await startPetstore({ clock: 'running', now: startMs, plan: 'free' })
  for (let i = 0; i < 61; i++) await listPets(store)
  expect((await listPets(store)).status).toBe(429)
  store.clock.advance(62_000)
  expect((await listPets(store)).status).toBe(200)
  const movedMs = store.clock.now()
  while (store.clock.now() === movedMs) await new Promise((resolve) => setImmediate(resolve))
  expect(store.clock.now()).toBeGreaterThan(startMs + 62_000)
})

test('a store of the staging environment has keys of staging', async () => {
  await using store = await startPetstore({ environment: 'staging' })
  expect([store.key.slice(0, 9), (await listPets(store)).status]).toEqual(['pet_test_', 200])
})

describe('createKey', () => {
  test('issues a key for a new account with its own limits and scopes, or for one that exists', async () => {
    await using store = await startPetstore()
    const first = await store.createKey({ plan: 'free', scopes: ['pets:read'] })
    const asFirst = { ...store, key: first.key }
    const rejected = await send(asFirst, 'POST', '/v1/pets', ada)
    expect([rejected.status, rejected.headers.get('x-ratelimit-limit')]).toEqual([403, '60'])
    const second = await store.createKey({ accountId: first.accountId })
    expect(second).toMatchObject({ accountId: first.accountId })
    const listed = await listPets({ ...store, key: second.key })
    expect(listed.headers.get('x-ratelimit-remaining')).toBe('58')
    expect((await send({ ...store, key: second.key }, 'GET', '/v1/accounts')).status).toBe(403)
  })

  test('issues a key that expires by the clock of the store', async () => {
    await using store = await startPetstore({ now: 0 })
    const { key } = await store.createKey({ expiresAt: new Date(60_000) })
    expect((await listPets({ ...store, key })).status).toBe(200)
    store.clock.advance(60_000)
    expect((await listPets({ ...store, key })).status).toBe(401)
  })

  test('rejects with a TypeError that says what is wrong', async () => {
    await using store = await startPetstore({ now: 60_000 })
    for (const [options, message] of [
      [{ scope: [] }, 'createKey takes no "scope". Did you mean scopes?'],
      [{ scopes: ['pets'] }, /^createKey: scopes\.0 must be one of pets:read/],
      [{ accountId: 7 }, 'createKey: There is no account 7.'],
      [{ accountId: 1, plan: 'free' }, /belong to a new account: omit them, or omit accountId\.$/],
      [{ expiresAt: 59_999 }, 'createKey: expiresAt must not be in the past.'],
    ] as [object, string | RegExp][]) {
      const failure = await store.createKey(options).catch((error: Error) => error)
      expect(failure).toBeInstanceOf(TypeError)
      expect((failure as Error).message).toMatch(message)
    }
  })
})

describe('fail', () => {
  test('answers 500 and 503 as the store would, and changes nothing', async () => {
    await using store = await startPetstore({ plan: 'free' })
    const takeBack = store.fail({ method: 'POST', path: '/v1/pets' }, { status: 503, retryAfterSeconds: 7 })
    const failed = await send(store, 'POST', '/v1/pets', ada)
    expect([failed.status, failed.headers.get('retry-after'), failed.headers.get('x-ratelimit-remaining')]).toEqual([
      503,
      '7',
      '59',
    ])
    expect(await failed.json()).toMatchObject({ code: 'storage_unavailable', status: 503 })
    expect((await send({ ...store, key: 'none' }, 'POST', '/v1/pets', ada)).status).toBe(401)
    expect(await namesOf(store)).toEqual([])
    takeBack()
    takeBack()
    expect((await send(store, 'POST', '/v1/pets', ada)).status).toBe(201)
    store.fail({}, { status: 500 })
    expect(await (await listPets(store)).json()).toMatchObject({ code: 'internal_error', status: 500 })
  })

  test('answers 502 and 504 as a gateway before the store would', async () => {
    await using store = await startPetstore()
    for (const status of [502, 504] as const) {
      store.fail({}, { status })
      const response = await listPets(store)
      expect([response.status, response.headers.get('content-type'), response.headers.get('x-request-id')]).toEqual([
        status,
        'text/html',
        null,
      ])
    }
  })

  test('loses a request before its effect, or a response after it', async () => {
    await using store = await startPetstore()
    store.fail({ method: 'POST' }, { lost: 'request' }, { times: 1 })
    await expect(send(store, 'POST', '/v1/pets', ada)).rejects.toMatchObject({ code: 'ECONNRESET' })
    expect(await namesOf(store)).toEqual([])
    store.fail({ method: 'POST' }, { lost: 'response' }, { times: 1 })
    await expect(send(store, 'POST', '/v1/pets', ada)).rejects.toMatchObject({ code: 'ECONNRESET' })
    expect(await namesOf(store)).toEqual(['Ada'])
    expect(store.requests.filter(({ method }) => method === 'POST').map(({ status }) => status)).toEqual([
      undefined,
      201,
    ])
  })

  test('delays a response by real time, while the request takes effect at once', async () => {
    await using store = await startPetstore()
    store.fail({ method: 'POST' }, { delayMs: 3_600_000 })
    const late = send(store, 'POST', '/v1/pets', ada)
    while ((await namesOf(store)).length === 0);
    const isLate = await Promise.race([late.then(() => false), listPets(store).then(() => true)])
    expect(isLate).toBe(true)
    await store.reset()
    expect((await late).status).toBe(201)
    store.fail({ method: 'GET' }, { delayMs: 20 })
    const begin = performance.now()
    expect((await listPets(store)).status).toBe(200)
    expect(performance.now() - begin).toBeGreaterThan(15)
  })

  test('applies the last fault that matches a request, as often as it is meant to', async () => {
    await using store = await startPetstore({ seed: { pets: [ada] } })
    store.fail({ path: '/v1/pets*' }, { status: 500 })
    store.fail({ method: 'GET', path: '/v1/pets/*' }, { status: 504 }, { times: 2 })
    const get = async (path: string) => (await send(store, 'GET', path)).status
    expect([await get('/v1/pets/1'), await get('/v1/pets'), await get('/v1/categories')]).toEqual([504, 500, 200])
    expect([await get('/v1/pets/1?limit=1'), await get('/v1/pets/1')]).toEqual([504, 500])
    expect((await fetch(`${store.url}/v1/pets`, { method: 'OPTIONS' })).status).not.toBe(500)
  })

  test('throws a TypeError that says what is wrong', async () => {
    await using store = await startPetstore()
    for (const [match, fault, options, message] of [
      [{ path: '/pets' }, { status: 500 }, {}, /^path must be that of the API .* not "\/pets"\.$/],
      [{ path: '/v1/pets?limit=1' }, { status: 500 }, {}, /without a query/],
      [{ method: 'get' }, { status: 500 }, {}, /^method must be one of GET, /],
      [{ mehtod: 'GET' }, { status: 500 }, {}, 'fail takes no "mehtod". Did you mean method?'],
      [{}, { status: 429 }, {}, 'status must be one of 500, 502, 503, 504, not 429.'],
      [{}, {}, {}, /^a fault is one of/],
      [{}, { status: 500, delayMs: 1 }, {}, /^a fault is one of/],
      [{}, { delayMs: 1, retryAfterSeconds: 1 }, {}, /^retryAfterSeconds must be/],
      [{}, { delayMs: -1 }, {}, /^delayMs must be a whole number/],
      [{}, { lost: 'all' }, {}, 'lost must be "request" or "response", not "all".'],
      [{}, undefined, {}, /^a fault takes an object/],
      [{}, { status: 500 }, { times: 0 }, 'times must be a whole number from 1 on, not 0.'],
    ] as [object, Fault, object, string | RegExp][]) {
      expect(() => store.fail(match, fault, options)).toThrow(TypeError)
      expect(() => store.fail(match, fault, options)).toThrow(message)
    }
    expect((await listPets(store)).status).toBe(200)
  })
})

test('requests are what the store has received, in order', async () => {
  await using store = await startPetstore({ now: 0 })
  await send(store, 'GET', '/v1/pets?limit=5&q=a%20b')
  await send(store, 'POST', '/v1/pets', ada)
  await send(store, 'POST', '/v1/pets', { name: 'x'.repeat(70_000) })
  await send(store, 'GET', '/pets')
  await send(store, 'GET', '/test/clock')
  const [list, add, long, wrong, ...others] = store.requests
  expect(list).toMatchObject({ method: 'GET', path: '/v1/pets', query: { limit: '5', q: 'a b' }, status: 200 })
  expect(list?.headers['authorization']).toBe(`Bearer ${store.key}`)
  expect(add).toMatchObject({ method: 'POST', path: '/v1/pets', body: ada, status: 201, receivedAt: new Date(0) })
  expect(add?.requestId).toStartWith('req_')
  expect(long).toMatchObject({ body: `{"name":"${'x'.repeat(65_527)}`, status: 400 })
  expect(wrong).toMatchObject({ path: '/pets', body: undefined, status: 404 })
  expect(others).toEqual([])
})

test('the animals of a seed can have profiles with prices', async () => {
  const profile = { number: 'A-1', breed: 'Boxer', price: 49_900 }
  await using store = await startPetstore({ seed: { currency: 'EUR', pets: [{ ...ada, profile }] } })
  const headers = { Authorization: `Bearer ${store.key}` }
  const response = await fetch(`${store.url}/v1/pets/1/profile`, { headers })
  expect(await response.json()).toMatchObject({ ...profile, currency: 'EUR', pet: { name: 'Ada' } })
})

test('photos are encoded and served in the process of the test', async () => {
  await using store = await startPetstore({ seed: { pets: [ada] } })
  const headers = { Authorization: `Bearer ${store.key}`, 'Content-Type': 'image/png' }
  const body = new Blob([new Uint8Array(await imageBytes('png', 600, 400))])
  const added = await fetch(`${store.url}/v1/pets/1/photos`, { method: 'POST', headers, body })
  const photo = (await added.json()) as { small: string }
  expect([added.status, photo]).toEqual([201, expect.objectContaining({ id: 1, width: 600, height: 400 })])
  const small = await (await fetch(store.url + photo.small)).bytes()
  expect(await new Bun.Image(small).metadata()).toMatchObject({ width: 400, format: 'webp' })
})

test('events are the changes since the start or a reset, without the seed', async () => {
  await using store = await startPetstore({ now: 1_000, plan: 'unlimited', seed: { pets: [ada] } })
  expect(store.events).toEqual([])
  const order = await send(store, 'POST', '/v1/store/orders', { petId: 1 })
  expect(store.events.map(({ type }) => type)).toEqual(['order.placed', 'pet.updated'])
  const [placed, updated] = store.events
  expect(placed).toMatchObject({
    createdAt: '1970-01-01T00:00:01.000Z',
    requestId: order.headers.get('x-request-id'),
    data: { petId: 1, status: 'placed' },
  })
  expect(updated).toMatchObject({
    accountId: null,
    data: { ...ada, status: 'pending' },
    previous: { status: 'available' },
  })
  for (let i = 0; i < 1_100; i++) await send(store, 'POST', '/v1/pets', { ...ada, name: `Animal ${i}` })
  expect(store.events).toHaveLength(1_102)
  expect(store.events.at(-1)?.data).toMatchObject({ name: 'Animal 1099' })
  await store.reset()
  expect(store.events).toEqual([])
})

test('a stream of events does not end because of its age, since a test can skip years', async () => {
  await using store = await startPetstore({ plan: 'unlimited' })
  const { next } = readMessages(await send(store, 'GET', '/v1/events/stream?types=pet.*'))
  store.clock.advance(365 * 86_400_000)
  await send(store, 'POST', '/v1/pets', ada)
  let message = await next()
  while (message !== undefined && !message.includes('pet.created')) message = await next()
  expect(message).toContain('"Ada"')
})

test('a stream of events ends with a reset', async () => {
  await using store = await startPetstore()
  const stream = await send(store, 'GET', '/v1/events/stream')
  await store.reset()
  expect(await stream.text()).toStartWith('retry: 2000\nid: ')
})

test('reset begins again under the same address and key', async () => {
  await using store = await startPetstore({ plan: 'free', now: 1_000, seed: { pets: [ada] } })
  const { url, key } = store
  const other = await store.createKey()
  await send(store, 'POST', '/v1/pets', { name: 'Bea', categoryId: 7 })
  for (let i = 0; i < 60; i++) await listPets(store)
  store.clock.advance(3_000)
  for (let i = 0; i < 20; i++) await listPets(store)
  expect(await (await listPets(store)).json()).toMatchObject({ code: 'key_banned' })
  store.fail({}, { status: 502 })
  await store.reset()
  expect([store.url, store.key, store.clock.now(), store.requests.length]).toEqual([url, key, 1_000, 0])
  const response = await listPets(store)
  expect([response.status, response.headers.get('x-ratelimit-remaining')]).toEqual([200, '59'])
  expect(await response.json()).toEqual([{ id: 1, ...ada, status: 'available' }])
  expect((await listPets({ ...store, key: other.key })).status).toBe(401)
  expect(await (await send(store, 'POST', '/v1/pets', ada)).json()).toMatchObject({ id: 2 })
})

test('requests that meet a reset get responses', async () => {
  await using store = await startPetstore({ plan: 'unlimited', seed: { pets: [ada] } })
  const results: Promise<number | undefined>[] = []
  for (let i = 0; i < 150; i++) {
    results.push(
      send(store, i % 2 === 0 ? 'GET' : 'POST', '/v1/pets', i % 2 === 0 ? undefined : ada).then(({ status }) => status),
    )
    if (i % 50 === 25) results.push(store.reset().then(() => undefined))
  }
  expect([...new Set(await Promise.all(results))].every((status) => (status ?? 200) < 600)).toBe(true)
  await store.reset()
  expect(await namesOf(store)).toEqual(['Ada'])
})

test('a stopped store says so', async () => {
  const store = await startPetstore()
  await store.stop()
  await expect(store.createKey()).rejects.toThrow('The store is stopped.')
  await expect(store.reset()).rejects.toThrow('The store is stopped.')
})

test('stop ends at once, whatever is open', async () => {
  const store = await startPetstore()
  const { port } = new URL(store.url)
  const closed: Promise<unknown>[] = []
  const open = async (text: string) => {
    const socket = connect(Number(port), '127.0.0.1').on('error', () => {})
    await new Promise((resolve) => socket.on('connect', resolve))
    socket.write(text)
    closed.push(new Promise((resolve) => socket.on('close', resolve)))
  }
  const head = (path: string, type: string) =>
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${store.key}\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n`
  await open('GET /v1/pets HTTP/1.1\r\n')
  await open(`${head('/v1/pets', 'application/json')}5\r\n{"nam\r\n`)
  await open(`${head('/v1/imports', 'text/csv')}5\r\nname,\r\n`)
  store.fail({ method: 'GET' }, { delayMs: 3_600_000 })
  const late = listPets(store).catch(() => 'closed')
  while (store.requests.length < 3) await new Promise((resolve) => setImmediate(resolve))
  const begin = performance.now()
  await store.stop()
  expect(performance.now() - begin).toBeLessThan(1_000)
  await Promise.all([late, ...closed])
})

test('a failed expectation is seen as such while a request is unfinished', async () => {
  const script = `
    import { expect, test } from 'bun:test'
    import { startPetstore } from 'petstore-appliance/testing'
    test('fails', async () => {
      await using store = await startPetstore()
      const body = new ReadableStream({ start: (controller) => controller.enqueue('{"name') })
      const headers = { Authorization: 'Bearer ' + store.key, 'Content-Type': 'application/json' }
      void fetch(store.url + '/v1/pets', { method: 'POST', body, headers }).catch(() => {})
      while (store.requests.length === 0) await new Promise((resolve) => setImmediate(resolve))
      expect('the real failure').toBe('seen')
    })`
  const path = `${import.meta.dir}/failing-${process.pid}.test.ts`
  await Bun.write(path, script)
  try {
    const child = Bun.spawn([process.execPath, 'test', path], { stdout: 'ignore', stderr: 'pipe' })
    const printed = await new Response(child.stderr).text()
    expect([printed.includes('the real failure'), printed.includes('timed out')]).toEqual([true, false])
    expect(await child.exited).toBe(1)
  } finally {
    await Bun.file(path).delete()
  }
})

test('a script that forgets to stop its store ends nevertheless', async () => {
  const script = `
    import { startPetstore } from 'petstore-appliance/testing'
    for (const clock of ['manual', 'running']) {
      const { url, key } = await startPetstore({ clock })
      console.log((await fetch(url + '/v1/pets', { headers: { Authorization: 'Bearer ' + key } })).status)
    }`
  const child = Bun.spawn([process.execPath, '-e', script], { cwd: import.meta.dir, stdout: 'pipe' })
  expect(await new Response(child.stdout).text()).toBe('200\n200\n')
  expect(await child.exited).toBe(0)
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

test('a process that started and stopped fifty stores keeps no file descriptor of them and exits', async () => {
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
  const names = 'plan, perMinute, perDay, now, clock, environment and seed'
  const plans = 'plan must be one of free, pro, business, enterprise and unlimited, not'
  const nowRule =
    'now must be a Date, a time such as "2026-11-20T10:00:00Z", or Unix milliseconds, from 1970 to 9999, not'
  const wrong: [unknown, string][] = [
    [{ plann: 'free' }, 'startPetstore takes no "plann". Did you mean plan?'],
    [{ colour: 'red' }, `startPetstore takes no "colour". It takes ${names}.`],
    [{ plan: 'gold' }, `${plans} "gold".`],
    [{ plan: 'enterprise' }, 'The enterprise plan needs both perMinute and perDay.'],
    [{ plan: 'free', perDay: 5 }, 'perMinute and perDay can be set on the enterprise plan only, not on free.'],
    [{ plan: 'unlimited', perDay: 5 }, "perMinute and perDay need the plan 'enterprise', not 'unlimited'."],
    [{ plan: null }, 'plan must be a string, not null.'],
    [{ plan: { name: 'free' } }, 'plan must be a string, not an object.'],
    [{ now: 'yesterday' }, `${nowRule} "yesterday".`],
    [{ now: new Date('tomorrow') }, `${nowRule} an invalid Date.`],
    [{ now: Number.NaN }, `${nowRule} NaN.`],
    [{ now: 1.5 }, `${nowRule} 1.5.`],
    [{ now: -1 }, `${nowRule} -1.`],
    [{ now: new Date(Date.UTC(10_000, 0)) }, `${nowRule} +010000-01-01T00:00:00.000Z.`],
    [{ now: null }, `${nowRule} null.`],
    [{ clock: 'fast' }, `clock must be 'manual' or 'running', not "fast".`],
    [{ environment: 'test' }, `environment must be 'production' or 'staging', not "test".`],
    [{ seed: { pets: {} } }, 'seed.pets must be an array, not an object.'],
    [{ seed: { pets: [null] } }, 'seed.pets[0]: The body must be a JSON object.'],
    [{ seed: { currency: 7 } }, 'seed.currency must be a string, not 7.'],
    [
      { seed: { pets: [{ name: 'Ada', categoryId: 1, profile: { prize: 1 } }] } },
      'seed.pets[0].profile: `prize`: did you mean `price`?',
    ],
    [{ seed: { orders: [] } }, 'seed takes no "orders". It takes currency, categories and pets.'],
    [{ seed: { pets: [{ name: ' ', categoryId: 1 }] } }, 'seed.pets[0]: name must not be blank.'],
    [{ seed: { categories: [{ name: 'dog' }] } }, 'seed.categories[0]: Category 1 already has the name Dog.'],
    ['free', `startPetstore takes an object with ${names}, not "free".`],
    [['free'], `startPetstore takes an object with ${names}, not an array.`],
    [null, `startPetstore takes an object with ${names}, not null.`],
    [() => {}, `startPetstore takes an object with ${names}, not a function.`],
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
