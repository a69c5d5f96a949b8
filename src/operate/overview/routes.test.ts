import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '../../database/open.ts'
import { buildZip } from '../../hosting/deploys/testing/zip.ts'
import type { DomainEventType } from '../../hosting/domains/history.ts'
import { emptyFolder } from '../../testing/executable.ts'
import { openTestStore, type TestStore } from '../../testing/harness.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

let store: TestStore
beforeEach(async () => {
  store = await openTestStore()
  for (const name of ['Ada', 'Bea', 'Cleo']) await store.call('POST', '/v1/pets', { body: { name, categoryId: 1 } })
})
afterEach(() => store.close())

const overview = async (query = '') => (await store.call('GET', `/v1/overview${query}`)).json
const settle = async (ms: number) => {
  store.clock.advance(ms)
  await new Promise((resolve) => setImmediate(resolve))
}
const iso = (ms: number) => new Date(ms).toISOString()

test('it has the animals and orders by status, and a row for each day, today last', async () => {
  const partner = await store.newKey({ plan: 'free' })
  await store.call('POST', '/v1/store/orders', { body: { petId: 1 } })
  await store.call('POST', '/v1/store/orders', { body: { petId: 2 } })
  for (let i = 0; i < 62; i++) await store.call('GET', '/v1/pets', { key: partner.key })
  await settle(dayMs)
  await store.call('POST', '/v1/store/orders/1/approve')
  await store.call('POST', '/v1/store/orders/1/deliver')
  const { animals, orders, days } = await overview()
  expect(animals).toEqual({ available: 1, pending: 1, sold: 1 })
  expect(orders).toEqual({ placed: 1, approved: 0, delivered: 1, cancelled: 0 })
  expect(days).toHaveLength(30)
  expect(days.slice(-3)).toEqual([
    { date: '2026-11-19', requests: 0, rejected: 0, ordersPlaced: 0, ordersDelivered: 0, soldWithoutOrder: 0 },
    { date: '2026-11-20', requests: 65, rejected: 2, ordersPlaced: 2, ordersDelivered: 0, soldWithoutOrder: 0 },
    { date: '2026-11-21', requests: 3, rejected: 0, ordersPlaced: 0, ordersDelivered: 1, soldWithoutOrder: 0 },
  ])
  expect((await overview('?days=1')).days).toHaveLength(1)
  expect((await overview('?days=366')).days).toHaveLength(366)
  expect((await overview('?days=367')).code).toBe('invalid_parameter')
})

test('an order needs attention once it has waited for 24 hours, until it is approved', async () => {
  const placedMs = store.clock.now()
  await store.call('POST', '/v1/store/orders', { body: { petId: 1 } })
  store.clock.advance(24 * hourMs - 1)
  expect((await overview()).attention).toEqual([])
  store.clock.advance(1)
  expect((await overview()).attention).toEqual([
    { kind: 'order_waiting', id: 1, name: 'Ada', since: iso(placedMs), expiresAt: null },
  ])
  await store.call('POST', '/v1/store/orders/1/approve')
  expect((await overview()).attention).toEqual([])
})

test('a banned key needs attention while the ban lasts, a key that expires does for 14 days; a revoked or rolled one does not', async () => {
  const nowMs = store.clock.now()
  const expiring = await store.newKey({ expiresAt: nowMs + 20 * dayMs })
  const rolled = await store.newKey({ expiresAt: nowMs + 15 * dayMs })
  const revoked = await store.newKey({ expiresAt: nowMs + 15 * dayMs })
  await store.call('POST', `/v1/keys/${rolled.id}/roll`, { body: {} })
  await store.call('DELETE', `/v1/keys/${revoked.id}`)
  const banned = await store.newKey()
  await store.app.writer.write(() =>
    store.app.keys.setBan({ keyId: banned.id, startedAt: nowMs, endsAt: nowMs + 600_000 }),
  )
  expect((await overview()).attention).toEqual([
    { kind: 'key_banned', id: banned.id, name: 'Partner', since: iso(nowMs), expiresAt: null },
  ])
  await store.call('DELETE', `/v1/keys/${banned.id}/ban`)
  expect((await overview()).attention).toEqual([])
  store.clock.advance(6 * dayMs)
  // The successor of the rolled key lives as long again.
  expect((await overview()).attention).toMatchObject([
    { kind: 'key_expiring', id: 5 },
    {
      kind: 'key_expiring',
      id: expiring.id,
      name: 'Partner',
      since: iso(nowMs + 6 * dayMs),
      expiresAt: iso(nowMs + 20 * dayMs),
    },
  ])
  store.clock.advance(14 * dayMs)
  expect((await overview()).attention).toEqual([])
})

