import { afterEach, beforeEach, expect, test } from 'bun:test'
import { openTestStore, type TestStore } from '../../testing/harness.ts'
import { createKeyStore, type NewKeyRow } from './store.ts'

let store: TestStore
beforeEach(async () => {
  store = await openTestStore()
})
afterEach(() => store.close())

const idsOf = async (query: string) => {
  const { status, json } = await store.call('GET', `/v1/keys${query}`)
  return status === 200 ? json.map(({ id }: { id: number }) => id) : json.code
}

test('keys are filtered by account and by state; a key has the first state that applies', async () => {
  const nowMs = store.clock.now()
  const revoked = await store.newKey({ expiresAt: nowMs + 1_000 })
  const expired = await store.newKey({ expiresAt: nowMs + 1_000 })
  const banned = await store.newKey({ expiresAt: nowMs + 86_400_000 })
  const second = (await store.call('POST', '/v1/keys', { body: { name: 'Second', accountId: banned.accountId } })).json
  await store.call('DELETE', `/v1/keys/${revoked.id}`)
  await store.app.writer.write(() => {
    for (const { id } of [banned, expired, revoked]) {
      store.app.keys.setBan({ keyId: id, startedAt: nowMs, endsAt: nowMs + 600_000 })
    }
  })
  store.clock.advance(1_000)
  expect(await idsOf('?state=active')).toEqual([1, second.id])
  expect(await idsOf('?state=banned')).toEqual([banned.id])
  expect(await idsOf('?state=expired')).toEqual([expired.id])
  expect(await idsOf('?state=revoked')).toEqual([revoked.id])
  expect(await idsOf(`?accountId=${banned.accountId}`)).toEqual([banned.id, second.id])
  expect(await idsOf(`?accountId=${banned.accountId}&state=active`)).toEqual([second.id])
  expect(await idsOf('?accountId=99')).toEqual([])
  expect(await idsOf('?state=lost')).toBe('invalid_parameter')
  expect(await idsOf('?accountId=0')).toBe('invalid_parameter')
  store.clock.advance(600_000)
  expect(await idsOf('?state=banned')).toEqual([])
  expect(await idsOf('')).toHaveLength(5)
})

test('the pages of a filter together have every match once, even if the time is up before a page is full', async () => {
  const { tables, connection } = await openMany()
  let elapsedMs = 0
  const clock = { now: () => 0, after: () => () => {}, monotonic: () => (elapsedMs += 10) }
  const keys = createKeyStore(tables, undefined, clock)
  const found: number[] = []
  let pages = 0
  for (let after: number | undefined = 0; after !== undefined; pages++) {
    const { records, searchedTo } = keys.filteredPage({ state: 'revoked' }, 0, after, 20)
    found.push(...records.map(({ id }) => id))
    after = records.length === 20 ? records.at(-1)?.id : searchedTo
  }
  const expected = connection.query('SELECT id FROM keys WHERE revoked_at IS NOT NULL ORDER BY id').values().flat()
  expect(found).toEqual(expected as number[])
  expect(pages).toBeGreaterThan(2)
})

/** Ten thousand keys, of which a few at both ends are revoked. */
async function openMany() {
  const { openDatabase } = await import('../../database/open.ts')
  const { createStores } = await import('../../app/stores.ts')
  const database = openDatabase(':memory:', 0)
  const { accounts, keys } = createStores(database)
  accounts.add({ name: 'A', plan: 'free', perMinute: null, perDay: null, createdAt: 0 })
  const row = (i: number): NewKeyRow => ({
    accountId: 1,
    name: `Key ${i}`,
    prefix: 'pet_live_aaaa',
    sha256: Buffer.from(`${i}`),
    scopes: 'pets:read',
    createdAt: 0,
  })
  database.connection.transaction(() => {
    for (let i = 0; i < 10_000; i++) keys.add(row(i))
    for (const id of [1, 5, 9_990, 10_000]) keys.update(id, { revokedAt: 0 })
  })()
  return database
}
