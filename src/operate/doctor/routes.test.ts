import { afterEach, beforeEach, expect, test } from 'bun:test'
import { openDatabase } from '../../database/open.ts'
import { openDomainStore, targetOf } from '../../hosting/domains/testing/domain-store.ts'
import { version } from '../../lib/version.ts'
import { emptyFolder } from '../../testing/executable.ts'
import { openTestStore, type TestStore, testHosting, testStart } from '../../testing/harness.ts'

const hourMs = 3_600_000
const day = 24 * hourMs
let folder: ReturnType<typeof emptyFolder>
let store: TestStore
let database: ReturnType<typeof openDatabase>

beforeEach(async () => {
  folder = emptyFolder()
  database = openDatabase(`${folder.path}/production.db`, 0)
  store = await openTestStore({ databasePath: `${folder.path}/production.db`, pid: 4711 }, 'business', database)
})
afterEach(async () => {
  await store.close()
  folder.remove()
})

const linesOf = (checks: readonly { name: string; ok: boolean | null; message: string }[]) =>
  Object.fromEntries(checks.map(({ name, ok, message }) => [name, [ok, message]]))

test('the status shows what runs, what needs attention in words, and the newest backup', async () => {
  const { json: pet } = await store.call('POST', '/v1/pets', { body: { name: 'Rex\u202e', categoryId: 1 } })
  await store.call('POST', '/v1/store/orders', { body: { petId: pet.id } })
  store.clock.skip(2 * day)
  const { json } = await store.call('GET', '/v1/system/status')
  expect(json).toEqual({
    version,
    environment: 'production',
    startedAt: new Date(testStart).toISOString(),
    pid: 4711,
    address: null,
    ports: [],
    folder: folder.path,
    lastHour: { requests: 0, rejected: 0, failed: 0 },
    attention: [
      {
        kind: 'order_waiting',
        id: 1,
        since: new Date(testStart).toISOString(),
        message: expect.stringMatching(/^Order 1 \(Rex\P{C}*\) has been waiting for more than a day$/u),
        advice: 'Approve or cancel it in the dashboard.',
      },
    ],
    backups: { count: 0, nextAt: null, newest: null },
  })
})

test('the requests of the last hour are counted by their statuses, and those of commands are not', async () => {
  const { requestMetrics } = store.app
  const context = { peer: { requestIP: () => null }, hasInvalidHost: false, isSecure: false, operation: 'listPets' }
  const observe = (status: number, isCommand = false) => {
    const startedMs = store.clock.monotonic()
    requestMetrics.observe(
      { ...context, startedMs, requestId: undefined, keyId: undefined, errorCode: undefined, isCommand },
      status,
    )
  }
  const lastHour = async () => (await store.call('GET', '/v1/system/status')).json.lastHour
  for (const status of [200, 304, 404, 429, 500, 503, 503]) observe(status)
  observe(200, true)
  store.clock.advance(30 * 60_000)
  observe(201)
  expect(await lastHour()).toEqual({ requests: 8, rejected: 2, failed: 3 })
  store.clock.advance(29 * 60_000)
  expect(await lastHour()).toEqual({ requests: 8, rejected: 2, failed: 3 })
  store.clock.advance(60_000)
  expect(await lastHour()).toEqual({ requests: 1, rejected: 0, failed: 0 })
  store.clock.advance(hourMs)
  observe(200)
  expect(await lastHour()).toEqual({ requests: 1, rejected: 0, failed: 0 })
})

test('the checks show what needs attention and what to do, and neither endpoint changes a record', async () => {
  store.clock.skip(8 * day)
  const changes = () =>
    database.connection.query<{ changes: number }, []>('SELECT total_changes() AS changes').get()?.changes
  const before = changes()
  const { json } = await store.call('GET', '/v1/system/checks')
  await store.call('GET', '/v1/system/status')
  expect(changes()).toBe(before)
  const lines = linesOf(json.checks)
  expect(json.ok).toBe(false)
  expect(lines['backups']).toEqual([false, 'There is no new backup.'])
  expect(lines['data_directory']?.[0]).toBe(true)
  // A test is not an executable that could start itself.
  expect(lines['database']).toEqual([null, 'The database was not examined: this program is not petstore'])
  expect(lines['backup_copies']).toEqual([true, 'No bucket is set: backups are on this machine alone.'])
  expect(lines['mail']).toEqual([true, 'Mail is off: nobody is notified of a fault.'])
  expect(lines['platform_domain']).toEqual([true, 'Hosting is off.'])
})

test('domains that wait for their records are counted as well as those that lead here', async () => {
  const hosted = await openDomainStore()
  const line = async () => linesOf((await hosted.call('GET', '/v1/system/checks')).json.checks)['domains']
  const project = await hosted.newProject()
  expect(await line()).toEqual([true, 'There is no domain yet.'])
  const { json: domain } = await hosted.add(project, 'www.kiosk.example')
  expect(await line()).toEqual([true, '1 domain waits for its records.'])
  hosted.setRecords('kiosk', `www 3600 CNAME ${targetOf(domain)}.`)
  await hosted.verify(project, 'www.kiosk.example')
  expect(await line()).toEqual([true, '1 domain leads here.'])
  for (const name of ['a', 'b']) await hosted.add(project, `${name}.kiosk.example`)
  expect(await line()).toEqual([true, '1 domain leads here; 2 domains wait for their records.'])
  await hosted.close()
})

test('a store in memory is not examined, and without a response from DNS the records of the platform count as unknown', async () => {
  const none = { resolvers: [] as const }
  const hosted = await openTestStore({ hosting: { ...testHosting, publicAddresses: [] }, dns: none })
  const { json } = await hosted.call('GET', '/v1/system/checks')
  const lines = linesOf(json.checks)
  expect(lines['data_directory']).toEqual([true, 'The store is in memory.'])
  expect(lines['database']).toBeUndefined()
  expect(lines['platform_domain']).toEqual([false, 'stores.example has no address, or its lookup fails.'])
  await hosted.close()

  const silent = await openTestStore({ hosting: testHosting, dns: none })
  const { checks } = (await silent.call('GET', '/v1/system/checks')).json
  expect(linesOf(checks)['platform_domain']).toEqual([null, 'No resolver responded for stores.example in time.'])
  await silent.close()

  const local = { platformDomain: 'shop.localhost', sitesDomain: 'shop.localhost', isLocal: true, publicAddresses: [] }
  const trial = await openTestStore({ hosting: { ...testHosting, ...local }, dns: none })
  const { checks: found } = (await trial.call('GET', '/v1/system/checks')).json
  expect(linesOf(found)['platform_domain']).toEqual([true, 'shop.localhost is for this machine alone.'])
  await trial.close()
})
