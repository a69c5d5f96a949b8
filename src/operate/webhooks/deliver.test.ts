import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Scope } from '../../api/scopes.ts'
import { systemClock } from '../../lib/clock.ts'
import { gatherMs } from './deliver.ts'
import { disabledAfterMs } from './rules.ts'
import { openWebhookStore } from './testing/open.ts'
import { startReceiver, type TestReceiver } from './testing/receiver.ts'

let store: Awaited<ReturnType<typeof openWebhookStore>>
let receiver: TestReceiver

beforeEach(async () => {
  store = await openWebhookStore()
  receiver = startReceiver()
})
afterEach(async () => {
  await store.close()
  await receiver.stop()
})

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const refuse = () => new Response('no', { status: 500 })
const accept = () => new Response()
const names = () => receiver.received.map(({ json }) => json.data.name)

/** A webhook for animals. */
const createOne = () => store.create({ url: receiver.url, types: ['pet.*'] })
const failedOnes = (id: number) => store.deliveries(id).filter(({ state }) => state === 'failed')
/** Milliseconds until the next attempt of the oldest delivery that failed. */
const nextInMs = (id: number) => Date.parse(failedOnes(id).at(-1)?.nextAttemptAt ?? '') - store.clock.now()

/** Moves the clock to the next attempt of the oldest delivery that failed, and resolves when that is over. */
async function toNextAttempt(id: number): Promise<void> {
  const before = failedOnes(id).at(-1)
  store.clock.advance(nextInMs(id))
  const isOver = () => store.deliveries(id).find((one) => one.id === before?.id)?.attempts !== before?.attempts
  await store.until(id, isOver)
}

test('events arrive once, in order, and with the record as it was', async () => {
  const { id } = await createOne()
  for (const name of ['Ada', 'Bo', 'Cleo']) await store.addPet(name)
  await store.call('PATCH', '/v1/pets/1', { body: { status: 'sold' } })
  await receiver.until(4)
  const webhook = await store.until(id, ({ pending }) => pending === 0)
  expect(webhook.state).toBe('working')
  expect(receiver.received.map(({ json }) => [json.type, json.data.name, json.data.status])).toEqual([
    ['pet.created', 'Ada', 'available'],
    ['pet.created', 'Bo', 'available'],
    ['pet.created', 'Cleo', 'available'],
    ['pet.updated', 'Ada', 'sold'],
  ])
  expect(receiver.received[3]?.json.previous).toEqual({ status: 'available' })
  const { json: events } = await store.call('GET', '/v1/events?types=pet.*')
  expect(receiver.received.map(({ json }) => json.id)).toEqual(
    events.map(({ id: event }: { id: number }) => `evt_${event}`),
  )
})

test('only the types that were chosen are delivered, and orders of other accounts only on request', async () => {
  const { key } = await store.newKey()
  await store.create({ url: `${receiver.url}?own`, types: ['order.placed'] })
  await store.create({ url: receiver.url, types: ['order.placed'], orders: 'all' })
  for (const name of ['Ada', 'Bo']) await store.addPet(name)
  await store.call('POST', '/v1/store/orders', { body: { petId: 1 } })
  await receiver.until(2)
  await store.call('POST', '/v1/store/orders', { key, body: { petId: 2 } })
  await receiver.until(3)
  await store.until(1, ({ pending }) => pending === 0)
  await store.until(2, ({ pending }) => pending === 0)
  expect(receiver.received.map(({ json }) => json.data.petId).sort()).toEqual([1, 1, 2])
})

