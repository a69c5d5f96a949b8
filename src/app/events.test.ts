import { afterEach, beforeEach, expect, test } from 'bun:test'
import Ajv2020 from 'ajv/dist/2020'
import { eventSchema } from '../access/events/declare.ts'
import { type EventType, eventTypes, visibleEvents } from '../access/events/rules.ts'
import { type Event, eventMembers } from '../access/events/schemas.ts'
import { keyJobs } from '../access/keys/jobs.ts'
import { attachCommand } from '../api/context.ts'
import { scopes } from '../api/scopes.ts'
import { buildZip } from '../hosting/deploys/testing/zip.ts'
import { type DomainTestStore, openDomainStore, targetOf } from '../hosting/domains/testing/domain-store.ts'
import type { Job } from '../lib/scheduler.ts'
import { serveTestDashboard } from '../owner/testing/dashboard.ts'
import { createCommandApi } from './command-api.ts'
import { eventDeclarations } from './events.ts'

let store: DomainTestStore
let dashboard: Awaited<ReturnType<typeof serveTestDashboard>>
beforeEach(async () => {
  store = await openDomainStore()
  dashboard = await serveTestDashboard(store)
})
afterEach(async () => {
  await dashboard.close()
  await store.close()
})

interface Answer {
  // biome-ignore lint/suspicious/noExplicitAny: each row reads its own record
  readonly json: any
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
    const browser = await dashboard.setUp()
    // A token does not live as long as these changes take.
    return async (method, path, body, type) =>
      fetchWith({ authorization: `Bearer ${await browser.trade()}` }, method, path, body, type)
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
    ...(body === undefined ? {} : { body: type === undefined ? JSON.stringify(body) : (body as BodyInit) }),
  })
}

