import { expect, test } from 'bun:test'
import { createManualClock } from '../../lib/clock.ts'
import { openTestStore, testStart } from '../../testing/harness.ts'
import { createClockAttention, createDiskAttention } from './machine.ts'

const gib = 1_073_741_824

test.each([
  [200 * gib, 10.1, []],
  [200 * gib, 9.9, ['disk_low']],
  [10 * gib, 1.01, []],
  [10 * gib, 0.99, ['disk_low']],
  [0.5 * gib, 0.5, ['disk_low']],
])('of %d bytes %d GiB are free: %p', (totalBytes, free, kinds) => {
  const source = createDiskAttention('/srv/petstore/production.db', () => ({ freeBytes: free * gib, totalBytes }))
  const found = source(1_000, 50)
  expect(found.map(({ kind }) => kind)).toEqual(kinds)
  for (const item of found) expect(item).toMatchObject({ name: '/srv/petstore', sinceMs: 1_000 })
})

test('a disk is low since it was first seen so, and anew after it had space', () => {
  let freeBytes = 0
  const source = createDiskAttention('/srv/petstore/production.db', () => ({ freeBytes, totalBytes: 100 * gib }))
  expect(source(1_000, 50)[0]?.sinceMs).toBe(1_000)
  expect(source(2_000, 50)[0]?.sinceMs).toBe(1_000)
  freeBytes = 50 * gib
  expect(source(3_000, 50)).toEqual([])
  freeBytes = 0
  expect(source(4_000, 50)[0]?.sinceMs).toBe(4_000)
})

test('a clock that stands before the newest record needs attention, until a record is made with the right one', async () => {
  const store = await openTestStore()
  const kinds = async () =>
    (await store.call('GET', '/v1/overview')).json.attention.map((item: { kind: string }) => item.kind)
  expect(await kinds()).toEqual([])
  store.clock.setWall(testStart - 7_200_000)
  expect(await kinds()).toEqual(['clock_wrong'])
  store.clock.setWall(testStart + 10 * 365 * 86_400_000)
  await store.call('POST', '/v1/keys', { body: { accountId: 1, name: 'Made in 2036' } })
  store.clock.setWall(testStart)
  expect(await kinds()).toContain('clock_wrong')
  await store.call('POST', '/v1/keys', { body: { accountId: 1, name: 'Made now' } })
  expect(await kinds()).toEqual([])
  await store.close()
})

test('a clock that is off the authority’s, or before this program was written, is wrong', () => {
  const clock = createManualClock(testStart)
  const audit = { page: () => ({ records: [], searchedTo: undefined }) }
  let wrongByMs: number | undefined
  const source = createClockAttention({ audit, clock, wrongByMs: () => wrongByMs })
  expect(source(0, 50)).toEqual([])
  wrongByMs = 4_000_000
  expect(source(0, 50)).toHaveLength(1)
  wrongByMs = undefined
  clock.setWall(0)
  expect(source(0, 50)).toHaveLength(1)
})
