import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { heartbeatMs, unreadBytes } from '../../api/event-streams.ts'
import { readMessages } from '../../testing/event-stream.ts'
import { openTestStore, type TestStore } from '../../testing/harness.ts'
import {
  gatheringMs,
  longestStreamMs,
  reopeningMs,
  streamsInAll,
  streamsOfAccount,
  streamsUngathered,
} from './stream.ts'

let store: TestStore
beforeEach(async () => {
  store = await openTestStore()
})
afterEach(() => store.close())

interface OpenOptions {
  readonly query?: string
  readonly key?: string
  readonly lastEventId?: number | string
  readonly method?: string
}

async function request({ query = '', key = store.key, lastEventId, method = 'GET' }: OpenOptions = {}) {
  const abort = new AbortController()
  const headers = {
    Authorization: `Bearer ${key}`,
    ...(lastEventId === undefined ? {} : { 'Last-Event-ID': String(lastEventId) }),
  }
  const url = `http://localhost/v1/events/stream${query}`
  const response = await store.app.api.fetch(new Request(url, { method, headers, signal: abort.signal }))
  return { response, abort }
}

/** Opens a stream; `next` resolves to its next message, or to undefined at its end. */
async function open(options: OpenOptions = {}) {
  const { response, abort } = await request(options)
  expect(response.status).toBe(200)
  const { next, cancel } = readMessages(response)
  const greeting = await next()
  const event = async () => {
    const message = await next()
    return message && JSON.parse(message.split('\ndata: ')[1] ?? 'null')
  }
  const names = async (number: number) => {
    const found: string[] = []
    while (found.length < number) found.push((await event()).data.name)
    return found
  }
  return { response, greeting, next, event, names, cancel, abort: () => abort.abort() }
}

const add = (name: string, key = store.key) => store.call('POST', '/v1/pets', { key, body: { name, categoryId: 1 } })
const newest = async () => (await store.call('GET', '/v1/events?order=desc&limit=1')).json[0]
const errorOf = async (options: OpenOptions) => {
  const { response } = await request(options)
  return { status: response.status, code: (await response.json()).code, headers: response.headers }
}