async function fetchWith(...[headers, ...rest]: Parameters<typeof requestOf>): Promise<Answer> {
  return answerOf(await store.app.api.fetch(requestOf(headers, ...rest)))
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text()
  expect(response.status, text).toBeLessThan(300)
  return { json: text === '' ? undefined : JSON.parse(text), requestId: response.headers.get('x-request-id') }
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

/** One of the changes, which are made in their order. */
interface Change {
  readonly events: readonly EventType[]
  /** Members of the data. */
  readonly data?: object
  readonly previous?: object
  /** Whether the same once more changes nothing. */
  readonly isRepeatable?: boolean
  /** The address of the record after the change. */
  readonly get?: (answer: Answer) => string
  /** The address of the record that the change removes. */
  readonly removes?: string
  readonly make: (send: Send, check: Check) => Promise<Answer>
}

/** How the DNS of the domain is checked. */
type Check = (send: Send) => Promise<Answer>

/** Requests may share a check: what it finds is of none of them. */
const verify: Check = async (send) => ({ ...(await send('POST', `${domain}/verify`)), requestId: null })

/** The periodic check of the service. */
async function checkByJob(): Promise<Answer> {
  const { nextCheckAt } = (await store.call('GET', domain)).json.dns
  store.clock.skip(Date.parse(nextCheckAt) - store.clock.now())
  await store.settled()
  return { json: undefined, requestId: null }
}

const pet = () => '/v1/pets?ids=1'
const order = ({ json }: Answer) => `/v1/store/orders/${json.id}`
const keyOf = ({ json }: Answer) => `/v1/keys/${json.id}`
const csv = 'name,category\nTom,Cat\nFido,Dog\n'

const hostname = 'www.kiosk.example'
const project = '/v1/projects/1'
const deploy = `${project}/deploys/1`
const domain = `${project}/domains/${hostname}`
const site = new Blob([buildZip([{ name: 'index.html', content: 'Welcome' }]) as Uint8Array<ArrayBuffer>])

/** `last` is the id of the key that the rows before have made. */
function shopChanges(): readonly Change[] {
  let last = 0
  const remember = (answer: Answer) => {
    last = answer.json.id
    return answer
  }
  const lastKey = () => `/v1/keys/${last}`
  let partner: { readonly id: number } | undefined
  const account = () => `/v1/accounts/${partner?.id}`
  return [
    {
      events: ['pet.created'],
      get: pet,
      make: (send) => send('POST', '/v1/pets', { name: 'Ada', categoryId: 1 }),
    },
    {
      events: ['pet.updated'],
      isRepeatable: true,
      previous: { name: 'Ada', categoryId: 1 },
      get: pet,
      make: (send) => send('PATCH', '/v1/pets/1', { name: 'Bea', categoryId: 70, status: 'available' }),
    },
    { events: ['pet.deleted'], removes: pet(), make: (send) => send('DELETE', '/v1/pets/1') },
    { events: ['pet.restored'], get: pet, make: (send) => send('POST', '/v1/pets/1/restore') },
    {
      events: ['pet.updated'],
      isRepeatable: true,
      previous: { name: 'Bea' },
      get: pet,
      make: (send) => send('POST', '/v1/pets/batch', { ids: [1, 99], change: { name: 'Cleo' } }),
    },
    {
      events: ['pet.deleted'],
      removes: pet(),
      make: (send) => send('POST', '/v1/pets/batch', { ids: [1], delete: true }),
    },
    { events: ['pet.restored'], get: pet, make: (send) => send('POST', '/v1/pets/batch', { ids: [1], restore: true }) },
    {
      events: ['category.created'],
      get: ({ json }) => `/v1/categories/${json.id}`,
      make: (send) => send('POST', '/v1/categories', { name: 'Otter' }),
    },
    {
      events: ['category.updated'],
      isRepeatable: true,
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
      events: ['category.merged'],
      data: { id: 90, into: 70, animals: 0 },
      make: (send) => send('POST', '/v1/categories/90/merge', { into: 70 }),
    },
    {
      events: ['category.deleted'],
      removes: '/v1/categories/6',
      make: (send) => send('DELETE', '/v1/categories/6'),
    },
    {
      events: ['order.placed', 'pet.updated'],
      get: order,
      make: (send) => send('POST', '/v1/store/orders', { petId: 1, note: 'Gift' }),
    },
    {
      events: ['order.updated'],
      isRepeatable: true,
      previous: { note: 'Gift' },
      get: order,
      make: (send) => send('PATCH', '/v1/store/orders/1', { note: 'Gift wrapped' }),
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
      isRepeatable: true,
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
    {
      events: ['account.updated'],
      isRepeatable: true,
      previous: { name: 'Paws', plan: 'free', perMinute: 60, perDay: 1_000 },
      get: account,
      async make(send) {
        const { id } = partner ?? (await send('POST', '/v1/accounts', { name: 'Paws' })).json
        partner = { id }
        return send('PATCH', account(), { name: 'Paws & Co.', plan: 'pro' })
      },
    },
  ]
}

function hostingChanges(): readonly Change[] {
  let target = ''
  const isRight = () => store.setRecords('kiosk', `www 300 CNAME ${target}.`)
  const isWrong = () => store.setRecords('kiosk', 'www 300 A 198.51.100.20')
  const checked = (events: readonly EventType[], state: string, setRecords: () => void): Change => ({
    events,
    data: { state },
    isRepeatable: true,
    get: () => domain,
    make(send, check) {
      setRecords()
      return check(send)
    },
  })
  const add: Change = {
    events: ['domain.added'],
    data: { state: 'pending_dns' },
    get: () => domain,
    async make(send) {
      const answer = await send('POST', `${project}/domains`, { hostname })
      target = targetOf(answer.json)
      return answer
    },
  }
  const deployed: Change = {
    events: ['deploy.live'],
    get: ({ json }) => `${project}/deploys/${json.id}`,
    make: (send) => send('POST', `${project}/deploys`, site, 'application/zip'),
  }
  return [
    {
      events: ['project.created'],
      get: () => project,
      make: (send) => send('POST', '/v1/projects', { name: 'Shop' }),
    },
    deployed,
    deployed,
    {
      events: ['deploy.live'],
      isRepeatable: true,
      get: () => deploy,
      make: (send) => send('POST', `${deploy}/promote`),
    },
    {
      events: ['project.updated'],
      previous: { name: 'Shop' },
      isRepeatable: true,
      get: () => project,
      make: (send) => send('PATCH', project, { name: 'Kiosk' }),
    },
    add,
    checked(['domain.failed'], 'dns_error', isWrong),
    checked(['domain.verified'], 'issuing', isRight),
    checked(['domain.drifted'], 'issuing', () => {
      // Later than the claim was proven.
      store.clock.skip(3_600_000)
      isWrong()
    }),
    checked(['domain.recovered'], 'issuing', isRight),
    { events: ['domain.removed'], removes: domain, make: (send) => send('DELETE', domain) },
    add,
    {
      events: ['domain.removed', 'project.deleted'],
      data: { hostname, state: 'pending_dns' },
      removes: project,
      make: (send) => send('DELETE', project),
    },
  ]
}

/** Makes the changes, and expects the events of each, with the record as it is read. */
async function expectEvents(changes: readonly Change[], send: Send, check: Check): Promise<void> {
  const recordAt = async (path: string) => {
    const { json } = await store.call('GET', path)
    return Array.isArray(json) ? json[0] : json
  }
  for (const { events: expected, data = {}, previous, isRepeatable, get, removes, make } of changes) {
    const before = await newest()
    const removed = removes === undefined ? undefined : await recordAt(removes)
    const answer = await make(send, check)
    const events = await read(`after=${before}`)
    expect(events.map(({ type }) => type)).toEqual([...expected])
    expect(events.map(({ requestId }) => requestId)).toEqual(expected.map(() => answer.requestId))
    const [first] = events as [Event]
    expect(first.data).toMatchObject(data)
    expect(first.previous).toEqual(previous as never)
    const [sent, record] = get ? [first, await recordAt(get(answer))] : [events.at(-1), removed]
    // The event of a domain has a part of it.
    if (sent?.type.startsWith('domain.')) expect(record).toMatchObject(sent.data as object)
    else if (record !== undefined) expect<unknown>(sent?.data).toEqual(record)
    const { accountId } = first.data as { readonly accountId?: number }
    if (accountId !== undefined) expect(first.accountId).toBe(accountId)
    for (const event of events)
      expect(isValid[event.type]?.(event), JSON.stringify(isValid[event.type]?.errors)).toBe(true)
    expect(JSON.stringify(events)).not.toMatch(/pet_(live|test)_[0-9A-Za-z]{5}/)
    // The same once more changes nothing.
    if (isRepeatable) {
      await make(send, check)
      expect(await read(`after=${events.at(-1)?.id}`)).toEqual([])
    }
  }
}

test.each(Object.keys(ways))(
  'every change of the shop by %s has its events, with the record as it is read',
  async (way) => {
    const send = await (ways[way] as () => Promise<Send>)()
    await expectEvents(shopChanges(), send, verify)
  },
)

test.each(Object.keys(ways))(
  'every change of hosting by %s has its events, with the record as it is read',
  async (way) => {
    const send = await (ways[way] as () => Promise<Send>)()
    await expectEvents(hostingChanges(), send, verify)
  },
)

test('a check by the service has the same events', async () => {
  const send = await (ways['API'] as () => Promise<Send>)()
  await expectEvents(hostingChanges(), send, checkByJob)
})

test('demo writes an event for each animal and each step of an order', async () => {
  const send = await (ways['command'] as () => Promise<Send>)()
  const { json } = await send('POST', '/command/demo')
  const counts = store.app.events.readAfter(0, visibleEvents({ accountId: 0, scopes: new Set(['admin']) }), 10_000)
  const types = counts.records.map(({ type }) => type)
  expect(types.filter((type) => type === 'pet.created')).toHaveLength(json.animals)
  expect(types.filter((type) => type === 'order.placed')).toHaveLength(json.orders)
})

test('a key has one event for each expiry, 14 days before, and none if it was rolled', async () => {
  const dayMs = 86_400_000
  const { id } = await store.newKey({ expiresAt: store.clock.now() + 15 * dayMs })
  const rolled = await store.newKey({ expiresAt: store.clock.now() + 15 * dayMs })
  await store.call('POST', `/v1/keys/${rolled.id}/roll`, { body: { overlapSeconds: 15 * 86_400 } })
  const job = keyJobs(store.app).find(({ name }) => name === 'tell keys that expire') as Job
  const expiring = async () => {
    await job.run(new AbortController().signal)
    await job.run(new AbortController().signal)
    return (await read('types=key.expiring')).map(({ data }) => (data as { id: number }).id)
  }
  expect(await expiring()).toEqual([])
  store.clock.skip(dayMs)
  expect(await expiring()).toEqual([id, rolled.id + 1])
  const expiresAt = new Date(store.clock.now() + 10 * dayMs).toISOString()
  await store.call('PATCH', `/v1/keys/${id}`, { body: { expiresAt } })
  expect(await expiring()).toEqual([id, rolled.id + 1, id])
  const [event] = await read('types=key.expiring&order=desc')
  expect(event).toMatchObject({ requestId: null, data: { id, expiresAt } })
})

test('the event of a ban has the record of the key', async () => {
  const { id, accountId } = await store.newKey()
  const { bans } = store.app.limiter
  bans.add({ keyId: id, accountId, startedMs: 0, endsMs: 600_000 })
  await store.app.savedLimiter.saveBans()
  const [event] = await read('types=key.banned')
  const { json } = await store.call('GET', `/v1/keys/${id}`)
  expect(event).toMatchObject({ accountId, requestId: null, data: json })
  expect(json.bannedUntil).not.toBeNull()
})

test('the event of a certificate has its domain', async () => {
  const projectId = await store.newProject()
  await store.add(projectId, hostname)
  const { writer, domainHosting } = store.app
  const entry = { projectId, hostname, at: 0, type: 'certificate', message: 'Issued.' } as const
  await writer.write(() => domainHosting.domainHistory.add(entry, 'certificate.issued'))
  const [event] = await read('types=certificate.*')
  expect(event).toMatchObject({ type: 'certificate.issued', accountId: store.own.accountId, requestId: null })
  expect((await store.get(projectId, hostname)).json).toMatchObject(event?.data as object)
})

test('the events of a project are seen by keys of its account that may read projects, and by the operator', async () => {
  const other = await store.newKey({ plan: 'pro' })
  const body = { name: 'Till', accountId: store.own.accountId, scopes: ['pets:read', 'orders:read'] }
  const shopOnly = (await store.call('POST', '/v1/keys', { body })).json
  await store.newProject()
  const seen = async (key: string) => {
    const events: Event[] = (await store.call('GET', '/v1/events', { key })).json
    return events.map(({ type }) => type).filter((type) => /^(project|deploy)/.test(type))
  }
  expect(await seen(store.key)).toEqual(['project.created', 'deploy.live'])
  expect(await seen(store.own.key)).toEqual(['project.created', 'deploy.live'])
  expect(await seen(other.key)).toEqual([])
  expect(await seen(shopOnly.key)).toEqual([])
})
