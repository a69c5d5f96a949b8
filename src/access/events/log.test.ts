import { afterEach, beforeEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import fc from 'fast-check'
import { openDatabase } from '../../database/open.ts'
import { createManualClock, type ManualClock } from '../../lib/clock.ts'
import { pageRange } from '../../lib/steps/collect.ts'
import { emptyFolder } from '../../testing/executable.ts'
import { createEventLog, type EventLimits } from './log.ts'
import { type EventFilter, type EventType, eventTypes, selects } from './rules.ts'

const start = Date.UTC(2026, 10, 20)
const everything: EventFilter = { accountId: 0, all: new Set(eventTypes), own: new Set() }

let folder: ReturnType<typeof emptyFolder>
let clock: ManualClock
beforeEach(() => {
  folder = emptyFolder()
  clock = createManualClock(start)
})
afterEach(() => folder.remove())

function openLog(path = ':memory:', limits?: EventLimits) {
  const { connection, close } = openDatabase(path, 0)
  const log = createEventLog(connection, { clock, requestId: () => null, ...(limits ? { limits } : {}) })
  return {
    ...log,
    connection,
    close,
    /** Writes events of animals with these ids, and returns the ids of the events. */
    add(...pets: number[]): number[] {
      return pets.map((id) => {
        log.write('pet.created', null, { id })
        log.flushed()
        return log.newestOnDisk()
      })
    },
    pets: (): number[] => log.readAfter(0, everything, 100).records.map(({ data }) => JSON.parse(data).id),
  }
}

test('when there are too many events, the oldest are removed first, in steps', () => {
  const log = openLog(':memory:', { events: 3, bytes: 1e9 })
  log.add(1, 2, 3)
  expect(log.hasOld(0)).toBe(false)
  log.add(4, 5, 6)
  expect(log.hasOld(0)).toBe(true)
  log.removeOld(0, 2)
  expect(log.pets()).toEqual([3, 4, 5, 6])
  log.removeOld(0, 2)
  expect([log.hasOld(0), log.pets()]).toEqual([false, [4, 5, 6]])
  log.close()
})

test('when events have too many bytes, the oldest are removed first', () => {
  const log = openLog(':memory:', { events: 100, bytes: 3 * 88 })
  log.add(1, 2, 3, 4, 5)
  log.removeOld(0, 100)
  // Each has 88 bytes.
  expect(log.pets()).toEqual([3, 4, 5])
  log.close()
})

test('events that are too old are removed, but the newest remains, so that a client that has it can continue', () => {
  const log = openLog()
  const [first = 0] = log.add(1)
  clock.advance(1_000)
  const [, newest = 0] = log.add(2, 3)
  expect(log.hasOld(start - 1)).toBe(false)
  log.removeOld(start, 100)
  expect(log.pets()).toEqual([2, 3])
  log.removeOld(start + 1_000, 100)
  expect([log.hasOld(start + 1_000), log.pets()]).toEqual([false, [3]])
  log.assertKept(newest)
  expect(() => log.assertKept(first)).toThrow('are no longer kept')
  log.close()
})

test('the removal of an event that was written while the clock was set back removes no others', () => {
  const log = openLog()
  log.add(1)
  clock.setWall(start - 365 * 86_400_000)
  log.add(2)
  clock.setWall(start + 1_000)
  log.add(3, 4)
  expect(log.hasOld(start - 1)).toBe(false)
  log.removeOld(start - 1, 100)
  expect(log.pets()).toEqual([1, 2, 3, 4])
  log.removeOld(start, 100)
  expect(log.pets()).toEqual([3, 4])
  log.close()
})

test('after an older copy of the store is restored, lost events get 410 for ever, and their ids are not reused', () => {
  const [path, copy] = [join(folder.path, 'production.db'), join(folder.path, 'copy.db')]
  const before = openLog(path)
  const [kept = 0] = before.add(1)
  before.connection.run('VACUUM INTO ?', [copy])
  clock.advance(1)
  const lost = before.add(2, 3, 4)
  before.close()
  clock.advance(1)
  const after = openLog(copy)
  for (const id of lost) expect(() => after.assertKept(id)).toThrow('are no longer kept')
  const given = after.add(5, 6, 7, 8)
  expect(Math.min(...given)).toBeGreaterThan(Math.max(...lost))
  for (const id of lost) expect(() => after.assertKept(id)).toThrow('are no longer kept')
  after.assertKept(kept)
  expect(after.readAfter(kept, everything, 10).records.map(({ id }) => id)).toEqual(given)
  after.close()
})

test('a start continues after the last event, whatever the clock says', () => {
  const path = join(folder.path, 'production.db')
  const first = openLog(path)
  const [id = 0] = first.add(1)
  first.close()
  clock.setWall(0)
  const second = openLog(path)
  expect(second.newestOnDisk()).toBe(id)
  second.assertKept(id)
  const [next = 0] = second.add(2)
  expect(next).toBeGreaterThan(id)
  clock.setWall(Date.UTC(9_999, 0))
  expect(second.add(3)).toEqual([next + 1])
  expect(second.readAfter(id, everything, 10).records.map((event) => event.id)).toEqual([next, next + 1])
  second.close()
})

test('after an older copy is restored while the clock is behind its events, ids are not reused either', () => {
  const [path, copy] = [join(folder.path, 'production.db'), join(folder.path, 'copy.db')]
  const before = openLog(path)
  const [kept = 0] = before.add(1)
  before.connection.run('VACUUM INTO ?', [copy])
  const year = 365 * 86_400_000
  clock.setWall(start - year)
  const lost = before.add(2, 3, 4)
  before.close()
  const after = openLog(copy)
  const given = after.add(5, 6, 7, 8)
  for (const id of lost) expect(() => after.assertKept(id)).toThrow('are no longer kept')
  expect(given.filter((id) => lost.includes(id))).toEqual([])
  expect(after.readAfter(kept, everything, 10).records.map(({ id }) => id)).toEqual(given)
  after.close()
})

test('an event of a transaction that was rolled back does not exist, and its id is not reused', () => {
  const log = openLog()
  const [first = 0] = log.add(1)
  log.connection.run('BEGIN')
  log.write('pet.created', null, { id: 2 })
  log.connection.run('ROLLBACK')
  log.flushed()
  expect(log.newestOnDisk()).toBe(first)
  log.assertKept(first)
  expect(log.add(3)).toEqual([first + 2])
  expect(log.pets()).toEqual([1, 3])
  log.close()
})

test('pages in both orders have exactly the events of the filter, however rare they are', () => {
  const type = fc.constantFrom<EventType>('pet.created', 'order.placed', 'key.created')
  const account = fc.constantFrom(1, 2)
  const types = fc.uniqueArray(type)
  fc.assert(
    fc.property(
      fc.array(fc.tuple(type, account), { maxLength: 60 }),
      fc.record({ accountId: account, all: types, own: types }),
      fc.constantFrom<'asc' | 'desc'>('asc', 'desc'),
      fc.constantFrom(0, 10),
      (rows, { accountId, all, own }, order, tickMs) => {
        const { connection, close } = openDatabase(':memory:', 0)
        let elapsedMs = 0
        const slow = { now: () => start, monotonic: () => (elapsedMs += tickMs) }
        const log = createEventLog(connection, { clock: slow, requestId: () => null, windowSize: 4 })
        for (const [name, owner] of rows) log.write(name, owner, {})
        log.newestOnDisk()
        log.flushed()
        const filter = { accountId, all: new Set(all), own: new Set(own) }
        const found: number[] = []
        for (let last: number | undefined, isMore = true; isMore; ) {
          const { records, searchedTo } = log.page(pageRange(order, last), filter, 3)
          found.push(...records.map(({ id }) => id))
          last = records.length === 3 ? records.at(-1)?.id : searchedTo
          isMore = last !== undefined
        }
        const events = rows.map(([name, owner], i) => ({ id: start * 1_000 + i, type: name, accountId: owner }))
        const expected = events.filter((event) => selects(filter, event)).map(({ id }) => id)
        expect(found).toEqual(order === 'asc' ? expected : expected.reverse())
        close()
      },
    ),
    { numRuns: 40 },
  )
})