test('features add what needs attention; what has waited longest is first', async () => {
  const nowMs = store.clock.now()
  const item = (name: string, sinceMs: number) => ({ kind: 'domain', id: 7, name, sinceMs })
  store.app.attention.add(() => [item('late.example', nowMs), item('early.example', nowMs - 1)])
  expect((await overview()).attention.map(({ name }: { name: string }) => name)).toEqual([
    'early.example',
    'late.example',
  ])
})

test('a domain whose records are wrong needs attention, with its project', async () => {
  const { json: project } = await store.call('POST', '/v1/projects', { body: { name: 'Website' } })
  const sinceMs = store.clock.now() - hourMs
  await store.app.writer.write(() => {
    const common = {
      projectId: project.id,
      isPrimary: false,
      redirectStatus: 301,
      hsts: false,
      holdsName: false,
      failure: null,
      nextCheckAt: null,
      waitedMs: 0,
      verifiedAt: null,
      driftedAt: null,
      isDegraded: false,
      zone: 'example.com',
      findings: [],
      createdAt: sinceMs - hourMs,
    } as const
    const { domains } = store.app
    domains.add({ ...common, hostname: 'ok.example.com', dnsStatus: 'verified', checkedAt: sinceMs })
    domains.add({ ...common, hostname: 'new.example.com', dnsStatus: 'pending', checkedAt: null })
    domains.add({ ...common, hostname: 'www.example.com', dnsStatus: 'failed', checkedAt: sinceMs })
  })
  const wrong = { kind: 'domain', id: project.id, name: 'www.example.com', since: iso(sinceMs), expiresAt: null }
  expect((await overview()).attention).toEqual([wrong])

  // Later checks, which find the records wrong again or in another way, do not make it newer.
  const record = (type: DomainEventType, at: number) =>
    store.app.writer.write(() =>
      store.app.domainHistory.add({ projectId: project.id, hostname: 'www.example.com', at, type, message: type }),
    )
  const events = ['failed', 'verified', 'failed', 'failed', 'changed'] as const
  for (const [i, type] of events.entries()) await record(type, sinceMs - hourMs + i)
  expect((await overview()).attention).toEqual([{ ...wrong, since: iso(sinceMs - hourMs + 2) }])
})

test('published websites need attention while hosting is off', async () => {
  const startedMs = store.clock.now()
  const { json: project } = await store.call('POST', '/v1/projects', { body: { name: 'Website' } })
  store.clock.advance(hourMs)
  expect((await overview()).attention).toEqual([])
  const archive = buildZip([{ name: 'index.html', content: 'hi' }])
  await store.call('POST', `/v1/projects/${project.id}/deploys`, {
    headers: { 'Content-Type': 'application/zip' },
    rawBody: new Blob([archive as Uint8Array<ArrayBuffer>]),
  })
  expect((await overview()).attention).toEqual([
    { kind: 'hosting_off', id: null, name: null, since: iso(startedMs), expiresAt: null },
  ])
})

test('a store on disk needs attention after seven days without a backup of it', async () => {
  const folder = emptyFolder()
  const onDisk = await openTestStore({ databasePath: join(folder.path, 'production.db') })
  const kinds = async () =>
    (await onDisk.call('GET', '/v1/overview')).json.attention
      // The disk of the machine that runs the tests may be low.
      .filter(({ kind }: { kind: string }) => kind !== 'disk_low')
      .map((item: { kind: string; since: string }) => [item.kind, item.since])
  const openedMs = onDisk.clock.now()
  onDisk.clock.skip(7 * dayMs - 1)
  expect(await kinds()).toEqual([])
  onDisk.clock.skip(1)
  expect(await kinds()).toEqual([['backup_overdue', iso(openedMs + 7 * dayMs)]])
  mkdirSync(join(folder.path, 'backups'))
  const add = (name: string) => writeFileSync(join(folder.path, 'backups', name), '')
  add('staging-20261127T101500Z.db')
  add('production-before-restore-20261127T101500Z.db')
  add('production-latest.db')
  add('production-20271101T000000Z.db')
  // Of another store.
  openDatabase(join(folder.path, 'backups/production-20261127T101000Z.db'), 0).close()
  expect(await kinds()).toHaveLength(1)
  add('production-20261127T101500Z.db')
  expect(await kinds()).toEqual([])
  await onDisk.close()
  folder.remove()
})