describe('a stream', () => {
  test('has the headers of server-sent events and no tag', async () => {
    const { response, greeting } = await open()
    const { headers } = response
    expect(headers.get('content-type')).toBe('text/event-stream')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-accel-buffering')).toBe('no')
    expect(headers.get('etag')).toBeNull()
    expect(headers.get('x-request-id')).toStartWith('req_')
    expect(greeting).toBe(`retry: 2000\nid: ${(await newest()).id}`)
  })

  test('sends each event as the feed has it', async () => {
    const { next } = await open({ query: '?types=pet.*' })
    await add('Ada')
    const event = await newest()
    expect(await next()).toBe(`id: ${event.id}\nevent: pet.created\ndata: ${JSON.stringify(event)}`)
  })

  test('begins with the next event', async () => {
    await add('Ada')
    const { names } = await open()
    await add('Bea')
    expect(await names(1)).toEqual(['Bea'])
  })

  test('begins with the stored events after `after`, and continues with the new ones', async () => {
    for (let i = 0; i < 120; i++) await add(`Animal ${i}`)
    const { names } = await open({ query: '?after=0&types=pet.*' })
    const expected = Array.from({ length: 120 }, (_, i) => `Animal ${i}`)
    expect(await names(60)).toEqual(expected.slice(0, 60))
    await add('Last')
    expect(await names(61)).toEqual([...expected.slice(60), 'Last'])
    await add('Later')
    expect(await names(1)).toEqual(['Later'])
  })

  test('begins after Last-Event-ID rather than `after`', async () => {
    await add('Ada')
    const { id } = await newest()
    await add('Bea')
    const { names } = await open({ query: '?after=0', lastEventId: id })
    expect(await names(1)).toEqual(['Bea'])
  })

  test('of a client that has received no event resumes at its greeting', async () => {
    const { greeting, cancel } = await open()
    await cancel()
    await add('Ada')
    const { names } = await open({ lastEventId: greeting?.split('id: ')[1] ?? '' })
    expect(await names(1)).toEqual(['Ada'])
  })

  test('sends no event that the key may not see, or that was not requested', async () => {
    const seller = await store.newKey({ scopes: ['orders:read', 'orders:write'] })
    const streams = {
      seller: await open({ key: seller.key, query: '?after=0' }),
      orders: await open({ query: '?types=order.placed' }),
    }
    const { id: petId } = (await add('Ada')).json
    await store.call('POST', '/v1/store/orders', { body: { petId } })
    const { id: second } = (await add('Bea')).json
    await store.call('POST', '/v1/store/orders', { key: seller.key, body: { petId: second } })
    expect((await streams.seller.event()).data.petName).toBe('Bea')
    expect((await streams.orders.event()).data.petName).toBe('Ada')
    expect((await streams.orders.event()).data.petName).toBe('Bea')
  })

  test('has a heartbeat every 15 seconds, with the last event that was examined', async () => {
    const { next } = await open({ query: '?types=order.placed' })
    await add('Ada')
    const { id } = await newest()
    store.clock.advance(heartbeatMs)
    expect(await next()).toBe(`: heartbeat\nid: ${id}`)
    store.clock.advance(heartbeatMs)
    expect(await next()).toBe(`: heartbeat\nid: ${id}`)
  })

  test('counts as one request', async () => {
    const used = async () => (await store.call('GET', '/v1/keys/current')).json.used.day
    const before = await used()
    const { names } = await open()
    await add('Ada')
    await names(1)
    expect(await used()).toBe(before + 3)
  })

  test('is not opened by HEAD', async () => {
    const { response } = await request({ method: 'HEAD' })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    expect([await response.text(), store.app.followers.size()]).toEqual(['', 0])
  })

  test('does not begin after an event that is not known, nor with a wrong Last-Event-ID', async () => {
    await add('Ada')
    const { id } = await newest()
    for (const method of ['GET', 'HEAD']) {
      for (const query of [`?after=${id + 1}`, `?after=${id - 1_000_000}`, '?after=1']) {
        expect((await request({ query, method })).response.status).toBe(410)
      }
    }
    expect(await errorOf({ lastEventId: id + 1 })).toMatchObject({ status: 410, code: 'events_expired' })
    for (const lastEventId of ['evt_1', '-1', '1.5', '9007199254740993', '1 2']) {
      expect(await errorOf({ lastEventId })).toMatchObject({ status: 400, code: 'invalid_parameter' })
    }
    expect(await errorOf({ query: '?types=pets.*' })).toMatchObject({ status: 400, code: 'invalid_parameter' })
    const { key } = await store.newKey({ scopes: ['pets:write'] })
    expect(await errorOf({ key })).toMatchObject({ status: 403, code: 'insufficient_scope' })
    expect(store.app.followers.size()).toBe(0)
  })
})