test('later events do not wait for a failed delivery, which is tried again after 5 seconds, 5 and 30 minutes, with the same id and bytes', async () => {
  receiver.answer((_, { json }) => (json.data.name === 'Ada' ? refuse() : accept()))
  const { id } = await createOne()
  await store.addPet('Ada')
  await receiver.until(1)
  await store.addPet('Bo')
  await receiver.until(2)
  await store.until(id, ({ lastDelivery }) => lastDelivery?.state === 'delivered')
  expect(names()).toEqual(['Ada', 'Bo'])
  const { json } = await store.call('GET', `/v1/webhooks/${id}/deliveries?state=failed`)
  expect(json).toHaveLength(1)
  expect(json[0]).toMatchObject({ attempts: 1, status: 500, error: 'The receiver responded with 500.', response: 'no' })
  const waits: number[] = []
  for (let i = 0; i < 3; i++) {
    waits.push(nextInMs(id))
    await toNextAttempt(id)
  }
  for (const [i, wait] of [5 * second, 5 * minute, 30 * minute].entries()) {
    expect(waits[i]).toBeGreaterThanOrEqual(wait)
    // A tenth of jitter, and what a job may begin too early.
    expect(waits[i]).toBeLessThanOrEqual(wait * 1.1 + second)
  }
  const ofAda = receiver.received.filter(({ json }) => json.data.name === 'Ada')
  expect(new Set(ofAda.map(({ text }) => text)).size).toBe(1)
  expect(new Set(ofAda.map(({ headers }) => headers.get('webhook-id'))).size).toBe(1)
  expect(new Set(ofAda.map(({ headers }) => headers.get('webhook-timestamp'))).size).toBe(4)
})

test('a longer Retry-After is respected, up to a day', async () => {
  receiver.answer(() => new Response('', { status: 503, headers: { 'Retry-After': '3600' } }))
  const { id } = await createOne()
  await store.addPet('Ada')
  await store.until(id, ({ lastDelivery }) => lastDelivery !== null)
  expect(nextInMs(id)).toBe(hour)
  receiver.answer(() => new Response('', { status: 503, headers: { 'Retry-After': '99999999' } }))
  await toNextAttempt(id)
  expect(nextInMs(id)).toBe(24 * hour)
})

describe('a receiver that is dead', () => {
  beforeEach(() => receiver.answer(refuse))

  /** Fails five times in a row. */
  async function fail() {
    const { id } = await createOne()
    for (let i = 1; i <= 20; i++) await store.addPet(`Pet ${i}`)
    await receiver.until(5)
    await store.until(id, ({ state }) => state === 'failing')
    return id
  }

  test('makes its webhook fail: the position stays, and one delivery is tried at each time', async () => {
    const id = await fail()
    expect(names()).toEqual(['Pet 1', 'Pet 2', 'Pet 3', 'Pet 4', 'Pet 5'])
    expect((await store.get(id)).pending).toBe(20)
    for (let i = 0; i < 3; i++) await toNextAttempt(id)
    expect(names().slice(5)).toEqual(['Pet 1', 'Pet 1', 'Pet 1'])
    expect(store.deliveries(id)).toHaveLength(5)
    // The others are not said to be tried before it.
    const { json } = await store.call('GET', `/v1/webhooks/${id}/deliveries`)
    const times = json.map(({ nextAttemptAt }: { nextAttemptAt: string }) => Date.parse(nextAttemptAt))
    expect(new Set(times)).toEqual(new Set([store.clock.now() + nextInMs(id)]))
  })

  test('gets everything in order once it is back', async () => {
    const id = await fail()
    receiver.answer(accept)
    store.clock.advance(6 * second)
    await receiver.until(25)
    await store.until(id, ({ pending }) => pending === 0)
    expect(names().slice(5)).toEqual(Array.from({ length: 20 }, (_, i) => `Pet ${i + 1}`))
    expect((await store.get(id)).state).toBe('working')
  })

  test('is disabled after five days, and attention says so; enabling continues where it stopped', async () => {
    const id = await fail()
    const start = store.clock.now()
    while ((await store.get(id)).enabled) await toNextAttempt(id)
    expect(store.clock.now() - start).toBeGreaterThanOrEqual(disabledAfterMs)
    expect(store.clock.now() - start).toBeLessThan(disabledAfterMs + 26 * hour)
    // In five days there are few attempts.
    expect(receiver.received.length).toBeLessThan(18)
    expect(await store.get(id)).toMatchObject({ state: 'disabled', enabled: false, pending: 20 })
    const { json: overview } = await store.call('GET', '/v1/overview')
    expect(overview.attention).toContainEqual(
      expect.objectContaining({ kind: 'webhook_disabled', id, name: new URL(receiver.url).host }),
    )
    await store.call('PATCH', `/v1/webhooks/${id}`, { body: { description: 'Till' } })
    const { json: described } = await store.call('GET', '/v1/overview')
    expect(described.attention).toContainEqual(expect.objectContaining({ id, name: 'Till' }))
    const { json: events } = await store.call('GET', '/v1/events?types=webhook.disabled')
    expect(events).toMatchObject([{ type: 'webhook.disabled', data: { id, state: 'disabled', enabled: false } }])
    receiver.answer(accept)
    const before = receiver.received.length
    await store.call('PATCH', `/v1/webhooks/${id}`, { body: { enabled: true } })
    await receiver.until(before + 20)
    await store.until(id, ({ pending }) => pending === 0)
    expect(new Set(names().slice(before))).toEqual(new Set(Array.from({ length: 20 }, (_, i) => `Pet ${i + 1}`)))
  })

  test('from: "now" skips what is pending', async () => {
    const id = await fail()
    receiver.answer(accept)
    const { json } = await store.call('PATCH', `/v1/webhooks/${id}`, { body: { enabled: true, from: 'now' } })
    expect(json).toMatchObject({ pending: 0, state: 'failing' })
    await store.addPet('New')
    await receiver.until(6)
    expect(names().slice(5)).toEqual(['New'])
    await store.until(id, ({ state }) => state === 'working')
  })
})

