import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import { issueKey } from '../access/keys/issue.ts'
import { createManualClock } from '../lib/clock.ts'
import { createLog, silentLog } from '../lib/log.ts'
import { emptyFolder } from '../testing/executable.ts'
import { openTestStore, type TestStore, testStart } from '../testing/harness.ts'
import { type Announcements, createAnnouncements, type Topic, topics } from './announcements.ts'
import { noLog, type WriteAheadLog } from './log.ts'
import { createWriter, type Writer } from './writer.ts'

let folder: ReturnType<typeof emptyFolder>
let connection: Database
let announcements: Announcements
let writer: Writer
/** The announced topics, one array for each commit. */
let announced: Topic[][]
const logged: string[] = []
const clock = createManualClock(0)

function open(): Database {
  const opened = new Database(join(folder.path, 'test.db'), { create: true, strict: true })
  opened.run('PRAGMA journal_mode = WAL')
  return opened
}

beforeEach(() => {
  folder = emptyFolder()
  connection = open()
  connection.run('CREATE TABLE notes (text TEXT NOT NULL)')
  logged.length = 0
  const log = createLog({ level: 'error', json: true, now: () => 0, write: (line) => logged.push(line) })
  announcements = createAnnouncements(log)
  writer = createWriter(connection, clock, announcements.transaction, {
    blocked: () => undefined,
    writeFailed: () => 'full',
  })
  announced = []
  announcements.subscribe(topics, (found) => announced.push([...found]))
})
afterEach(() => {
  connection.close()
  folder.remove()
})

function add(topic: Topic, text: string = topic) {
  return () => {
    connection.query('INSERT INTO notes VALUES (?)').run(text)
    announcements.declare(topic)
  }
}

const addThenFail = (topic: Topic) => () => {
  add(topic)()
  throw new RangeError('no')
}

test('a topic is announced once for each commit, even if several writes changed it', async () => {
  await Promise.all([writer.write(add('pets')), writer.write(add('orders')), writer.write(add('pets'))])
  await writer.write(add('pets'))
  expect(announced).toEqual([['pets', 'orders'], ['pets']])
})

test('a topic is announced after the commit and before the write resolves', async () => {
  const other = open()
  const steps: string[] = []
  announcements.subscribe(['pets'], () => {
    steps.push(`announced, another connection sees ${other.query('SELECT * FROM notes').all().length}`)
  })
  await writer.write(add('pets')).then(() => steps.push('resolved'))
  expect(steps).toEqual(['announced, another connection sees 1', 'resolved'])
  other.close()
})

test('a write that throws announces nothing, and the other writes of the transaction announce their topics', async () => {
  await Promise.allSettled([writer.write(addThenFail('keys')), writer.write(add('pets'))])
  await Promise.allSettled([writer.writeRepeatable(addThenFail('keys')), writer.writeRepeatable(add('orders'))])
  await Promise.allSettled([writer.write(addThenFail('keys'))])
  expect(topics.filter(announcements.isChanging)).toEqual([])
  expect(announced).toEqual([['pets'], ['orders']])
})

test('a failed commit announces nothing, not even with a later commit', async () => {
  connection.run('PRAGMA max_page_count = 3')
  const outcomes = await Promise.allSettled([
    writer.write(add('keys')),
    writer.write(add('pets', 'x'.repeat(100_000))),
    writer.write(add('orders')),
  ])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(topics.filter(announcements.isChanging)).toEqual([])
  connection.run('PRAGMA max_page_count = 1000000')
  await writer.write(add('audit'))
  expect(announced).toEqual([['audit']])
})

test('a subscriber is called only for its topics, and not after it has unsubscribed', async () => {
  const heard: (readonly Topic[])[] = []
  const unsubscribe = announcements.subscribe(['pets', 'bans'], (found) => heard.push(found))
  await Promise.all([writer.write(add('pets')), writer.write(add('orders'))])
  await writer.write(add('orders'))
  unsubscribe()
  await writer.write(add('pets'))
  expect(heard).toEqual([['pets']])
})

test('an error of a subscriber is logged, and affects neither the write nor the other subscribers', async () => {
  announcements.subscribe(['pets'], () => {
    throw new Error('no memory left')
  })
  const later: string[] = []
  announcements.subscribe(['pets'], () => later.push('heard'))
  await writer.write(add('pets'))
  expect(later).toEqual(['heard'])
  expect(logged.join()).toContain('no memory left')
})

