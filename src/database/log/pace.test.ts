import { expect, test } from 'bun:test'
import { createManualClock } from '../../lib/clock.ts'
import { createPace } from './pace.ts'

function start() {
  const clock = createManualClock(0)
  let requests = 0
  const pace = createPace(clock, () => requests)
  return {
    clock,
    pace,
    /** A transaction with `writes` writes among `all` requests, whose flush takes `flushMs`, `ms` after the one before. */
    commit({
      writes = 1,
      all = 1,
      ms = 1,
      flushMs = 0.2,
    }: {
      writes?: number
      all?: number
      ms?: number
      flushMs?: number
    }) {
      requests += all
      clock.advance(ms - flushMs)
      const isInLoop = pace.flushesInLoop(writes)
      clock.advance(flushMs)
      pace.flushed()
      return { isInLoop, gathering: pace.gather(writes) }
    },
  }
}

test('the log is flushed in the event loop only for a client that writes alone, and only after a short flush', () => {
  const { commit } = start()
  const alone = (number: number) => Array.from({ length: number }, () => commit({}).isInLoop)
  expect(alone(8)).toEqual([...Array(7).fill(false), true])
  expect(alone(2)).toEqual([true, true])
  for (const other of [{ all: 2 }, { writes: 2, all: 2 }, { all: 0 }]) {
    expect(commit(other).isInLoop).toBe(false)
    expect(alone(8)).toEqual([...Array(7).fill(false), true])
  }
  expect(commit({ ms: 30, flushMs: 20 }).isInLoop).toBe(true)
  expect(commit({ ms: 30, flushMs: 20 }).isInLoop).toBe(false)
  expect(alone(2)).toEqual([false, true])
})

test('writes gather for three milliseconds only while many requests come for each of them', async () => {
  const { clock, commit, pace } = start()
  expect(commit({ all: 100, ms: 1_000 }).gathering).toBeUndefined()
  expect(commit({ all: 1 }).gathering).toBeUndefined()
  expect(commit({ writes: 60, all: 64 }).gathering).toBeUndefined()
  expect(commit({ all: 20, ms: 500 }).gathering).toBeUndefined()
  expect(commit({ all: 20, ms: 0, flushMs: 0 }).gathering).toBeUndefined()
  const { gathering } = commit({ writes: 2, all: 40 })
  expect(pace.gather(0)).toBeUndefined()
  let isOver = false
  void gathering?.then(() => {
    isOver = true
  })
  await Promise.resolve()
  expect(isOver).toBe(false)
  clock.advance(2)
  await Promise.resolve()
  expect(isOver).toBe(false)
  clock.advance(1)
  await gathering
  expect(isOver).toBe(true)
})