test('a receiver that always rejects one event gets all others, and its webhook is not disabled', async () => {
  receiver.answer((_, { json }) => (json.data.name === 'Ada' ? refuse() : accept()))
  const { id } = await createOne()
  await store.addPet('Ada')
  await store.until(id, ({ lastDelivery }) => lastDelivery !== null)
  while ((await store.get(id)).state !== 'failing') await toNextAttempt(id)
  const days = disabledAfterMs / (24 * hour) + 1
  for (let day = 0; day < days; day++) {
    store.clock.advance(24 * hour)
    await store.addPet(`Bo ${day}`)
    await store.until(id, ({ pending, state }) => pending === 1 && state === 'working')
  }
  expect(names().filter((name) => name !== 'Ada')).toEqual(Array.from({ length: days }, (_, day) => `Bo ${day}`))
})

test('410 disables at once', async () => {
  receiver.answer(() => new Response('gone', { status: 410 }))
  const { id } = await createOne()
  await store.addPet('Ada')
  await store.until(id, ({ enabled }) => !enabled)
  expect((await store.call('GET', '/v1/events?types=webhook.*')).json).toHaveLength(1)
  await store.addPet('Bo')
  store.clock.advance(hour)
  expect(await store.get(id)).toMatchObject({ state: 'disabled', pending: 2 })
  expect(receiver.received).toHaveLength(1)
})

describe('a webhook rests while its account has no valid key with webhooks:write', () => {
  const scopes: readonly Scope[] = ['pets:read', 'webhooks:read', 'webhooks:write']

  test('after a revocation, until there is another key', async () => {
    const { key, id: keyId, accountId } = await store.newKey({ scopes })
    const { id } = await store.create({ url: receiver.url, types: ['pet.*'] }, key)
    await store.call('DELETE', `/v1/keys/${keyId}`)
    await store.addPet('Ada')
    expect(await store.get(id)).toMatchObject({ state: 'resting', pending: 1 })
    expect(receiver.received).toHaveLength(0)
    await store.call('POST', '/v1/keys', { body: { name: 'Other', accountId, scopes: ['pets:read'] } })
    expect((await store.get(id)).state).toBe('resting')
    await store.call('POST', '/v1/keys', { body: { name: 'Other', accountId, scopes } })
    await receiver.until(1)
  })

  test('and when the key expires; the account of the store always delivers', async () => {
    const { key } = await store.newKey({ scopes, expiresAt: store.clock.now() + hour })
    const { id } = await store.create({ url: receiver.url, types: ['pet.*'] }, key)
    const own = await createOne()
    const { id: keyId } = (await store.call('GET', '/v1/keys/current')).json
    expect(keyId).toBe(1)
    store.clock.advance(2 * hour)
    await store.addPet('Ada')
    await store.until(own.id, ({ lastDelivery }) => lastDelivery !== null)
    expect((await store.get(id)).state).toBe('resting')
    expect(receiver.received).toHaveLength(1)
  })
})

