import { expect, test } from 'bun:test'
import { createManualClock } from '../../lib/clock.ts'
import { createProgress } from './progress.ts'

function open(errColumns: number | undefined, afterMs?: number) {
  const written: string[] = []
  const clock = createManualClock(0)
  const progress = createProgress({ err: (text) => void written.push(text), errColumns }, clock, afterMs)
  return { progress, written, clock }
}

test('nothing is drawn where diagnostics are written to a file or pipe', () => {
  const { progress, written } = open(undefined)
  progress.update('1 row', 0.5)
  progress.clear()
  expect(written).toEqual([])
})

test('the bar is redrawn in place at most ten times a second, and shows the share if that is known', () => {
  const { progress, written, clock } = open(40)
  progress.update('10 rows', 0.25)
  progress.update('11 rows', 0.5)
  clock.advance(99)
  progress.update('12 rows', 0.5)
  clock.advance(1)
  progress.update('100 rows')
  expect(written).toEqual(['\r10 rows [######-----------------]  25 %', `\r100 rows${' '.repeat(31)}`])
})

test('a bar that is to come later is not drawn before', () => {
  const { progress, written, clock } = open(80, 1_000)
  clock.advance(999)
  progress.update('1 row')
  expect(written).toEqual([])
  clock.advance(1)
  progress.update('2 rows')
  expect(written).toEqual(['\r2 rows'])
})

test('clearing leaves an empty line, and nothing if nothing was drawn', () => {
  const { progress, written } = open(80)
  progress.clear()
  expect(written).toEqual([])
  progress.update('10 rows')
  progress.clear()
  progress.clear()
  expect(written.slice(1)).toEqual([`\r${' '.repeat('10 rows'.length)}\r`])
  progress.update('11 rows')
  expect(written.at(-1)).toBe('\r11 rows')
})

test('the bar is narrower than the terminal at any width, and no longer than 100 %', () => {
  for (let columns = 1; columns < 90; columns++) {
    for (const share of [undefined, -1, 0, 0.999, 1, 7]) {
      const { progress, written } = open(columns)
      progress.update('1,000,000 rows', share)
      expect(written[0]?.length).toBeLessThanOrEqual(columns)
      if (share === 7 && columns > 30) expect(written[0]).toContain('#] 100 %')
    }
  }
})
