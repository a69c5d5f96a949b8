import { beforeEach, expect, test } from 'bun:test'
import { createManualClock } from '../../../lib/clock.ts'
import { checksPerMinute, createCheckQueue, maximumRunning } from './queue.ts'

let clock: ReturnType<typeof createManualClock>
let queue: ReturnType<typeof createCheckQueue>
let begun: string[]
let ends: Map<string, () => void>
beforeEach(() => {
  clock = createManualClock(0)
  queue = createCheckQueue(clock)
  begun = []
  ends = new Map()
})

/** A check that runs until the test ends it. */
const work = (name: string) => async () => {
  begun.push(name)
  const { promise, resolve } = Promise.withResolvers<void>()
  ends.set(name, resolve)
  await promise
  if (name.startsWith('failing')) throw new Error(name)
}
const request = (name: string, accountId: number) => queue.requested(accountId, work(name)).catch(() => {})
const turns = () => Bun.sleep(0)
async function end(name: string): Promise<string[]> {
  ends.get(name)?.()
  await turns()
  return begun
}

test('three checks run at a time, even if one fails, and the others follow in the order of the requests', async () => {
  for (const [i, name] of ['failing', 'b', 'c', 'd', 'e'].entries()) void request(name, i)
  await turns()
  expect([begun, maximumRunning]).toEqual([['failing', 'b', 'c'], 3])
  expect(await end('failing')).toEqual(['failing', 'b', 'c', 'd'])
  expect(await end('c')).toEqual(['failing', 'b', 'c', 'd', 'e'])
})

test('checks of one account run one after another, and hold up no other account', async () => {
  void request('first', 1)
  void request('second', 1)
  void request('other account', 2)
  await turns()
  expect(begun).toEqual(['first', 'other account'])
  expect(await end('other account')).toHaveLength(2)
  expect(await end('first')).toEqual(['first', 'other account', 'second'])
})

test('checks that somebody requests come before those that are due', async () => {
  for (const account of [1, 2, 3]) void queue.due(account, work(`due ${account}`))
  void request('requested', 4)
  await turns()
  expect([queue.isFull(), queue.mayBegin(5)]).toEqual([true, false])
  expect(await end('due 1')).toContain('requested')
  expect(queue.mayBegin(5)).toBe(false)
  await end('requested')
  expect([queue.isFull(), queue.mayBegin(5)]).toEqual([false, true])
})

test('the eleventh request in a minute is rejected with the seconds to wait, counted on a clock that nobody sets', async () => {
  for (let i = 0; i < checksPerMinute; i++) {
    await queue.requested(1, async () => {})
    clock.skip(1_000)
  }
  const reject = () => queue.requested(1, async () => {})
  expect(reject).toThrow(expect.objectContaining({ code: 'rate_limit_exceeded', retryAfterSeconds: 50 }))
  clock.setWall(Date.UTC(2030, 0))
  expect(reject).toThrow('Try again in 50 seconds')
  clock.skip(50_000)
  await queue.requested(1, async () => {})
  expect(reject).toThrow('Try again in 1 second.')
})

test('no due check begins for an account that has one running, or ten in the last minute; requests are still accepted', async () => {
  for (let i = 0; i < checksPerMinute; i++) {
    expect(queue.mayBegin(1)).toBe(true)
    await queue.due(1, async () => {})
  }
  expect([queue.mayBegin(1), queue.mayBegin(2)]).toEqual([false, true])
  await queue.requested(1, async () => {})
  clock.skip(60_000)
  expect(queue.mayBegin(1)).toBe(true)
  void queue.due(1, work('due'))
  expect(queue.mayBegin(1)).toBe(false)
})
