import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type DomainTestStore, openDomainStore, ours, targetOf } from '../testing/domain-store.ts'

let store: DomainTestStore
let project: number
beforeEach(async () => {
  store = await openDomainStore()
  project = await store.newProject()
})
afterEach(() => store.close())

const www = 'www.kiosk.example'

test('a check whose result cannot be stored fails with 503, and is made again a minute later', async () => {
  const { json } = await store.add(project, www)
  store.setRecords('kiosk', '')
  const { app } = store
  const { update } = app.domains
  let failures = 0
  app.domains.update = (row, changes) => {
    if (changes.checkedAt === undefined) return update(row, changes)
    failures++
    throw Object.assign(new Error('disk I/O error'), { name: 'SQLiteError', code: 'SQLITE_IOERR', errno: 10 })
  }
  const failed = await store.verify(project, www)
  expect([failed.status, failed.json.code]).toEqual([503, 'storage_unavailable'])
  store.setRecords('kiosk', `www 300 CNAME ${targetOf(json)}.`)
  const proven = await store.verify(project, www)
  expect([proven.status, proven.json.code]).toEqual([503, 'storage_unavailable'])
  app.domains.update = update
  const seen = failures
  store.clock.skip(59_000)
  await store.settled()
  expect([failures, (await store.get(project, www)).json.dns.status]).toEqual([seen, 'pending'])
  store.clock.skip(10_000)
  await store.settled()
  expect((await store.get(project, www)).json.dns.status).toBe('verified')
})

test('a request to verify writes once', async () => {
  await store.add(project, www)
  store.setRecords('kiosk', '')
  const { sizes } = store.app.writer.batches
  const soFar = () => [sizes.counts.reduce((sum, count) => sum + count), sizes.sum] as const
  const [transactions, writes] = soFar()
  expect((await store.verify(project, www)).json.dns.status).toBe('failed')
  expect(soFar()).toEqual([transactions + 1, writes + 1])
})

test('the response to a request to verify is the domain as GET shows it', async () => {
  const another = await store.newKey({ plan: 'pro' })
  await store.app.writer.write(() => store.app.domains.hold(www, another.accountId, store.clock.now()))
  const names = ['kiosk.example', www, 'cats.kiosk.example']
  for (const name of names) await store.add(project, name)
  store.setRecords('kiosk', `@ 300 A ${ours.v4}\nwww 300 A 198.51.100.20`)
  for (const name of [...names, ...names]) {
    const { json, headers } = await store.verify(project, name)
    const shown = await store.get(project, name)
    expect(json).toEqual(shown.json)
    expect(headers.get('etag')).toBe(shown.headers.get('etag'))
  }
  const routed = new Set((await store.list(project)).json.map(({ redirect }: { redirect: unknown }) => redirect))
  expect(routed.size).toBeGreaterThan(1)
})

test('only a result that changes which domains are served announces a change of routing', async () => {
  const { announcements } = store.app
  let changes = 0
  announcements.subscribe(['routing'], () => changes++)
  const { json } = await store.add(project, www)
  store.setRecords('kiosk', '')
  for (const _ of [1, 2]) expect((await store.verify(project, www)).json.dns.status).toBe('failed')
  expect(changes).toBe(0)
  store.setRecords('kiosk', `www 300 CNAME ${targetOf(json)}.`)
  for (const _ of [1, 2]) expect((await store.verify(project, www)).json.dns.status).toBe('verified')
  expect(changes).toBe(1)
  store.setRecords('kiosk', '')
  for (const _ of [1, 2]) expect((await store.verify(project, www)).json.dns.status).toBe('drifted')
  expect(changes).toBe(1)
  store.clock.skip(3_600_000)
  await store.settled()
  expect([changes, (await store.get(project, www)).json.state]).toEqual([2, 'degraded'])
})
