import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { rangeOf } from './range.ts'

test('a single range selects bytes, is unsatisfiable, or is ignored', () => {
  const selected: [header: string, size: number, range: ReturnType<typeof rangeOf>][] = [
    ['bytes=0-0', 10, { start: 0, end: 1 }],
    ['bytes=2-4', 10, { start: 2, end: 5 }],
    ['bytes=2-', 10, { start: 2, end: 10 }],
    ['bytes=-3', 10, { start: 7, end: 10 }],
    ['bytes=-30', 10, { start: 0, end: 10 }],
    ['bytes=9-99999999999999999999999', 10, { start: 9, end: 10 }],
    ['BYTES = 1-2', 10, { start: 1, end: 3 }],
    ['bytes=, 1-2 ,', 10, { start: 1, end: 3 }],
    ['bytes=10-', 10, 'unsatisfiable'],
    ['bytes=99999999999999999999999-', 10, 'unsatisfiable'],
    ['bytes=-0', 10, 'unsatisfiable'],
    ['bytes=0-', 0, 'unsatisfiable'],
    ['bytes=-1', 0, undefined],
    ['bytes=4-2', 10, undefined],
    ['bytes=0-1,3-4', 10, undefined],
    ['bytes=-', 10, undefined],
    ['bytes=', 10, undefined],
    ['bytes=1', 10, undefined],
    ['bytes=0x1-2', 10, undefined],
    ['bytes=+1-2', 10, undefined],
    ['bytes=--2', 10, undefined],
    ['bytes=1.5-2', 10, undefined],
    ['pages=1-2', 10, undefined],
    ['', 10, undefined],
    ['undefined', 10, undefined],
  ]
  for (const [header, size, range] of selected) expect([header, rangeOf(header, size)]).toEqual([header, range])
})

test('whatever the header says, a range lies within the file and is not empty', () => {
  const piece = fc.constantFrom('bytes', '=', '-', ',', ' ', '0', '1', '9', '57', '9007199254740992', 'x')
  const header = fc.oneof(
    fc.string(),
    fc.array(piece).map((pieces) => `bytes=${pieces.join('')}`),
    fc.tuple(fc.nat(200), fc.nat(200)).map(([first, last]) => `bytes=${first}-${last}`),
  )
  fc.assert(
    fc.property(header, fc.nat(100), (text, size) => {
      const range = rangeOf(text, size)
      if (typeof range !== 'object') return
      expect(range.start).toBeGreaterThanOrEqual(0)
      expect(range.end).toBeGreaterThan(range.start)
      expect(range.end).toBeLessThanOrEqual(size)
    }),
    { numRuns: 2_000 },
  )
})
