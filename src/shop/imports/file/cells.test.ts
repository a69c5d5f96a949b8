import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { guarded, unguarded } from './cells.ts'

test('no cell begins as a formula does, and harmless cells are unchanged', () => {
  for (const cell of ['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx', '＝1', "'=x", "''-1", "'''@"]) {
    expect(guarded(cell)).toBe(`'${cell}`)
  }
  for (const cell of ['Rex', "'plain", "''", "'", '', "O'-Malley", 'a=b', ' =x', '1-2'])
    expect(guarded(cell)).toBe(cell)
})

test('removing the guard of any cell returns the cell', () => {
  const awkward = fc.string({ unit: fc.constantFrom("'", '=', '+', '-', '@', '\t', '\r', '＝', 'a', ' ') })
  fc.assert(
    fc.property(fc.oneof(awkward, fc.string({ unit: 'binary' })), (cell) => {
      expect(unguarded(guarded(cell))).toBe(cell)
      expect(guarded(cell)).not.toMatch(/^[=+\-@\t\r＝＋－＠]/)
    }),
    { numRuns: 2_000 },
  )
})