describe('a stream ends', () => {
  /** Reads to the end. */
  async function ends({ next }: Awaited<ReturnType<typeof open>>) {
    while ((await next()) !== undefined);
  }

  test('when its key is revoked, and no other one does', async () => {
    const [ours, theirs] = [await store.newKey(), await store.newKey()]
    const [first, second] = [await open({ key: ours.key }), await open({ key: theirs.key })]
    await store.call('DELETE', `/v1/keys/${ours.id}`)
    await ends(first)
    await add('Ada')
    expect(await second.names(1)).toEqual(['Ada'])
  })

  test('when its key gets other scopes or another expiry', async () => {
    for (const body of [{ scopes: ['orders:read'] }, { expiresAt: '2026-11-21T00:00:00Z' }]) {
      const { id, key } = await store.newKey()
      const stream = await open({ key })
      await store.call('PATCH', `/v1/keys/${id}`, { body })
      await ends(stream)
    }
    const { id, key } = await store.newKey()
    const { names } = await open({ key })
    await store.call('PATCH', `/v1/keys/${id}`, { body: { name: 'Renamed' } })
    await add('Ada')
    expect(await names(1)).toEqual(['Ada'])
  })

  test('when its key expires, before it sends another event', async () => {
    const expiresAt = store.clock.now() + 60_000
    const [idle, busy] = [await store.newKey({ expiresAt }), await store.newKey({ expiresAt })]
    const [first, second] = [await open({ key: idle.key }), await open({ key: busy.key })]
    store.clock.skip(60_000)
    await add('Ada')
    for (const { next } of [first, second]) {
      for (let message = await next(); message !== undefined; message = await next()) {
        expect(message).toStartWith(': heartbeat')
      }
    }
    expect(store.app.followers.size()).toBe(0)
  })

  test('after five minutes, with a short wait before it is opened again, and its client misses nothing', async () => {
    const { next } = await open({ query: '?types=pet.*' })
    store.clock.advance(longestStreamMs - 1)
    expect(store.app.followers.size()).toBe(1)
    await add('Ada')
    store.clock.advance(1)
    expect(store.app.followers.size()).toBe(0)
    const messages: string[] = []
    for (let message = await next(); message !== undefined; message = await next()) messages.push(message)
    const { id } = await newest()
    expect(messages.at(-1)).toBe(`retry: 100\nid: ${id}`)
    expect(messages.filter((message) => message.includes('"Ada"'))).toHaveLength(1)
    await add('Bea')
    const { greeting, names } = await open({ query: '?types=pet.*', lastEventId: id })
    expect(greeting).toStartWith('retry: 2000\n')
    expect(await names(1)).toEqual(['Bea'])
  })

  test('when its key is banned', async () => {
    const { key } = await store.newKey({ plan: 'free' })
    const stream = await open({ key })
    const list = () => store.call('GET', '/v1/pets', { key })
    while ((await list()).status === 200);
    store.clock.advance(2_001)
    while ((await list()).json.code !== 'key_banned');
    await ends(stream)
    expect(await errorOf({ key })).toMatchObject({ status: 429, code: 'key_banned' })
  })

  test('when the client closes it', async () => {
    const [first, second] = [await open(), await open()]
    await first.cancel()
    second.abort()
    expect(store.app.followers.size()).toBe(0)
    const url = 'http://localhost/v1/events/stream'
    const headers = { Authorization: `Bearer ${store.key}` }
    await store.app.api.fetch(new Request(url, { headers, signal: AbortSignal.abort() }))
    expect(store.app.followers.size()).toBe(0)
  })

  test('when the server stops, and no other one begins', async () => {
    const stream = await open()
    store.app.endStreams()
    await ends(stream)
    expect(await errorOf({})).toMatchObject({ status: 429, code: 'too_many_streams' })
  })

  test('when its client leaves a mebibyte unread, and it resumes without a gap', async () => {
    const { key } = await store.newKey({ plan: 'enterprise' })
    const { greeting, next } = await open({ query: '?types=pet.*' })
    const name = 'a'.repeat(100)
    const size = unreadBytes / 350
    let added = 0
    while (store.app.followers.size() > 0) {
      expect(added).toBeLessThan(3 * size)
      await Promise.all(Array.from({ length: 100 }, () => add(name, key)))
      added += 100
    }
    let last = greeting?.split('id: ')[1] ?? ''
    let received = 0
    for (let message = await next(); message !== undefined; message = await next()) {
      last = message.slice('id: '.length, message.indexOf('\n'))
      received++
    }
    expect(received).toBeGreaterThan(size / 2)
    const { names } = await open({ query: '?types=pet.*', lastEventId: last })
    expect(await names(added - received)).toHaveLength(added - received)
    await add('Last')
    expect(await names(1)).toEqual(['Last'])
  })
})

