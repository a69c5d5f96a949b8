import { afterEach, beforeEach, expect, test } from 'bun:test'
import { silentLog } from '../../lib/log.ts'
import { openTestStore, type TestStore } from '../../testing/harness.ts'
import { createDomainRoutes, type DomainRoutes } from './routing-table.ts'
import { noCertificate } from './state.ts'
import type { DomainRow, NewDomain } from './store.ts'

let store: TestStore
let routes: DomainRoutes
let lookUps: number
let removed: string[]
let projectId: number
const valid = new Map<string, number>()

beforeEach(async () => {
  store = await openTestStore()
  projectId = (await store.call('POST', '/v1/projects', { body: { name: 'Shop' } })).json.id
  lookUps = 0
  removed = []
  valid.clear()
  const { app, clock } = store
  routes = createDomainRoutes({
    domains: app.domains,
    certificateOf(hostname) {
      lookUps++
      const expiresAt = valid.get(hostname)
      return expiresAt === undefined ? noCertificate : { ...noCertificate, status: 'active', expiresAt }
    },
    clock,
    log: silentLog,
  })
  routes.follow(app.announcements)
  routes.onRemoved((hostname) => removed.push(hostname))
})
afterEach(() => store.close())

const write = <T>(work: () => T) => store.app.writer.write(work)
const row = (hostname: string, more: Partial<NewDomain> = {}): NewDomain => ({
  projectId,
  hostname,
  isPrimary: false,
  redirectStatus: 302,
  hsts: false,
  holdsName: true,
  dnsStatus: 'verified',
  failure: null,
  checkedAt: 1,
  nextCheckAt: null,
  waitedMs: 0,
  verifiedAt: 1,
  driftedAt: null,
  isDegraded: false,
  zone: 'example',
  findings: [],
  createdAt: 1,
  ...more,
})
const add = (hostname: string, more: Partial<NewDomain> = {}) => write(() => store.app.domains.add(row(hostname, more)))
const update = (domain: DomainRow, changes: Partial<NewDomain>) =>
  write(() => store.app.domains.update(domain, changes))
const serves = { serve: true, hsts: false, hasCertificate: false } as const

test('a hostname is in the table from the commit that proves it to the one that removes it', async () => {
  const domain = await add('a.example', { holdsName: false })
  expect(routes.find('a.example')).toBeUndefined()
  await update(domain, { holdsName: true })
  expect(routes.find('a.example')).toEqual({ projectId, ...serves })
  await update(domain, { holdsName: false })
  expect([routes.find('a.example'), removed]).toEqual([undefined, ['a.example']])
})

test('a domain redirects to the primary only while that one has a valid certificate and is not degraded', async () => {
  const primary = await add('a.example', { isPrimary: true })
  await add('b.example')
  expect([routes.find('b.example'), routes.primaryOf(projectId)]).toEqual([{ projectId, ...serves }, undefined])
  valid.set('a.example', store.clock.now() + 1_000)
  await write(() => store.app.announcements.declare('certificates'))
  const redirect = { to: 'a.example', status: 302 }
  expect(routes.find('b.example')).toMatchObject({ redirect })
  expect([routes.primaryOf(projectId), routes.primaryOf(99)]).toEqual(['a.example', undefined])
  await update(primary, { isDegraded: true })
  expect([routes.find('b.example'), routes.primaryOf(projectId)]).toEqual([{ projectId, ...serves }, undefined])
  await update(primary, { isDegraded: false })
  store.clock.skip(1_000)
  expect([routes.find('b.example'), routes.find('a.example')]).toEqual([
    { projectId, ...serves },
    { projectId, ...serves },
  ])
})

test('the role of the primary moves with one commit', async () => {
  for (const name of ['a.example', 'b.example']) valid.set(name, store.clock.now() + 1_000)
  const first = await add('a.example', { isPrimary: true })
  const second = await add('b.example')
  await write(() => {
    store.app.domains.update(first, { isPrimary: false })
    store.app.domains.update(second, { isPrimary: true })
  })
  expect(routes.primaryOf(projectId)).toBe('b.example')
  expect(routes.find('a.example')).toMatchObject({ redirect: { to: 'b.example' } })
  await write(() => store.app.domains.remove(second.id))
  expect([routes.primaryOf(projectId), removed]).toEqual([undefined, ['b.example']])
})

test('requests read the certificate once, until certificates change', async () => {
  await add('a.example')
  for (let i = 0; i < 5; i++) routes.find('a.example')
  expect(lookUps).toBe(1)
  await write(() => store.app.announcements.declare('certificates'))
  for (let i = 0; i < 5; i++) routes.find('a.example')
  expect(lookUps).toBe(2)
})

test('many changes in one commit leave the table complete', async () => {
  const domains = await write(() =>
    Array.from({ length: 1_500 }, (_, i) => store.app.domains.add(row(`h${i}.example`))),
  )
  expect([routes.find('h0.example'), routes.find('h1499.example')]).toEqual([
    { projectId, ...serves },
    { projectId, ...serves },
  ])
  await write(() => {
    for (const { id } of domains.slice(1)) store.app.domains.remove(id)
  })
  expect(routes.wantedCertificates().map(({ hostname }) => hostname)).toEqual(['h0.example'])
  expect(removed).toHaveLength(1_499)
})

test('one of ten thousand routes changes without reading the others', async () => {
  const [first] = await write(() =>
    Array.from({ length: 10_000 }, (_, i) => store.app.domains.add(row(`h${i}.example`))),
  )
  if (!first) throw new Error('missing')
  const { domains } = store.app
  const { holders } = domains
  const read: string[][] = []
  domains.holders = (ids) => {
    const found = holders(ids)
    read.push(found.map(({ hostname }) => hostname))
    return found
  }
  await update(first, { hsts: true })
  expect(routes.find('h0.example')).toEqual({ projectId, ...serves, hsts: true })
  // The table of the application reads it too.
  expect(read).toEqual([['h0.example'], ['h0.example']])
  domains.holders = holders
})

test('the routes of a project end with it, and a name that another one has taken over is not lost', async () => {
  const first = await add('a.example')
  await add('b.example')
  const other = (await store.call('POST', '/v1/projects', { body: { name: 'Other' } })).json.id
  await write(() => {
    store.app.domains.update(first, { holdsName: false })
    store.app.domains.add(row('a.example', { projectId: other }))
  })
  expect(routes.find('a.example')).toEqual({ projectId: other, ...serves })
  expect((await store.call('DELETE', `/v1/projects/${projectId}`)).status).toBe(204)
  expect([routes.find('a.example')?.projectId, routes.find('b.example')]).toEqual([other, undefined])
  expect(removed).toEqual(['b.example'])
})