test('a delivery is tried again at once on request, even if it was delivered', async () => {
  receiver.answer(refuse)
  const { id } = await createOne()
  await store.addPet('Ada')
  await store.until(id, ({ lastDelivery }) => lastDelivery !== null)
  receiver.answer(accept)
  const delivery = store.deliveries(id)[0]?.id
  const retry = () => store.call('POST', `/v1/webhooks/deliveries/${delivery}/retry`)
  expect((await retry()).json).toMatchObject({ id: delivery, nextAttemptAt: '2026-11-20T10:15:00.000Z' })
  await receiver.until(2)
  await store.until(id, ({ lastDelivery }) => lastDelivery?.state === 'delivered')
  await retry()
  await receiver.until(3)
  expect(new Set(receiver.received.map(({ json }) => json.id)).size).toBe(1)
  const { key } = await store.newKey({ scopes: ['pets:read', 'webhooks:write'] })
  expect((await store.call('POST', `/v1/webhooks/deliveries/${delivery}/retry`, { key })).status).toBe(404)
  expect((await store.call('POST', '/v1/webhooks/deliveries/99/retry')).status).toBe(404)
})

test('a replay delivers everything since an event or a time again, with the same ids', async () => {
  const { id } = await createOne()
  await store.addPet('Ada')
  await receiver.until(1)
  store.clock.advance(hour)
  for (const name of ['Bo', 'Cleo']) await store.addPet(name)
  await receiver.until(3)
  await store.until(id, ({ pending }) => pending === 0)
  const { json: events } = await store.call('GET', '/v1/events?types=pet.*')
  const replay = (body: object) => store.call('POST', `/v1/webhooks/${id}/replay`, { body })
  const after = await replay({ after: events[0].id })
  expect([after.status, after.json]).toEqual([202, { deliveries: 2 }])
  await receiver.until(5)
  await store.until(id, ({ pending }) => pending === 0)
  expect((await replay({ since: '2026-11-20T11:00:00Z' })).json).toEqual({ deliveries: 2 })
  await receiver.until(7)
  expect(names()).toEqual(['Ada', 'Bo', 'Cleo', 'Bo', 'Cleo', 'Bo', 'Cleo'])
  expect(receiver.received[3]?.json.id).toBe(receiver.received[1]?.json.id)
  expect((await replay({ after: 7 })).json.code).toBe('events_expired')
  expect((await replay({})).json.code).toBe('invalid_body')
  expect((await replay({ after: 0, since: '2026-11-20T11:00:00Z' })).json.code).toBe('invalid_body')
})

test('nothing is delivered again to a disabled webhook, and its deliveries have no next attempt', async () => {
  receiver.answer(refuse)
  const { id } = await createOne()
  await store.addPet('Ada')
  await store.until(id, ({ lastDelivery }) => lastDelivery !== null)
  await store.call('PATCH', `/v1/webhooks/${id}`, { body: { enabled: false } })
  const { json: deliveries } = await store.call('GET', `/v1/webhooks/${id}/deliveries`)
  expect(deliveries).toMatchObject([{ state: 'failed', nextAttemptAt: null }])
  for (const [path, body] of [
    [`/v1/webhooks/deliveries/${deliveries[0].id}/retry`, undefined],
    [`/v1/webhooks/${id}/replay`, { after: 0 }],
  ] as const) {
    const { json } = await store.call('POST', path, { body })
    expect([json.code, json.message]).toEqual(['conflict', `Webhook ${id} is disabled: enable it first.`])
  }
})

test('for 24 hours after a new secret each delivery has two signatures', async () => {
  const { id, secret } = await createOne()
  const { json, status } = await store.call('POST', `/v1/webhooks/${id}/secret`)
  expect(status).toBe(201)
  expect(json.secret).not.toBe(secret)
  await store.addPet('Ada')
  await receiver.until(1)
  await store.until(id, ({ pending }) => pending === 0)
  store.clock.advance(24 * hour)
  await store.addPet('Bo')
  await receiver.until(2)
  const signatures = receiver.received.map(({ headers }) => headers.get('webhook-signature')?.split(' ').length)
  expect(signatures).toEqual([2, 1])
})

