import { afterAll, expect, test } from 'bun:test'
import { endOfDay, lastDay, nameProblem, startOfDay } from './input.ts'

test('a name that the API rejects is refused in words, before it is sent', () => {
  const unseen = 'This name contains characters that cannot be shown. Type it again.'
  for (const [name, problem] of [
    [' ', 'Enter a name.'],
    ['👩‍👩‍👧'.repeat(13), 'This name is too long. Use at most 64 letters.'],
    ['Rex\tDog', unseen],
    ['Rex\u0085', unseen],
    [' \tRex\n', undefined],
    ['🐕'.repeat(64), undefined],
    ['Zoë’s قطة', undefined],
  ] as const) {
    expect([name, nameProblem(name, 'Enter a name.', 64)]).toEqual([name, problem])
  }
})

const zone = process.env['TZ']
afterAll(() => {
  if (zone === undefined) delete process.env['TZ']
  else process.env['TZ'] = zone
})

test('a day begins and ends in the time zone of the browser', () => {
  process.env['TZ'] = 'America/New_York'
  expect(startOfDay('2026-11-22')).toBe('2026-11-22T05:00:00.000Z')
  expect(endOfDay('2026-11-22')).toBe('2026-11-23T04:59:59.999Z')
})

test('the last day ends in a year of four digits in every time zone', () => {
  for (const zone of ['America/New_York', 'UTC', 'Asia/Tokyo']) {
    process.env['TZ'] = zone
    expect(endOfDay(lastDay)).toMatch(/^9999-12-31T/)
  }
})

test('a text that is no day has no times', () => {
  for (const text of ['', 'undefined', '9999-99-99', '2026-13-01', '12026-01-01', '2026-11-22T00:00']) {
    expect([startOfDay(text), endOfDay(text)]).toEqual([undefined, undefined])
  }
})