test('a subscriber may write, and that write is announced too', async () => {
  const written: Promise<void>[] = []
  announcements.subscribe(['pets'], () => written.push(writer.write(add('audit'))))
  await writer.write(add('pets'))
  await Promise.all(written)
  expect(announced).toEqual([['pets'], ['audit']])
})

test('every store declares its topic with every change, and a request that changes nothing announces nothing', async () => {
  const store = await openTestStore()
  expect(await topicsOf(store, 'POST', '/v1/pets', { name: 'Rex', categoryId: 1 })).toEqual(['pets'])
  expect(await topicsOf(store, 'PATCH', '/v1/pets/1', { name: 'Max' })).toEqual(['pets'])
  expect(await topicsOf(store, 'GET', '/v1/pets')).toEqual([])
  expect(await topicsOf(store, 'PATCH', '/v1/pets/9', { name: 'Max' })).toEqual([])
  expect(await topicsOf(store, 'POST', '/v1/store/orders', { petId: 1 })).toEqual(['pets', 'orders'])
  expect(await topicsOf(store, 'POST', '/v1/store/orders/1/approve')).toEqual(['orders'])
  expect(await topicsOf(store, 'POST', '/v1/store/orders/1/cancel')).toEqual(['pets', 'orders'])
  expect(await topicsOf(store, 'PATCH', '/v1/pets/1/profile', { breed: 'Boxer' })).toEqual(['profiles'])
  expect(await topicsOf(store, 'PATCH', '/v1/pets/1/profile', { breed: 'Boxer' })).toEqual([])
  expect(await topicsOf(store, 'DELETE', '/v1/pets/1')).toEqual(['pets'])
  expect(await topicsOf(store, 'POST', '/v1/categories', { name: 'Goat' })).toEqual(['categories'])
  expect(await topicsOf(store, 'PUT', '/v1/categories/1', { name: 'Hound' })).toEqual(['categories'])
  expect(await topicsOf(store, 'POST', '/v1/accounts', { name: 'Shop', plan: 'free' })).toEqual(['accounts', 'audit'])
  expect(await topicsOf(store, 'PATCH', '/v1/accounts/2', { plan: 'pro' })).toEqual(['accounts', 'audit'])
  expect(await topicsOf(store, 'POST', '/v1/keys', { name: 'Till', accountId: 2 })).toEqual(['keys', 'audit'])
  expect(await topicsOf(store, 'PATCH', '/v1/keys/2', { name: 'Desk' })).toEqual(['keys', 'audit'])
  expect(await topicsOf(store, 'POST', '/v1/keys/2/roll', {})).toEqual(['keys', 'audit'])
  expect(await topicsOf(store, 'DELETE', '/v1/keys/2')).toEqual(['keys', 'audit'])
  await store.app.writer.write(() => store.app.keys.setBan({ keyId: 3, startedAt: 0, endsAt: testStart + 3_600_000 }))
  expect(await topicsOf(store, 'DELETE', '/v1/keys/3/ban')).toEqual(['bans', 'audit'])
  const settings = { currency: 'EUR' }
  expect(await topicsOf(store, 'PATCH', '/v1/store/settings', settings)).toEqual(['profiles', 'settings', 'audit'])
  await store.close()
})

async function topicsOf(store: TestStore, method: string, path: string, body?: object): Promise<Topic[]> {
  const heard = new Set<Topic>()
  const unsubscribe = store.app.announcements.subscribe(topics, (found) => {
    for (const topic of found) heard.add(topic)
  })
  await store.call(method, path, { body })
  unsubscribe()
  return topics.filter((topic) => heard.has(topic))
}

