import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { Window, windowSeconds } from './window.ts'

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

test('no period of 60 seconds has more requests than the limit, and the number of used requests equals a simple model', () => {
  fc.assert(
    fc.property(arrivals, fc.integer({ min: 1, max: 30 }), (gaps, limit) => {
      const window = new Window(start)
      const { admitted, used } = model()
      let second = start
      for (const gap of gaps) {
        second += gap
        expect(window.used(second)).toBe(used(second))
        if (window.used(second) < limit) {
          window.count(second)
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
      const window = new Window(start)
      const { admitted, used } = model()
      let second = start
      for (const gap of gaps) {
        second += gap
        window.used(second)
        window.count(second)
        admitted.push(second)
        const reset = window.resetSecond(limit)
        const bound = Math.min(used(second), limit)
        expect(used(reset)).toBeLessThan(bound)
        expect(used(reset - 1)).toBeGreaterThanOrEqual(bound)
      }
    }),
  )
})

test('an idle window is empty after 61 seconds', () => {
  const window = new Window(start)
  window.count(start, 5)
  expect(window.used(start + 60)).toBe(5)
  expect(window.used(start + 61)).toBe(0)
})

test('a window can be read second by second', () => {
  const window = new Window(start)
  window.count(start, 2)
  window.used(start + 7)
  window.count(start + 7, 3)
  const seen: [number, number][] = []
  window.forEachSecond(0, (second, requests) => seen.push([second, requests]))
  expect(seen).toEqual([
    [start, 2],
    [start + 7, 3],
  ])
  seen.length = 0
  window.forEachSecond(start + 1, (second, requests) => seen.push([second, requests]))
  expect(seen).toEqual([[start + 7, 3]])
})
