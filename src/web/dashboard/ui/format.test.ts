import { describe, expect, test } from 'bun:test'
import { byteSize } from '../../../lib/byte-size.ts'
import { formatBytes, formatRelative, isolated } from './format.ts'

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

describe('the time since or until a moment', () => {
  const now = new Date(2026, 10, 22, 10, 30)
  const at = (...[year, month, day, hour, minute]: [number, number, number, number, number]) =>
    formatRelative(new Date(year, month, day, hour, minute).toISOString(), now.getTime())

  test('is counted in hours within a day, then in days of the calendar', () => {
    expect(at(2026, 10, 22, 10, 30)).toBe('just now')
    expect(at(2026, 10, 21, 14, 30)).toBe('20 hours ago')
    expect(at(2026, 10, 21, 10, 0)).toBe('yesterday')
    expect(at(2026, 10, 20, 11, 30)).toBe('2 days ago')
    expect(at(2026, 10, 23, 23, 0)).toBe('tomorrow')
    expect(at(2026, 10, 24, 9, 30)).toBe('in 2 days')
  })

  test('is not rounded to another week, month or year of the calendar', () => {
    expect(at(2026, 10, 9, 11, 0)).toBe('13 days ago')
    expect(at(2026, 11, 5, 9, 0)).toBe('in 13 days')
    expect(at(2026, 8, 25, 12, 0)).toBe('1 month ago')
    expect(at(2024, 11, 1, 12, 0)).toBe('1 year ago')
  })
})

test('a size has the same words in the dashboard and in the terminal', () => {
  for (const bytes of [0, 1, 999, 1_000, 8_749, 99_950, 612_843, 999_999, 3_800_000, 41_312_000, 5e9, 12e12, 4e15]) {
    expect([bytes, formatBytes(bytes)]).toEqual([bytes, byteSize(bytes)])
  }
  expect([0, 1, 612_843, 41_312_000].map(byteSize)).toEqual(['0 bytes', '1 byte', '613 kB', '41.3 MB'])
})
