import { afterEach, beforeEach, expect, test } from 'bun:test'
import { openDatabase } from '../../database/open.ts'
import { testHosting } from '../../testing/harness.ts'
import { openDomainStore, targetOf } from '../domains/testing/domain-store.ts'
import { createCertificateAttention } from './attention.ts'
import { createCertificateStore } from './store.ts'

const minute = 60_000
const day = 86_400_000
const domain = 'www.shop.example'

let database: ReturnType<typeof openDatabase>
let store: ReturnType<typeof createCertificateStore>
beforeEach(() => {
  database = openDatabase(':memory:', 0)
  store = createCertificateStore(database.tables)
  store.add({ hostname: domain, accountId: 1, kind: 'domain', wantedAt: 0 })
  store.add({ hostname: 'shop.stores.example', accountId: 1, kind: 'slug', wantedAt: 1 })
  store.add({ hostname: 'api.stores.example', accountId: null, kind: 'api', wantedAt: 2 })
})
afterEach(() => database.close())

const attention = (nowMs: number, most = 50) =>
  createCertificateAttention({
    tables: database.tables,
    domains: { holderOf: (hostname) => ({ hostname, projectId: 7 }) as never },
    projects: { findBySlug: (slug) => ({ id: slug === 'shop' ? 8 : 0 }) as never },
  })(nowMs, most).toSorted((a, b) => b.sinceMs - a.sinceMs)

test('a name needs attention after 30 minutes without a certificate, with its project, and no longer once it is not wanted', () => {
  expect(attention(30 * minute - 1)).toEqual([])
  expect(attention(31 * minute)).toEqual([
    { kind: 'certificate_failed', id: null, name: 'api.stores.example', sinceMs: 2, expiresMs: null },
    { kind: 'certificate_failed', id: 8, name: 'shop.stores.example', sinceMs: 1, expiresMs: null },
    { kind: 'certificate_failed', id: 7, name: domain, sinceMs: 0, expiresMs: null },
  ])
  expect(attention(31 * minute, 1)).toHaveLength(1)
  store.change(domain, { removedAt: 3 })
  expect(attention(31 * minute)).toHaveLength(2)
})

test('a failed order needs attention at once, and none once there is a certificate', () => {
  store.change(domain, { failures: 1 })
  expect(attention(minute).map(({ name }) => name)).toEqual([domain])
  store.change(domain, { failures: 0, file: 'a', notBefore: 0, notAfter: 90 * day })
  expect(attention(minute)).toEqual([])
})

test('a certificate needs attention when less than a quarter of its life is left, and when it has expired', () => {
  for (const { hostname } of store.names()) store.change(hostname, { file: 'a', notBefore: 0, notAfter: 400 * day })
  store.change(domain, { notAfter: 40 * day })
  expect(attention(30 * day - 1)).toEqual([])
  const expiring = { kind: 'certificate_expiring', id: 7, name: domain, sinceMs: 30 * day, expiresMs: 40 * day }
  expect(attention(30 * day)).toEqual([expiring])
  expect(attention(100 * day)).toEqual([expiring])
})

test('the overview of a service shows the names that wait for a certificate', async () => {
  const config = { ...testHosting, acmeDirectory: 'http://127.0.0.1:9/directory' }
  const served = await openDomainStore({ config: { hosting: config, certificateOf: undefined } })
  const project = await served.newProject()
  const { json } = await served.add(project, 'www.kiosk.example')
  served.setRecords('kiosk', `www 300 CNAME ${targetOf(json)}.`)
  await served.verify(project, 'www.kiosk.example')
  await served.app.hostingParts.certificates?.open()
  served.clock.skip(1_000)
  const item = { kind: 'certificate_failed', id: project, name: 'www.kiosk.example' }
  const shown = async () => (await served.call('GET', '/v1/overview')).json.attention
  while (!(await shown()).some(({ name }: { name: string }) => name === item.name)) await Bun.sleep(5)
  expect(await shown()).toContainEqual(expect.objectContaining(item))
  await served.close()
})
