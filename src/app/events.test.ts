import { afterEach, beforeEach, expect, test } from 'bun:test'
import Ajv2020 from 'ajv/dist/2020'
import { eventSchema } from '../access/events/declare.ts'
import { type EventType, eventTypes, visibleEvents } from '../access/events/rules.ts'
import { type Event, eventMembers } from '../access/events/schemas.ts'
import { keyJobs } from '../access/keys/jobs.ts'
import { openTestDashboard, type TestDashboard } from '../access/owner/testing/dashboard.ts'
import { attachCommand } from '../api/context.ts'
import { scopes } from '../api/scopes.ts'
import type { Job } from '../lib/scheduler.ts'
import { createCommandApi } from './command-api.ts'
import { eventDeclarations } from './events.ts'

let store: TestDashboard
beforeEach(async () => {
  store = await openTestDashboard()
})
afterEach(() => store.close())

interface Answer {
  // biome-ignore lint/suspicious/noExplicitAny: each row reads its own record
  readonly json: any
  readonly text: string
  readonly requestId: string | null
}
type Send = (method: string, path: string, body?: unknown, type?: string) => Promise<Answer>

/** The ways in which a change is made: each is a client of the API. */
const ways: Readonly<Record<string, () => Promise<Send>>> = {
  async API() {
    const { key } = await store.newKey({ scopes })
    return (method, path, body, type) => fetchWith({ authorization: `Bearer ${key}` }, method, path, body, type)
  },
  async dashboard() {
    const token = await (await store.setUp()).trade()
    return (method, path, body, type) => fetchWith({ authorization: `Bearer ${token}` }, method, path, body, type)
  },
  async command() {
    const fetch = createCommandApi(store.app)
    return async (method, path, body, type) => {
      const request = requestOf({}, method, path, body, type)
      attachCommand(request, store.clock.monotonic())
      return answerOf(await fetch(request))
    }
  },
}

function requestOf(headers: Record<string, string>, method: string, path: string, body?: unknown, type?: string) {
  return new Request(`http://localhost${path}`, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': type ?? 'application/json' }) },
    ...(body === undefined ? {} : { body: type === undefined ? JSON.stringify(body) : String(body) }),
  })
}

async function fetchWith(...[headers, ...rest]: Parameters<typeof requestOf>): Promise<Answer> {
  return answerOf(await store.app.api.fetch(requestOf(headers, ...rest)))
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text()
  expect(response.status, text).toBeLessThan(300)
  return { json: text === '' ? undefined : JSON.parse(text), text, requestId: response.headers.get('x-request-id') }
}

const read = async (query: string): Promise<Event[]> =>
  (await store.call('GET', `/v1/events?limit=100&${query}`)).json as Event[]
const newest = async () => (await read('order=desc')).at(0)?.id ?? 0

const ajv = new Ajv2020({ strict: false, validateFormats: false })
const isValid = Object.fromEntries(
  eventTypes.map((type) => {
    const schema = JSON.parse(JSON.stringify(eventSchema(type, eventDeclarations[type], eventMembers)))
    return [type, ajv.compile(schema)]
  }),
)

/** The changes in their order. `get` is the address of the record after the change; a removal has none. */
interface Change {
  readonly events: readonly EventType[]
  readonly previous?: object
  readonly get?: (answer: Answer) => string
  readonly make: (send: Send) => Promise<Answer>
}

const pet = () => '/v1/pets?ids=1'
const order = ({ json }: Answer) => `/v1/store/orders/${json.id}`
const keyOf = ({ json }: Answer) => `/v1/keys/${json.id}`
const csv = 'name,category\nTom,Cat\nFido,Dog\n'

