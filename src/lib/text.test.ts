import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { foldedText } from './text.ts'

test('letters are found by those that people type for them', () => {
  for (const [text, q] of [
    ['Łucja', 'lucja'],
    ['Søren', 'SOREN'],
    ['Đuro', 'duro'],
    ['Weißpfötchen', 'weisspfotchen'],
    ['Ærø', 'aero'],
    ['Þór', 'thor'],
  ] as const) {
    expect([text, foldedText(text)]).toEqual([text, foldedText(q)])
    expect(foldedText(text.toUpperCase())).toBe(foldedText(q))
  }
})

test('a part of a text, in any case, is a part of the text when both are folded', () => {
  const letters = fc.constantFrom(...'ΣσςΑαΜμίΐŁłØßẞæ')
  const texts = fc.array(fc.oneof(letters, fc.string({ unit: 'grapheme', maxLength: 3 })), { maxLength: 12 })
  const ends = fc.tuple(fc.nat(12), fc.nat(12))
  fc.assert(
    fc.property(texts, ends, (pieces, [from, to]) => {
      const text = foldedText(pieces.join(''))
      const part = pieces.slice(from, to).join('')
      for (const q of [part, part.toLowerCase(), part.toUpperCase()]) expect(text).toContain(foldedText(q))
    }),
    { numRuns: 3_000 },
  )
})
