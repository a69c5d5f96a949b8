import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { foldedText, labelFault, storedLabel } from './text.ts'

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

const blank = fc.constantFrom(...' \u00ad\u034f\u200b\u2800\u3164\ufe0f\u{e0020}\u{e0100}')
const unit = fc.oneof(
  blank,
  fc.constantFrom(...'a1é\u2764\u{1f3f4}葛'),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
)
const blanks = fc.string({ unit: blank, maxLength: 4 })

test('a label is stored without invisible ends, and is blank if nothing is left', () => {
  const isVisible = (character: string) => !/[\s\p{Default_Ignorable_Code_Point}\u2800]/u.test(character)
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 8 }), blanks, blanks, (label, before, after) => {
      expect(storedLabel(`${before}a${label}b${after}`)).toBe(`a${label}b`.normalize('NFC'))
      const stored = storedLabel(label)
      expect(storedLabel(stored)).toBe(stored)
      expect([...stored].filter(isVisible)).toEqual([...label.normalize('NFC')].filter(isVisible))
      expect(labelFault(label, 100) === 'must not be blank').toBe(stored === '')
    }),
    { numRuns: 3_000 },
  )
})

test('an emoji or an ideograph at the end of a label keeps all of its code points', () => {
  for (const name of ['Bella ❤️', 'Cymru 🏴󠁧󠁢󠁷󠁬󠁳󠁿', '葛\u{e0100}']) expect(storedLabel(`${name}\u200b`)).toBe(name)
})

test('a long label with white space inside is stored in linear time', () => {
  const label = `é${' \u200b'.repeat(400_000)}b`
  expect(storedLabel(label)).toBe(label)
})
