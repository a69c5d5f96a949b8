import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { foldedText } from './text.ts'

test('a part of a text, in any case, is a part of the text when both are folded', () => {
  const greek = fc.constantFrom(...'ΣσςΑαΜμίΐ')
  const texts = fc.array(fc.oneof(greek, fc.string({ unit: 'grapheme', maxLength: 3 })), { maxLength: 12 })
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