test('a list that is read inside a write is not cached, whether the write commits or not', async () => {
  const store = await openTestStore()
  const names = async () => (await store.call('GET', '/v1/pets')).json.map((pet: { name: string }) => pet.name)
  const { app } = store
  const addRex = () => app.pets.add({ name: 'Rex', categoryId: 1, status: 'available' })
  expect(await names()).toEqual([])
  let seenInside: Promise<string[]> | undefined
  const readInside = () => {
    seenInside = names()
  }
  const failed = app.writer.write(() => {
    addRex()
    readInside()
    throw new RangeError('no')
  })
  expect(await failed.catch((error: unknown) => error)).toBeInstanceOf(RangeError)
  expect(await seenInside).toEqual(['Rex'])
  expect(await names()).toEqual([])
  await app.writer.write(() => {
    addRex()
    readInside()
  })
  expect(await names()).toEqual(['Rex'])
  await store.close()
})

test('a changed key takes effect with the response to its change, and a failed change has no effect', async () => {
  const store = await openTestStore()
  const { app } = store
  const { id, key, accountId } = await store.newKey({ plan: 'enterprise' })
  const status = async (method: string, path: string, body?: object) =>
    (await store.call(method, path, { key, body })).status
  expect(await status('GET', '/v1/pets')).toBe(200)
  await store.call('PATCH', `/v1/keys/${id}`, { body: { scopes: ['orders:read'] } })
  expect(await status('GET', '/v1/pets')).toBe(403)
  await store.call('PATCH', `/v1/keys/${id}`, { body: { scopes: ['pets:read'] } })
  expect(await status('GET', '/v1/pets')).toBe(200)
  const order = { name: 'More', account: { id: accountId }, scopes: [], expiresAt: undefined }
  const failed = app.writer.write(() => {
    app.keys.update(id, { revokedAt: 1 })
    issueKey(app, order, { actor: 'system', nowMs: 1 })
    throw new RangeError('no')
  })
  await failed.catch(() => {})
  expect(await status('GET', '/v1/pets')).toBe(200)
  await store.call('PATCH', `/v1/accounts/${accountId}`, { body: { plan: 'free' } })
  const limit = async () => (await store.call('GET', '/v1/pets', { key })).headers.get('x-ratelimit-limit')
  expect(['60', '1000']).toContain((await limit()) ?? '')
  await app.writer.write(() => app.keys.setBan({ keyId: id, startedAt: 0, endsAt: testStart + 3_600_000 }))
  expect(await status('GET', '/v1/pets')).toBe(429)
  await store.call('DELETE', `/v1/keys/${id}/ban`)
  expect(await status('GET', '/v1/pets')).toBe(200)
  await store.call('DELETE', `/v1/keys/${id}`)
  expect(await status('GET', '/v1/pets')).toBe(401)
  await store.close()
})

test('a topic is changing from its declaration to its announcement', () => {
  const alone = createAnnouncements(silentLog)
  alone.declare('pets')
  expect(alone.isChanging('pets')).toBe(true)
  alone.transaction.keep()
  expect(alone.isChanging('pets')).toBe(true)
  alone.transaction.announce()
  expect(alone.isChanging('pets')).toBe(false)
})

test('a flush is reported when the commit is on disk, before its writes resolve, and not if it fails', async () => {
  const steps: string[] = []
  let finish: (error?: Error) => void = () => {}
  const log: WriteAheadLog = {
    ...noLog,
    flush(_, done) {
      finish = (error) => done(error)
    },
  }
  const guard = { blocked: () => undefined, writeFailed: () => 'disk_error' as const }
  const slow = createWriter(connection, clock, announcements.transaction, guard, log)
  announcements.onFlushed(() => steps.push('flushed'))
  announcements.subscribe(['pets'], () => steps.push('announced'))
  const nextTurn = () => new Promise((resolve) => setImmediate(resolve))
  const first = slow.write(add('pets')).then(() => steps.push('resolved'))
  await nextTurn()
  expect(steps).toEqual(['announced'])
  finish()
  await first
  expect(steps).toEqual(['announced', 'flushed', 'resolved'])
  const second = slow.write(add('orders')).catch(() => steps.push('rejected'))
  await nextTurn()
  await nextTurn()
  finish(Object.assign(new Error('I/O error'), { code: 'EIO' }))
  await second
  expect(steps).toEqual(['announced', 'flushed', 'resolved', 'rejected'])
})

test('a listener of flushes that fails is logged, and fails no write', async () => {
  announcements.onFlushed(() => {
    throw new Error('no')
  })
  await writer.write(add('pets'))
  expect(logged).toEqual([expect.stringContaining('a listener failed when a change of the database was on disk')])
})