/** `last` is the id of the key that the rows before have made. */
function changesOf(): readonly Change[] {
  let last = 0
  const remember = (answer: Answer) => {
    last = answer.json.id
    return answer
  }
  const lastKey = () => `/v1/keys/${last}`
  return [
    {
      events: ['pet.created'],
      get: pet,
      make: (send) => send('POST', '/v1/pets', { name: 'Ada', categoryId: 1 }),
    },
    {
      events: ['pet.updated'],
      previous: { name: 'Ada', categoryId: 1 },
      get: pet,
      make: (send) => send('PATCH', '/v1/pets/1', { name: 'Bea', categoryId: 70, status: 'available' }),
    },
    { events: ['pet.deleted'], make: (send) => send('DELETE', '/v1/pets/1') },
    { events: ['pet.restored'], get: pet, make: (send) => send('POST', '/v1/pets/1/restore') },
    {
      events: ['pet.updated'],
      previous: { name: 'Bea' },
      get: pet,
      make: (send) => send('POST', '/v1/pets/batch', { ids: [1, 99], change: { name: 'Cleo' } }),
    },
    { events: ['pet.deleted'], make: (send) => send('POST', '/v1/pets/batch', { ids: [1], delete: true }) },
    { events: ['pet.restored'], get: pet, make: (send) => send('POST', '/v1/pets/batch', { ids: [1], restore: true }) },
    {
      events: ['category.created'],
      get: ({ json }) => `/v1/categories/${json.id}`,
      make: (send) => send('POST', '/v1/categories', { name: 'Otter' }),
    },
    {
      events: ['category.updated'],
      previous: { name: null },
      get: () => '/v1/categories/70',
      make: (send) => send('PUT', '/v1/categories/70', { name: 'Goat' }),
    },
    {
      events: ['category.created'],
      get: () => '/v1/categories/90',
      make: (send) => send('PUT', '/v1/categories/90', { name: 'Sheep' }),
    },
    {
      events: ['order.placed', 'pet.updated'],
      get: order,
      make: (send) => send('POST', '/v1/store/orders', { petId: 1, note: 'Gift' }),
    },
    { events: ['order.approved'], get: order, make: (send) => send('POST', '/v1/store/orders/1/approve') },
    {
      events: ['order.cancelled', 'pet.updated'],
      get: order,
      make: (send) => send('POST', '/v1/store/orders/1/cancel'),
    },
    {
      events: ['order.placed', 'pet.updated'],
      get: order,
      make: (send) => send('POST', '/v1/store/orders', { petId: 1 }),
    },
    { events: ['order.approved'], get: order, make: (send) => send('POST', '/v1/store/orders/2/approve') },
    {
      events: ['order.delivered', 'pet.updated'],
      get: order,
      make: (send) => send('POST', '/v1/store/orders/2/deliver'),
    },
    { events: ['import.completed'], make: (send) => send('POST', '/v1/imports', csv, 'text/csv') },
    { events: ['import.undone'], make: (send) => send('DELETE', '/v1/imports/1') },
    {
      events: ['key.created'],
      get: keyOf,
      make: async (send) => remember(await send('POST', '/v1/keys', { name: 'Partner' })),
    },
    {
      events: ['key.updated'],
      previous: {
        scopes: ['pets:read', 'pets:write', 'orders:read', 'orders:write', 'projects:read', 'projects:write'],
      },
      get: lastKey,
      make: (send) => send('PATCH', lastKey(), { name: 'Partner', scopes: ['pets:read'] }),
    },
    {
      events: ['key.created', 'key.rolled'],
      make: async (send) => remember(await send('POST', `${lastKey()}/roll`, {})),
    },
    { events: ['key.revoked'], get: lastKey, make: (send) => send('DELETE', lastKey()) },
  ]
}

test.each(Object.keys(ways))(
  'every change by %s has its events, with the record as it is read afterwards',
  async (way) => {
    const send = await (ways[way] as () => Promise<Send>)()
    for (const { events: expected, previous, get, make } of changesOf()) {
      const before = await newest()
      const answer = await make(send)
      const events = await read(`after=${before}`)
      expect(events.map(({ type }) => type)).toEqual([...expected])
      const [first] = events as [Event]
      expect(events.map(({ requestId }) => requestId)).toEqual(expected.map(() => answer.requestId))
      expect(first.previous).toEqual(previous as never)
      if (get) {
        const { json } = await store.call('GET', get(answer))
        expect<unknown>(first.data).toEqual(Array.isArray(json) ? json[0] : json)
      }
      for (const event of events)
        expect(isValid[event.type]?.(event), JSON.stringify(isValid[event.type]?.errors)).toBe(true)
      expect(JSON.stringify(events)).not.toMatch(/pet_(live|test)_[0-9A-Za-z]{5}/)
      // The same once more changes nothing.
      if (previous !== undefined) {
        await make(send)
        expect(await read(`after=${events.at(-1)?.id}`)).toEqual([])
      }
    }
  },
)

test('demo tells each animal and each step of an order', async () => {
  const send = await (ways['command'] as () => Promise<Send>)()
  const { json } = await send('POST', '/command/demo')
  const counts = store.app.events.readAfter(0, visibleEvents({ accountId: 0, scopes: new Set(['admin']) }), 1_000)
  const types = counts.records.map(({ type }) => type)
  expect(types.filter((type) => type === 'pet.created')).toHaveLength(json.animals)
  expect(types.filter((type) => type === 'order.placed')).toHaveLength(json.orders)
})

test('a key is told as expiring once for each expiry, 14 days before, and not if it was rolled', async () => {
  const dayMs = 86_400_000
  const { id } = await store.newKey({ expiresAt: store.clock.now() + 15 * dayMs })
  const rolled = await store.newKey({ expiresAt: store.clock.now() + 15 * dayMs })
  await store.call('POST', `/v1/keys/${rolled.id}/roll`, { body: { overlapSeconds: 15 * 86_400 } })
  const job = keyJobs(store.app).find(({ name }) => name === 'tell keys that expire') as Job
  const told = async () => {
    await job.run(new AbortController().signal)
    await job.run(new AbortController().signal)
    return (await read('types=key.expiring')).map(({ data }) => (data as { id: number }).id)
  }
  expect(await told()).toEqual([])
  store.clock.skip(dayMs)
  expect(await told()).toEqual([id, rolled.id + 1])
  const expiresAt = new Date(store.clock.now() + 10 * dayMs).toISOString()
  await store.call('PATCH', `/v1/keys/${id}`, { body: { expiresAt } })
  expect(await told()).toEqual([id, rolled.id + 1, id])
  const [event] = await read('types=key.expiring&order=desc')
  expect(event).toMatchObject({ requestId: null, data: { id, expiresAt } })
})

test('a ban is told with the record of the key', async () => {
  const { id, accountId } = await store.newKey()
  const { bans } = store.app.limiter
  bans.add({ keyId: id, accountId, startedMs: 0, endsMs: 600_000 })
  await store.app.savedLimiter.saveBans()
  const [event] = await read('types=key.banned')
  const { json } = await store.call('GET', `/v1/keys/${id}`)
  expect(event).toMatchObject({ accountId, requestId: null, data: json })
  expect(json.bannedUntil).not.toBeNull()
})
