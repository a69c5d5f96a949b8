import { afterAll, beforeAll, expect, test } from 'bun:test'
import { parseBackupAt } from '../../../config/backups.ts'
import { lastDueAt, nextDueAt } from './schedule.ts'

const zone = process.env['TZ']
beforeAll(() => {
  process.env['TZ'] = 'Europe/Berlin'
})
afterAll(() => {
  if (zone === undefined) delete process.env['TZ']
  else process.env['TZ'] = zone
})

const iso = (ms: number) => new Date(ms).toISOString().slice(0, 16)

test.each([
  // Berlin is an hour ahead of UTC in winter, two in summer.
  ['03:15', '2026-11-20T02:14:59Z', '2026-11-19T02:15', '2026-11-20T02:15'],
  ['03:15', '2026-11-20T02:15:00Z', '2026-11-20T02:15', '2026-11-21T02:15'],
  ['00:00', '2026-12-31T23:00:00Z', '2026-12-31T23:00', '2027-01-01T23:00'],
  // On 29 March, 02:30 does not exist: 03:30 follows 01:59 by 31 minutes.
  ['02:30', '2026-03-29T00:59:00Z', '2026-03-28T01:30', '2026-03-29T01:30'],
  ['02:30', '2026-03-29T01:30:00Z', '2026-03-29T01:30', '2026-03-30T00:30'],
  // On 25 October, 02:30 comes twice.
  ['02:30', '2026-10-25T00:29:59Z', '2026-10-24T00:30', '2026-10-25T00:30'],
  ['02:30', '2026-10-25T01:30:00Z', '2026-10-25T00:30', '2026-10-26T01:30'],
])('%s at %s was last due %s and is next due %s', (at, now, last, next) => {
  expect([iso(lastDueAt(at, Date.parse(now))), iso(nextDueAt(at, Date.parse(now)))]).toEqual([last, next])
})

test.each([
  ['03:15', '03:15'],
  [' 3:15', '03:15'],
  ['OFF', 'off'],
  ['24:00', undefined],
  ['3', undefined],
  ['3:5', undefined],
  ['3pm', undefined],
])('the time %p is %p', (text, at) => {
  expect(parseBackupAt(text)).toBe(at)
})
