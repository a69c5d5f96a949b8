import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { Windows, windowSeconds } from './windows.ts'

const start = 1_800_000_000
const arrivals = fc.array(
  fc.oneof(
    { arbitrary: fc.constant(0), weight: 6 },
    { arbitrary: fc.integer({ min: 1, max: 5 }), weight: 3 },
    { arbitrary: fc.integer({ min: 20, max: 200 }), weight: 1 },
  ),
  { maxLength: 400 },
)

/** A model of the window that keeps the second of every admitted request. */
function model() {
  const admitted: number[] = []
  return {
    admitted,
    used: (second: number) => admitted.filter((at) => at > second - windowSeconds && at <= second).length,
  }
}

test('no 60 seconds hold more requests than the limit, and the number of used requests equals a simple model', () => {
  fc.assert(
    fc.property(arrivals, fc.integer({ min: 1, max: 30 }), (gaps, limit) => {
      const windows = new Windows()
      const slot = windows.allocate(start)
      const { admitted, used } = model()
      let second = start
      for (const gap of gaps) {
        second += gap
        expect(windows.used(slot, second)).toBe(used(second))
        if (windows.used(slot, second) < limit) {
          windows.count(slot, second)
          admitted.push(second)
        }
      }
      for (const at of admitted) {
        expect(admitted.filter((other) => other >= at && other <= at + 60).length).toBeLessThanOrEqual(limit)
      }
    }),
  )
})

test('the reset second is the first in which fewer requests count, and fewer than the limit', () => {
  fc.assert(
    fc.property(arrivals, fc.integer({ min: 1, max: 30 }), (gaps, limit) => {
      const windows = new Windows()
      const slot = windows.allocate(start)
      const { admitted, used } = model()
      let second = start
      for (const gap of gaps) {
        second += gap
        windows.used(slot, second)
        windows.count(slot, second)
        admitted.push(second)
        const reset = windows.resetSecond(slot, limit)
        const bound = Math.min(used(second), limit)
        expect(used(reset)).toBeLessThan(bound)
        expect(used(reset - 1)).toBeGreaterThanOrEqual(bound)
      }
    }),
  )
})

test('an idle window is empty after 61 seconds, and its slot can be used again', () => {
  const windows = new Windows()
  const slot = windows.allocate(start)
  windows.count(slot, start, 5)
  expect(windows.used(slot, start + 60)).toBe(5)
  expect(windows.used(slot, start + 61)).toBe(0)
  windows.release(slot)
  expect(windows.allocate(start + 61)).toBe(slot)
})

test('a window can be read second by second', () => {
  const windows = new Windows()
  const slot = windows.allocate(start)
  windows.count(slot, start, 2)
  windows.used(slot, start + 7)
  windows.count(slot, start + 7, 3)
  const seen: [number, number][] = []
  windows.forEachSecond(slot, 0, (second, requests) => seen.push([second, requests]))
  expect(seen).toEqual([
    [start, 2],
    [start + 7, 3],
  ])
  seen.length = 0
  windows.forEachSecond(slot, start + 1, (second, requests) => seen.push([second, requests]))
  expect(seen).toEqual([[start + 7, 3]])
})
