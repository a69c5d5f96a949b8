import { expect, test } from 'bun:test'
import { isolated } from './format.ts'

test('a text that cannot turn others around stays as it is', () => {
  for (const text of ['Rex', '', 'Zoë’s 👩‍👩‍👧', 'пёс', '犬', 'Z\u0351\u0351']) expect(isolated(text)).toBe(text)
})

test('a text from right to left, and one with an override, ends where it ends', () => {
  expect(isolated('قطة')).toBe('\u2068قطة\u2069')
  expect(isolated('\u202egnp.exe')).toBe('\u2068\u202egnp.exe\u2069')
})

test('isolates that a text leaves open are closed, and ends without a start are dropped', () => {
  expect(isolated('a\u2067b\u2066c')).toBe('\u2068a\u2067b\u2066c\u2069\u2069\u2069')
  expect(isolated('a\u2069\u2069b\u2067c\u2069d')).toBe('\u2068ab\u2067c\u2069d\u2069')
})
