/**
 * Durations as people write them: `90d`, `24h`, `30m`, `45s`; times in RFC 3339; limits of the times that are stored.
 */

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** Milliseconds of a duration such as `90d`, or undefined if `text` is none. */
export function parseDuration(text: string): number | undefined {
  const [, digits, unit] = /^(\d{1,6})([smhdw])$/.exec(text) ?? []
  if (digits === undefined || unit === undefined) return undefined
  return Number(digits) * unitMs[unit as keyof typeof unitMs]
}

/**
 * A stored wall time may be this many milliseconds in the future, because the system's clock is corrected by seconds. A
 * time further in the future was stored while the clock was wrong, and says nothing about the age of its record.
 */
export const toleratedFutureMs = unitMs.h

/** The last millisecond of the year 9999, in Unix milliseconds: RFC 3339 has years of four digits. */
export const latestTimeMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

const rfc3339 = /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/

/** Unix milliseconds of a time in RFC 3339 that exists and, in UTC, has a year of four digits; else undefined. */
export function parseTime(text: string): number | undefined {
  const upper = text.toUpperCase()
  const [, date] = rfc3339.exec(upper) ?? []
  // JavaScript reads 30 February as 2 March.
  const midnight = date === undefined ? Number.NaN : Date.parse(`${date}T00:00:00Z`)
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== date) return undefined
  const ms = Date.parse(upper)
  const year = new Date(ms).getUTCFullYear()
  return year >= 0 && year <= 9999 ? ms : undefined
}
