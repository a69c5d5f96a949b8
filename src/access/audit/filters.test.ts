import { afterEach, beforeEach, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Actor } from '../../api/principal.ts'
import { openDatabase } from '../../database/open.ts'
import { createManualClock } from '../../lib/clock.ts'
import { openTestStore, type TestStore } from '../../testing/harness.ts'
import { type AuditFilter, createAuditStore } from './store.ts'

let store: TestStore
beforeEach(async () => {
  store = await openTestStore()
})
afterEach(() => store.close())

const read = async (query: string) => {
  const { status, json } = await store.call('GET', `/v1/audit?${query}`)
  return status === 200 ? json.map(({ id, action }: { id: number; action: string }) => `${id} ${action}`) : json.message
}

test('the log is filtered by actor, action, account, key and time', async () => {
  const start = new Date(store.clock.now()).toISOString()
  store.clock.advance(1_000)
  const later = new Date(store.clock.now()).toISOString()
  const { json: made } = await store.call('POST', '/v1/keys', { body: { name: 'Partner' } })
  await store.call('DELETE', `/v1/keys/${made.id}`)
  const all = ['5 key.revoked', '4 key.created', '3 account.created', '2 key.created', '1 account.created']
  expect(await read('')).toEqual(all)
  expect(await read('actor=system')).toEqual(all.slice(3))
  expect(await read('actor=key')).toEqual(all.slice(0, 3))
  expect(await read('actor=key:1')).toEqual(all.slice(0, 3))
  expect(await read('actor=key:11')).toEqual([])
  expect(await read('actor=owner')).toEqual([])
  expect(await read('action=key.created')).toEqual(['4 key.created', '2 key.created'])
  expect(await read('action=key')).toEqual(['5 key.revoked', '4 key.created', '2 key.created'])
  expect(await read('action=ke')).toEqual([])
  expect(await read(`accountId=${made.accountId}`)).toEqual(all.slice(0, 3))
  expect(await read(`keyId=${made.id}`)).toEqual(all.slice(0, 2))
  expect(await read(`from=${later}`)).toEqual(all.slice(0, 3))
  expect(await read(`to=${later}`)).toEqual(all.slice(3))
  expect(await read(`from=${start}&to=${later}&action=key&actor=system`)).toEqual(['2 key.created'])
  expect(await read('limit=1&action=key')).toEqual(['5 key.revoked'])
})

test('an invalid filter is rejected with its rule', async () => {
  expect(await read('actor=nobody')).toContain('actor must be owner, command, system, key')
  expect(await read('action=Key.Created')).toContain('action must be an action such as key.created')
  expect(await read('from=yesterday')).toContain('from must be a time such as')
  expect(await read('to=2026-02-30T00:00:00Z')).toContain('to must be a time such as')
})

test('every entry that matches is on exactly one page, for any filters and any time limit', () => {
  const actor = fc.constantFrom<Actor>('key:1', 'key:2', 'owner', 'system')
  const action = fc.constantFrom('key.created', 'key.revoked', 'keyring.made', 'keys.ended', 'account.created')
  const entry = fc.record({
    actor,
    action,
    accountId: fc.constantFrom(1, 2),
    keyId: fc.constantFrom(1, 2),
    at: fc.nat(9),
  })
  const filter = fc.record(
    {
      actor,
      actorKind: fc.constant('key'),
      action,
      actionGroup: fc.constantFrom('key', 'account'),
      accountId: fc.constantFrom(1, 2),
      keyId: fc.constantFrom(1, 2),
      from: fc.nat(9),
      to: fc.nat(9),
    },
    { requiredKeys: [] },
  )
  const matches = (
    one: AuditFilter,
    row: { actor: string; action: string; accountId: number; keyId: number; at: number },
  ) =>
    (one.actor === undefined || row.actor === one.actor) &&
    (one.actorKind === undefined || row.actor.startsWith(`${one.actorKind}:`)) &&
    (one.action === undefined || row.action === one.action) &&
    (one.actionGroup === undefined ||
      [one.actionGroup, `${one.actionGroup}s`].includes(row.action.split('.')[0] ?? '')) &&
    (one.accountId === undefined || row.accountId === one.accountId) &&
    (one.keyId === undefined || row.keyId === one.keyId) &&
    (one.from === undefined || row.at >= one.from) &&
    (one.to === undefined || row.at < one.to)
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 40 }), filter, fc.constantFrom(0, 10), (rows, one, tickMs) => {
      const { tables, connection, close } = openDatabase(':memory:', 0)
      let elapsedMs = 0
      const clock = { ...createManualClock(0), monotonic: () => (elapsedMs += tickMs) }
      const audit = createAuditStore(tables, undefined, clock)
      for (const { at, actor: who, ...row } of rows) audit.add({ actor: who, nowMs: at }, row)
      // Gaps that are larger than a window.
      connection.run('UPDATE audit SET id = id * 1000')
      const found: number[] = []
      for (let before: number | undefined = Number.MAX_SAFE_INTEGER; before !== undefined; ) {
        const { records, searchedTo } = audit.page(one, before, 3)
        found.push(...records.map(({ id }) => id))
        before = records.length === 3 ? records.at(-1)?.id : searchedTo
      }
      const expected = rows.flatMap((row, i) => (matches(one, row) ? [(i + 1) * 1_000] : [])).reverse()
      expect(found).toEqual(expected)
      close()
    }),
    { numRuns: 30 },
  )
})

test('of the entries about animals only the newest are kept, and every other one', () => {
  const { tables, connection, close } = openDatabase(':memory:', 0)
  const audit = createAuditStore(tables, undefined, undefined, 100)
  const actions = ['pet.changed', 'pets.exported', 'pet.deleted', 'key.created']
  for (let i = 0; i < 1_000; i++) {
    audit.add({ actor: 'owner', nowMs: i }, { action: actions[i % 4] ?? '', accountId: 1 })
  }
  const kept = 'SELECT count(*), min(id) FROM audit WHERE action'
  expect(connection.query(`${kept} LIKE 'pet.%'`).values()).toEqual([[100, 801]])
  expect(connection.query(`${kept} NOT LIKE 'pet.%'`).values()).toEqual([[500, 2]])
  const plan = connection.query(
    "EXPLAIN QUERY PLAN SELECT id FROM audit WHERE action >= 'pet.' AND action < 'pet/' ORDER BY id DESC LIMIT -1 OFFSET 100",
  )
  expect(JSON.stringify(plan.all())).toContain('COVERING INDEX audit_by_action')
  close()
})
