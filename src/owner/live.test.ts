import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { heartbeatMs } from '../api/event-streams.ts'
import { readMessages } from '../testing/event-stream.ts'
import { messageStepMs, streamsOfSession } from './live.ts'
import { openTestDashboard, type TestBrowser, type TestDashboard } from './testing/dashboard.ts'

let dashboard: TestDashboard
let browser: TestBrowser
beforeEach(async () => {
  dashboard = await openTestDashboard()
  browser = await dashboard.setUp()
})
afterEach(() => dashboard.close())

/** Opens a stream; `next` resolves to its next message, or to undefined at its end. */
async function open(from = browser) {
  const response = await from.open('/dashboard/live')
  const { next } = readMessages(response)
  expect([response.status, await next()]).toEqual([200, ': connected'])
  return { response, next, topics: async () => JSON.parse((await next())?.slice(6) ?? 'null')?.topics }
}

const addPet = (name: string) => dashboard.call('POST', '/v1/pets', { body: { name, categoryId: 1 } })

describe('the event stream', () => {
  test('names what has changed, at most once a second', async () => {
    const { response, topics } = await open()
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    expect(response.headers.get('x-accel-buffering')).toBe('no')
    expect(response.headers.get('cache-control')).toBe('no-store')
    await addPet('Ada')
    expect(await topics()).toContain('pets')
    await addPet('Bea')
    await dashboard.call('POST', '/v1/store/orders', { body: { petId: 1 } })
    dashboard.clock.advance(messageStepMs)
    const second = await topics()
    for (const topic of ['pets', 'orders']) expect(second).toContain(topic)
  })

  test('has a heartbeat every 15 seconds', async () => {
    const { next } = await open()
    dashboard.clock.advance(heartbeatMs)
    expect(await next()).toBe(': heartbeat')
    dashboard.clock.advance(heartbeatMs)
    expect(await next()).toBe(': heartbeat')
  })

  test('reports an import over HTTP, which the audit log ascribes to the owner', async () => {
    const { topics } = await open()
    const token = await browser.trade()
    const headers = { 'Content-Type': 'text/csv' }
    const rawBody = 'name,category,status\nAda,Dog,available\nBea,Cat,available\n'
    const { status } = await dashboard.call('POST', '/v1/imports', { key: token, headers, rawBody })
    expect(status).toBe(201)
    expect(await topics()).toContain('imports')
    const { json: audit } = await dashboard.call('GET', '/v1/audit?limit=1')
    expect(audit[0]).toMatchObject({ actor: 'owner', action: 'import.created', accountId: 1 })
  })

  test('is not opened by HEAD', async () => {
    const { status, headers } = await browser.send('/dashboard/live', { method: 'HEAD' })
    expect([status, headers.get('content-type'), dashboard.app.live.size()]).toEqual([200, 'text/event-stream', 0])
  })

  test('needs a session and comes only to our own pages', async () => {
    expect((await dashboard.browser().get('/dashboard/live')).status).toBe(401)
    for (const site of ['cross-site', 'same-site']) {
      expect((await browser.get('/dashboard/live', { 'sec-fetch-site': site })).status).toBe(403)
    }
  })
})

describe('a stream ends', () => {
  test('when its session is signed out, and only then', async () => {
    const phone = dashboard.browser()
    await phone.signIn()
    const [ours, theirs] = [await open(), await open(phone)]
    await browser.post('/dashboard/sign-out')
    // The last change may still arrive.
    while ((await ours.next()) !== undefined);
    expect(dashboard.app.live.size()).toBe(1)
    dashboard.clock.advance(heartbeatMs)
    while ((await theirs.next()) !== ': heartbeat');
  })

  test('when its session has become too old', async () => {
    const { next } = await open()
    dashboard.clock.skip(7 * 86_400_000)
    expect(await next()).toBeUndefined()
    expect(dashboard.app.live.size()).toBe(0)
  })

  test('when the browser closes it', async () => {
    const abort = new AbortController()
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    await fetch(`${dashboard.url}/dashboard/live`, { headers: { cookie }, signal: abort.signal })
    expect(dashboard.app.live.size()).toBe(1)
    abort.abort()
    while (dashboard.app.live.size() > 0) await Bun.sleep(5)
  })

  test('when the server stops, and no other one begins', async () => {
    const { next } = await open()
    dashboard.app.live.close()
    expect(await next()).toBeUndefined()
    const { status, headers } = await browser.get('/dashboard/live')
    expect([status, headers.get('retry-after')]).toEqual([429, '5'])
  })
})

test('a session has at most 20 streams: the oldest of them gives way to a new one', async () => {
  const phone = dashboard.browser()
  await phone.signIn()
  const theirs = await open(phone)
  const ours = []
  for (let i = 0; i <= streamsOfSession; i++) ours.push(await open())
  expect(dashboard.app.live.size()).toBe(streamsOfSession + 1)
  while ((await ours[0]?.next()) !== undefined);
  dashboard.clock.advance(heartbeatMs)
  for (const { next } of [theirs, ...ours.slice(1)]) {
    for (let message = await next(); message !== ': heartbeat'; message = await next())
      expect(message).toStartWith('data')
  }
})