test('600 events of an account are delivered in a minute; the others wait, except for retries', async () => {
  receiver.answer((count) => (count === 600 ? refuse() : accept()))
  const { id } = await createOne()
  const body = { pets: Array.from({ length: 100 }, (_, i) => ({ id: i + 1, status: 'sold' })) }
  for (let i = 1; i <= 100; i++) await store.addPet(`Pet ${i}`)
  await receiver.until(100)
  for (let i = 0; i < 6; i++) {
    const status = i % 2 === 0 ? 'pending' : 'available'
    for (const pet of body.pets) await store.call('PATCH', `/v1/pets/${pet.id}`, { body: { status } })
  }
  await receiver.until(600)
  const isTried = () => store.deliveries(id).some(({ state }) => state === 'failed')
  await store.until(id, ({ pending }) => pending === 100 && isTried())
  expect(receiver.received).toHaveLength(600)
  await looked()
  const calls = callsOfStore()
  await store.addPet('Ada')
  await looked()
  expect(calls).toEqual(['find', 'due', 'earliest'])
  store.clock.advance(6 * second)
  expect((await receiver.until(601)).at(-1)?.text).toBe(receiver.received[599]?.text)
  await store.until(id, () => !isTried())
  store.clock.advance(minute)
  await receiver.until(702)
})

test('an account has two requests to a host at once, and another account does not wait for them', async () => {
  const scopes: readonly Scope[] = ['pets:read', 'webhooks:read', 'webhooks:write']
  const answers = Promise.withResolvers<Response>()
  receiver.answer(() => answers.promise)
  // The same host: the port does not count.
  const other = startReceiver()
  const { key } = await store.newKey({ scopes })
  for (let i = 0; i < 3; i++) await store.create({ url: receiver.url, types: ['pet.*'] }, key)
  const own = await store.create({ url: other.url, types: ['pet.*'] })
  const test = (id: number) => store.call('POST', `/v1/webhooks/${id}/test`)
  await store.addPet('Ada')
  await receiver.until(2)
  await other.until(1)
  expect((await test(own.id)).json).toMatchObject({ delivered: true })
  const refused = await test(1)
  expect([refused.status, refused.json.code, refused.headers.get('retry-after')]).toEqual([503, 'too_busy', '15'])
  await looked()
  expect(receiver.received).toHaveLength(2)
  answers.resolve(new Response())
  await receiver.until(3)
  await other.stop()
})

test('metrics count attempts by their result, and have the age of the oldest pending event', async () => {
  const { results, oldestPendingMs } = store.app.webhookDelivery
  expect([results, oldestPendingMs()]).toEqual([{ delivered: 0, failed: 0 }, 0])
  receiver.answer((_, { json }) => (json.data.name === 'Ada' ? refuse() : accept()))
  const { id } = await createOne()
  for (const name of ['Ada', 'Bo']) await store.addPet(name)
  await store.until(id, ({ lastDelivery, pending }) => lastDelivery?.state === 'delivered' && pending === 1)
  store.clock.setWall(store.clock.now() + hour)
  expect([results, Math.round(oldestPendingMs())]).toEqual([{ delivered: 1, failed: 1 }, hour])
})

/**
 * Resolves when what has happened so far was looked at: a timer with the same delay ends after those that were set
 * before.
 */
const looked = () => new Promise<void>((resolve) => void systemClock.after(gatherMs, resolve))

/** The names of the queries of webhooks from now on. */
function callsOfStore(): string[] {
  const calls: string[] = []
  const rows = store.app.webhooks as unknown as Record<string, (...values: unknown[]) => unknown>
  for (const [name, read] of Object.entries(rows)) {
    rows[name] = (...values) => {
      calls.push(name)
      return read.apply(rows, values)
    }
  }
  return calls
}

test('a store without webhooks reads nothing for them, and one that has delivered everything reads nothing until something happens', async () => {
  const calls = callsOfStore()
  store.clock.advance(second)
  await store.addPet('Ada')
  await looked()
  calls.length = 0
  for (const name of ['Bo', 'Cleo']) await store.addPet(name)
  store.clock.advance(24 * hour)
  await looked()
  expect(calls).toEqual([])
  const { id } = await createOne()
  await store.addPet('Dora')
  await store.until(id, ({ lastDelivery }) => lastDelivery !== null)
  await looked()
  calls.length = 0
  store.clock.advance(59 * minute)
  expect(calls).toEqual([])
})
