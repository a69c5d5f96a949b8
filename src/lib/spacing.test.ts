import { expect, test } from 'bun:test'
import { createManualClock } from './clock.ts'
import { createSpacing } from './spacing.ts'

test('runs at once, and then not before the step has passed, once for all requests', () => {
  const clock = createManualClock(0)
  const runs: number[] = []
  const { runSoon } = createSpacing(clock, () => runs.push(clock.monotonic()))
  runSoon(100)
  clock.advance(30)
  runSoon(100)
  runSoon(100)
  expect(runs).toEqual([0])
  clock.advance(70)
  expect(runs).toEqual([0, 100])
  clock.advance(200)
  runSoon(100)
  expect(runs).toEqual([0, 100, 300])
})

test('a run that waits is cancelled by stop', () => {
  const clock = createManualClock(0)
  let runs = 0
  const { runSoon, stop } = createSpacing(clock, () => runs++)
  runSoon(100)
  runSoon(100)
  stop()
  clock.advance(1_000)
  expect(runs).toBe(1)
})
