import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { Event } from '../access/events/schemas.ts'
import { type DomainTestStore, openDomainStore, targetOf } from './domains/testing/domain-store.ts'

const www = 'www.kiosk.example'
const hourMs = 3_600_000

let store: DomainTestStore
beforeEach(async () => {
  store = await openDomainStore()
})
afterEach(() => store.close())

/** The events after one that a key sees; of all accounts with the key of the operator. */
const eventsAfter = async (id: number, key?: string) =>
  (await store.call('GET', `/v1/events?limit=100&after=${id}`, key === undefined ? {} : { key })).json as Event[]

/** The events of a change, seen with the key of the account. */
async function eventsOf(change: () => Promise<unknown>): Promise<Event[]> {
  const [last] = (await store.call('GET', '/v1/events?order=desc&limit=1')).json as Event[]
  await change()
  return await eventsAfter(last?.id ?? 0, store.own.key)
}

const typesOf = (events: readonly Event[]) => events.map(({ type }) => type)

test('each change of a project and its deploys has an event with the record as it is read', async () => {
  const path = '/v1/projects/1'
  const key = store.own.key
  const read = async (of = path) => (await store.call('GET', of, { key })).json
  const [created] = await eventsOf(() => store.call('POST', '/v1/projects', { key, body: { name: 'Shop' } }))
  expect(created).toMatchObject({ type: 'project.created', accountId: store.own.accountId, data: await read() })
  const [live] = await eventsOf(() => store.deploy(1))
  expect(live).toMatchObject({ type: 'deploy.live', data: await read(`${path}/deploys/1`) })
  await store.deploy(1)
  const promote = () => store.call('POST', `${path}/deploys/1/promote`, { key })
  const [back] = await eventsOf(promote)
  expect(back).toMatchObject({ type: 'deploy.live', data: await read(`${path}/deploys/1`) })
  expect(await eventsOf(promote)).toEqual([])
  const rename = () => store.call('PATCH', path, { key, body: { name: 'Kiosk' } })
  const [renamed] = await eventsOf(rename)
  expect(renamed).toMatchObject({ type: 'project.updated', data: await read(), previous: { name: 'Shop' } })
  expect(await eventsOf(rename)).toEqual([])
  await store.add(1, www)
  const before = await read()
  const deleted = await eventsOf(() => store.call('DELETE', path, { key }))
  expect(typesOf(deleted)).toEqual(['domain.removed', 'project.deleted'])
  expect(deleted.map(({ data }) => data)).toEqual([
    expect.objectContaining({ projectId: 1, hostname: www, state: 'pending_dns' }),
    before,
  ])
})

test('a domain is told from its addition to its removal, with its state', async () => {
  const project = await store.newProject()
  let target = ''
  const states = async (change: () => Promise<unknown>) =>
    (await eventsOf(change)).map(({ type, data }) => [type, (data as { state: string }).state])
  expect(
    await states(async () => {
      target = targetOf((await store.add(project, www)).json)
    }),
  ).toEqual([['domain.added', 'pending_dns']])
  store.setRecords('kiosk', 'www 300 A 198.51.100.20')
  const verify = () => store.verify(project, www)
  expect(await states(verify)).toEqual([['domain.failed', 'dns_error']])
  expect(await states(verify)).toEqual([])
  store.setRecords('kiosk', `www 300 CNAME ${target}.`)
  expect(await states(verify)).toEqual([['domain.verified', 'issuing']])
  store.clock.skip(hourMs)
  store.setRecords('kiosk', 'www 300 A 198.51.100.20')
  expect(await states(verify)).toEqual([['domain.drifted', 'issuing']])
  store.setRecords('kiosk', `www 300 CNAME ${target}.`)
  expect(await states(verify)).toEqual([['domain.recovered', 'issuing']])
  const { app } = store
  const [issued] = await eventsOf(() =>
    app.writer.write(() => {
      const entry = { projectId: project, hostname: www, at: 0, type: 'certificate', message: 'Issued.' } as const
      app.domainHosting.domainHistory.record(entry, 'certificate.issued')
    }),
  )
  expect(issued).toMatchObject({ type: 'certificate.issued', requestId: null, data: { hostname: www } })
  const removed = await eventsOf(() => store.remove(project, www))
  expect(removed.map(({ type, data }) => [type, data])).toEqual([
    [
      'domain.removed',
      {
        projectId: project,
        hostname: www,
        state: 'issuing',
        dns: { status: 'verified' },
        certificate: { status: 'queued', expiresAt: null },
      },
    ],
  ])
})

test('the events of a project are seen by keys of its account that may read projects, and by the operator', async () => {
  const other = await store.newKey({ plan: 'pro' })
  const { accountId } = store.own
  const order = { name: 'Till', accountId, scopes: ['pets:read', 'orders:read'] }
  const shopOnly = (await store.call('POST', '/v1/keys', { body: order })).json
  await store.newProject()
  const seen = async (key?: string) =>
    typesOf(await eventsAfter(0, key)).filter((type) => /^(project|deploy)/.test(type))
  expect(await seen()).toEqual(['project.created', 'deploy.live'])
  expect(await seen(store.own.key)).toEqual(['project.created', 'deploy.live'])
  expect(await seen(other.key)).toEqual([])
  expect(await seen(shopOnly.key)).toEqual([])
})
