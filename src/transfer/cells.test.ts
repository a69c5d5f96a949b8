import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { nameFault, storedName } from '../pets/rules.ts'
import { guarded, sendable, unguarded } from './cells.ts'

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

test('a name that became longer in its stored form can be sent again, and is the same name', () => {
  // NFC decomposes these characters, into two and into three.
  for (const sent of ['\u0958'.repeat(100), `${'\u{1d160}'.repeat(99)}a`, '\u0915\u093c\u{1d15f}\ufb2c'.repeat(25)]) {
    expect(nameFault(sent)).toBeUndefined()
    const stored = storedName(sent)
    expect(nameFault(stored)).toBeDefined()
    const again = sendable(stored, 100)
    expect(nameFault(again)).toBeUndefined()
    expect(storedName(again)).toBe(stored)
  }
})

test('a stored name that is short enough is not changed', () => {
  for (const name of ['\u0915\u093c', 'Rex', '\u{1F436}'.repeat(100)]) expect(sendable(name, 100)).toBe(name)
})
