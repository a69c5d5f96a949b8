import { expect, test } from 'bun:test'
import { createManualClock } from '../../lib/clock.ts'
import { createGathering } from './gathering.ts'

test('writes gather for a millisecond only while many requests come for each of them', async () => {
  const clock = createManualClock(0)
  let requests = 0
  const gather = createGathering(clock, () => requests)
  /** Whether writes gather after `writes` writes among `all` requests in `ms`. */
  const gathers = (writes: number, all: number, ms: number) => {
    requests += all
    clock.advance(ms)
    return gather(writes)
  }
  expect(gathers(1, 100, 1_000)).toBeUndefined()
  expect(gathers(1, 1, 1)).toBeUndefined()
  expect(gathers(60, 64, 1)).toBeUndefined()
  expect(gathers(1, 20, 500)).toBeUndefined()
  expect(gathers(1, 20, 0)).toBeUndefined()
  const gathering = gathers(2, 40, 1)
  let isOver = false
  void gathering?.then(() => {
    isOver = true
  })
  await Promise.resolve()
  expect(isOver).toBe(false)
  clock.advance(1)
  await gathering
  expect(isOver).toBe(true)
})
