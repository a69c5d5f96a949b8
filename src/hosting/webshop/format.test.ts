import { expect, test } from 'bun:test'
import { createFormats } from './format.ts'

const now = Date.UTC(2026, 10, 20, 10)
const [en, de] = [createFormats('en'), createFormats('de')]

test('amounts have the digits of their currency', () => {
  // Intl separates with spaces that do not break.
  const texts = [
    de.money(4_990, 'EUR'),
    en.money(8_000, 'EUR'),
    en.money(1_500, 'JPY'),
    en.money(12_345, 'KWD'),
    en.money(1_000_000_000_000, 'USD'),
  ].map((text) => text.replaceAll('\u00a0', ' '))
  expect(texts).toEqual(['49,90 €', '€80', '¥1,500', 'KWD 12.345', '$10,000,000,000'])
})

test('an age is as exact as the date of birth', () => {
  const cases: readonly (readonly [birthDate: string, english: string | undefined, german: string | undefined])[] = [
    ['2026-11-20', '0 days', '0 Tage'],
    ['2026-11-19', '1 day', '1 Tag'],
    ['2026-11-07', '13 days', '13 Tage'],
    ['2026-11-06', '2 weeks', '2 Wochen'],
    ['2026-08-28', '2 months', '2 Monate'],
    ['2025-11-21', '11 months', '11 Monate'],
    ['2024-11-20', '2 years', '2 Jahre'],
    ['2026-11', undefined, undefined],
    ['2026-10', '1 month', '1 Monat'],
    ['2020-12', '5 years', '5 Jahre'],
    ['2026', undefined, undefined],
    ['2025', '1 year', '1 Jahr'],
    ['2027-01-01', undefined, undefined],
  ]
  for (const [birthDate, english, german] of cases) {
    expect([birthDate, en.age(birthDate, now)?.text]).toEqual([birthDate, english])
    expect([birthDate, de.age(birthDate, now)?.text]).toEqual([birthDate, german])
  }
  expect(en.age('2020', now)?.isApproximate).toBe(true)
  expect(en.age('2020-05-01', now)?.isApproximate).toBe(false)
})

test('a date of birth is a day, a month or a year, in no time zone', () => {
  expect(['2024-03-14', '2024-03', '2024'].map((date) => de.birthDate(date))).toEqual([
    '14. März 2024',
    'März 2024',
    '2024',
  ])
})
