import { expect, test } from 'bun:test'
import { defaultKeep, parseKeep } from '../../../config/backups.ts'
import { expired } from './keep.ts'

const dayMs = 86_400_000
/** A Friday. */
const now = Date.UTC(2026, 10, 20, 3, 15)
const dates = (backups: readonly { createdAt: number }[]) =>
  backups.map(({ createdAt }) => new Date(createdAt).toISOString().slice(0, 10))

/** What remains of a backup each night up to `now`, where each is kept or not in its night. */
function nights(days: number, keep = defaultKeep): string[] {
  let backups: { createdAt: number }[] = []
  for (let day = days - 1; day >= 0; day--) {
    const createdAt = now - day * dayMs
    backups.unshift({ createdAt })
    const gone = new Set(expired(backups, keep, createdAt))
    backups = backups.filter((backup) => !gone.has(backup))
  }
  return dates(backups)
}

test('of a year of nights the last seven days, four weeks and six months remain', () => {
  expect(nights(365)).toEqual([
    ...['2026-11-20', '2026-11-19', '2026-11-18', '2026-11-17', '2026-11-16', '2026-11-15', '2026-11-14'],
    // Sundays: the newest of their weeks.
    ...['2026-11-08', '2026-11-01'],
    ...['2026-10-31', '2026-09-30', '2026-08-31', '2026-07-31', '2026-06-30'],
  ])
})

test('the last three remain however little is kept, also several of one day', () => {
  expect(nights(30, parseKeep('0d'))).toEqual(['2026-11-20', '2026-11-19', '2026-11-18'])
  const hours = [0, 1, 2, 3, 4].map((hour) => ({ createdAt: now - hour * 3_600_000 }))
  expect(expired(hours, { days: 1, weeks: 0, months: 0 }, now)).toEqual(hours.slice(3))
})

test('a pause in which no backup was made lets none go', () => {
  const old = [1, 2, 3, 4, 5, 6].map((day) => ({ createdAt: now - (400 + day) * dayMs }))
  expect(expired([{ createdAt: now }, ...old], defaultKeep, now)).toEqual([])
})

test('a clock that jumps a year ahead costs one day, and what it made is left alone once the clock is right', () => {
  const made = [0, 1, 2, 3, 4, 5, 6].map((day) => ({ createdAt: now - day * dayMs }))
  const ahead = { createdAt: now + 365 * dayMs }
  // The newest of its week, or of the last days, each.
  expect(dates(expired([ahead, ...made], defaultKeep, ahead.createdAt))).toEqual(['2026-11-14'])
  const later = Array.from({ length: 20 }, (_, day) => ({ createdAt: ahead.createdAt + day * dayMs }))
  expect(expired([...later, ...made], defaultKeep, now)).toEqual([])
})

test('a clock that jumps a year back lets none go', () => {
  const made = [0, 1, 2, 3, 4, 5, 6].map((day) => ({ createdAt: now - day * dayMs }))
  const back = now - 365 * dayMs
  expect(expired([...made, { createdAt: back }], { days: 1, weeks: 0, months: 0 }, back)).toEqual([])
})

test.each([
  ['7d,4w,6m', { days: 7, weeks: 4, months: 6 }],
  [' 14D ', { days: 14, weeks: 0, months: 0 }],
  ['6m, 2w', { days: 0, weeks: 2, months: 6 }],
  ['', undefined],
  ['7', undefined],
  ['7d,7d', undefined],
  ['7d,', undefined],
  ['-1d', undefined],
  ['1000d', undefined],
  ['7y', undefined],
])('%p keeps %p', (text, keep) => {
  expect(parseKeep(text)).toEqual(keep)
})
