import { expect, test } from 'bun:test'
import { createManualClock } from './clock.ts'

test('moving the clock runs due tasks in order, each at its time', () => {
  const clock = createManualClock(1_000)
  const seen: [string, number][] = []
  clock.after(300, () => seen.push(['late', clock.now()]))
  clock.after(100, () => {
    seen.push(['early', clock.now()])
    clock.after(50, () => seen.push(['nested', clock.now()]))
  })
  const cancel = clock.after(200, () => seen.push(['cancelled', clock.now()]))
  cancel()
  clock.advance(299)
  expect(seen).toEqual([
    ['early', 1_100],
    ['nested', 1_150],
  ])
  clock.advance(1)
  expect(seen.at(-1)).toEqual(['late', 1_300])
  expect(clock.monotonic()).toBe(300)
})

test('skipping any length of time runs a repeated task once', () => {
  const clock = createManualClock(1_000)
  const seen: number[] = []
  const repeat = () => {
    seen.push(clock.now())
    clock.after(100, repeat)
  }
  clock.after(100, repeat)
  clock.skip(99)
  expect(seen).toEqual([])
  clock.skip(1_000_000_000_000)
  expect(seen).toEqual([1_000_000_001_099])
  expect(clock.monotonic()).toBe(1_000_000_000_099)
  clock.advance(100)
  expect(seen).toHaveLength(2)
})

test('setting the wall clock back does not move the monotonic clock', () => {
  const clock = createManualClock(1_000)
  clock.setWall(0)
  expect([clock.now(), clock.monotonic()]).toEqual([0, 0])
})
