import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { foldedName, nameFault, storedName } from './rules.ts'

test('a name has 1 to 64 code points, not all white space, and no control characters', () => {
  expect(nameFault('\u{1F436}'.repeat(64))).toBeUndefined()
  expect(nameFault('\u{1F436}'.repeat(65))).toBe('must have at most 64 characters')
  expect(nameFault(' \u00a0 ')).toBe('must not be blank')
  expect(nameFault('Do\ng')).toBe('must not contain control characters or broken Unicode')
})

test('names that differ only in case, composition or surrounding space are the same', () => {
  for (const [one, other] of [
    ['Dog', ' dOG '],
    ['Écureuil', 'e\u0301cureuil'],
    ['Straßenkatze', 'STRASSENKATZE'],
    ['ΟΔΟΣ', 'οδος'],
    ['ẞ', 'ß'],
  ] as const) {
    expect(foldedName(one)).toBe(foldedName(other))
  }
  expect(foldedName('Dog')).not.toBe(foldedName('Dogs'))
})

/** Any character, and often one whose upper or lower case has several characters or is not reversible. */
const unit = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  fc.constantFrom(...'aSsßẞΣσςİıŉǰΐKÅŽ\u0301\u0307'),
)

test('the case of any name makes no difference, and its stored form is the same name', () => {
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 8 }), (name) => {
      const folded = foldedName(name)
      expect(foldedName(name.toUpperCase())).toBe(folded)
      expect(foldedName(name.toLowerCase())).toBe(folded)
      expect(foldedName(folded)).toBe(folded)
      expect(foldedName(storedName(name))).toBe(folded)
      expect(foldedName([...name].map((one) => `\u200b${one}\u{e0020}`).join('\u2800'))).toBe(folded)
    }),
    { numRuns: 2_000 },
  )
})
