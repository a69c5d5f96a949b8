/**
 * Which backups of the schedule are kept. Times count, not files: a clock that has jumped must not let all others go.
 */

import type { Keep } from '../../../config/backups.ts'
import { hasCome } from '../rules.ts'

/** However many days, weeks and months are kept: the newest backups that stay. */
const alwaysKept = 3

/**
 * The backups that may be deleted, of good ones alone; `createdAt` is in Unix milliseconds. The newest one of each of
 * the last days, weeks and months stays, in the zone of the machine; those without a backup do not count. One from the
 * future neither counts nor goes: its clock was wrong.
 */
export function expired<T extends { readonly createdAt: number }>(
  backups: readonly T[],
  keep: Keep,
  nowMs: number,
): T[] {
  const past = backups
    .filter(({ createdAt }) => hasCome(createdAt, nowMs))
    .toSorted((a, b) => b.createdAt - a.createdAt)
  const kept = new Set(past.slice(0, alwaysKept))
  for (const [periodOf, count] of [
    [dayOf, keep.days],
    [weekOf, keep.weeks],
    [monthOf, keep.months],
  ] as const) {
    const periods = new Set<string>()
    for (const backup of past) {
      const period = periodOf(new Date(backup.createdAt))
      if (periods.has(period)) continue
      if (periods.size === count) break
      periods.add(period)
      kept.add(backup)
    }
  }
  return past.filter((backup) => !kept.has(backup))
}

const monthOf = (date: Date) => `${date.getFullYear()}-${date.getMonth()}`
const dayOf = (date: Date) => `${monthOf(date)}-${date.getDate()}`
/** Weeks begin on Monday. */
const weekOf = (date: Date) =>
  dayOf(new Date(date.getFullYear(), date.getMonth(), date.getDate() - ((date.getDay() + 6) % 7)))