describe('a stream that is opened again after five minutes', () => {
  const stream = '/v1/events/stream'
  let key: string

  /** A key of the plan Free whose stream has ended `waitMs` ago, because it was five minutes old. */
  beforeEach(async () => {
    key = (await store.newKey({ plan: 'free' })).key
    await open({ key })
    store.clock.advance(longestStreamMs)
  })

  /** The requests of today, this one included. */
  const used = async () => (await store.call('GET', '/v1/keys/current', { key })).json.used.day
  const reopen = (
    headers: Readonly<Record<string, string>> = { 'Last-Event-ID': '0' },
    path = stream,
    method = 'GET',
  ) => store.call(method, path, { key, headers })

  test('counts towards no limit, once, and its headers are true', async () => {
    const before = await used()
    const { status, headers } = await reopen()
    expect([status, headers.get('x-ratelimit-remaining')]).toEqual([200, '59'])
    expect(headers.get('ratelimit')).toContain(`"day";r=${1_000 - before}`)
    expect(await used()).toBe(before + 1)
    expect((await reopen()).headers.get('x-ratelimit-remaining')).toBe('57')
    expect(await used()).toBe(before + 3)
  })

  test('is admitted with both limits used up', async () => {
    const account = { name: 'Small', plan: 'enterprise', perMinute: 2, perDay: 3 }
    const { id: accountId } = (await store.call('POST', '/v1/accounts', { body: account })).json
    key = (await store.call('POST', '/v1/keys', { body: { name: 'Small', accountId } })).json.key
    const list = () => store.call('GET', '/v1/pets', { key })
    await open({ key })
    store.clock.advance(longestStreamMs)
    while ((await list()).status === 200);
    const { status, headers } = await reopen()
    expect([status, headers.get('ratelimit')]).toEqual([200, '"minute";r=0;t=61, "day";r=0;t=48900'])
    expect((await reopen()).json.code).toBe('daily_quota_exceeded')
  })

  test('is not admitted while its key is banned', async () => {
    while ((await store.call('GET', '/v1/pets', { key })).json.code !== 'rate_limit_exceeded');
    store.clock.advance(2_001)
    while ((await store.call('GET', '/v1/pets', { key })).json.code !== 'key_banned');
    expect((await reopen()).json.code).toBe('key_banned')
  })

  test('counts without Last-Event-ID, as HEAD, by another account, and later than 30 seconds', async () => {
    const other = (await store.newKey({ plan: 'free' })).key
    const before = await used()
    await reopen({})
    await reopen({ 'Last-Event-ID': '0' }, stream, 'HEAD')
    await reopen({ 'Last-Event-ID': '0' }, '/v1/events')
    const { headers } = await store.call('GET', stream, { key: other, headers: { 'Last-Event-ID': '0' } })
    expect(headers.get('x-ratelimit-remaining')).toBe('59')
    expect(await used()).toBe(before + 4)
    store.clock.advance(reopeningMs + 1)
    await reopen()
    expect(await used()).toBe(before + 6)
  })
})

test('an account has at most ten streams, and a rejected one leads to no ban', async () => {
  const { key, accountId } = await store.newKey()
  const streams = []
  for (let i = 0; i < streamsOfAccount; i++) streams.push(await open({ key }))
  store.clock.advance(10_000)
  const ofSameAccount = (await store.call('POST', '/v1/keys', { body: { name: 'Second', accountId } })).json.key
  for (let i = 0; i < 50; i++) {
    const { headers, ...rejected } = await errorOf({ key: ofSameAccount })
    expect(rejected).toEqual({ status: 429, code: 'too_many_streams' })
    expect(headers.get('retry-after')).toBe(String(Math.ceil(290 - i / 10)))
    store.clock.advance(100)
  }
  expect((await store.call('GET', '/v1/pets', { key })).status).toBe(200)
  await open()
  await streams[0]?.cancel()
  await open({ key: ofSameAccount })
})

test('the service has at most 200 streams, and says when the oldest of all ends', async () => {
  for (let i = 0; i < streamsInAll / streamsOfAccount; i++) {
    const { key } = await store.newKey()
    for (let j = 0; j < streamsOfAccount; j++) await open({ key })
    store.clock.advance(1_000)
  }
  const { status, code, headers } = await errorOf({})
  expect([status, code, headers.get('retry-after')]).toEqual([429, 'too_many_streams', '280'])
  expect((await request({ method: 'HEAD' })).response.status).toBe(200)
})

test('while more than 20 streams are open, events are gathered for at most a tenth of a second', async () => {
  const streams = []
  for (let i = 0; i <= streamsUngathered; i++) {
    const key = i % 2 === 0 ? store.key : (await store.newKey()).key
    streams.push(
      await open({ key: i < 2 * streamsOfAccount ? key : (await store.newKey()).key, query: '?types=pet.*' }),
    )
  }
  store.clock.advance(gatheringMs)
  await add('Ada')
  await add('Bea')
  for (const { names } of streams) expect(await names(1)).toEqual(['Ada'])
  store.clock.advance(gatheringMs)
  await add('Cleo')
  const late = await open({ key: (await store.newKey()).key, query: '?types=pet.*' })
  await add('Dora')
  for (const { names } of streams) expect(await names(1)).toEqual(['Bea'])
  store.clock.advance(gatheringMs)
  for (const { names } of streams) expect(await names(2)).toEqual(['Cleo', 'Dora'])
  expect(await late.names(1)).toEqual(['Dora'])
})
