/** Numbers, dates and times in the browser's locale and time zone; names within sentences. */

const numbers = new Intl.NumberFormat()
const days = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })
const utcDays = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' })
const moments = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const exactMoments = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' })
const times = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })
const relative = new Intl.RelativeTimeFormat('en')
const relativeDays = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

export const formatNumber = (value: number): string => numbers.format(value)

/** `1 animal`, `14,001 animals`. */
export function countOf(count: number, singular: string, plural = `${singular}s`): string {
  return `${formatNumber(count)} ${count === 1 ? singular : plural}`
}

/** A time of the API as a day. */
export const formatDay = (time: string): string => days.format(new Date(time))

/** A UTC day such as `2026-11-21`. */
export const formatUtcDay = (day: string): string => utcDays.format(new Date(`${day}T00:00:00Z`))

/** A time of the API as day and time of the day. */
export const formatMoment = (time: string): string => moments.format(new Date(time))

export const formatExactMoment = (time: string): string => exactMoments.format(new Date(time))

export const formatTime = (time: string): string => times.format(new Date(time))

const daySeconds = 86_400
const units: readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['year', 365 * daySeconds],
  ['month', 30 * daySeconds],
  ['day', daySeconds],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
]

/** How long ago or until a time: `3 hours ago`, `yesterday`, `in 12 days`, `just now`; with seconds only where asked for. */
export function formatRelative(time: string, nowMs = Date.now(), hasSeconds = false): string {
  const date = new Date(time)
  const seconds = (date.getTime() - nowMs) / 1_000
  const [unit, size] = units.find(([, one]) => Math.abs(seconds) >= one) ?? []
  if (unit === undefined || size === undefined || (unit === 'second' && !hasSeconds))
    return seconds > 0 ? 'in a moment' : 'just now'
  if (unit !== 'day') return relative.format(Math.trunc(seconds / size), unit)
  // By the calendar: 47 hours ago is never yesterday.
  const days = (startOfDay(date) - startOfDay(new Date(nowMs))) / (daySeconds * 1_000)
  return relativeDays.format(Math.round(days), unit)
}

const startOfDay = (date: Date): number => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime()

const byteUnits = ['bytes', 'kB', 'MB', 'GB', 'TB']

/** Bytes in decimal units: `41.3 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes === 1) return '1 byte'
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), byteUnits.length - 1)
  const value = bytes / 1000 ** power
  return `${new Intl.NumberFormat(undefined, { maximumFractionDigits: power === 0 || value >= 100 ? 0 : 1 }).format(value)} ${byteUnits[power]}`
}

/** What may turn the text around it: bidirectional controls, and letters that are written from right to left. */
const turning =
  /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u
const [isolateStart, isolateEnd] = ['\u2068', '\u2069'] as const

/**
 * A name or another text of a user within a sentence: its direction and its bidirectional controls, such as U+202E, end
 * with it (UAX #9). Most texts stay as they are. For showing, never for saving.
 */
export function isolated(text: string): string {
  if (!turning.test(text)) return text
  let open = 0
  let inside = ''
  for (const character of text) {
    if (character === isolateEnd) {
      // An end without a start would end the isolate around the text.
      if (open === 0) continue
      open--
    } else if (character >= '\u2066' && character < isolateEnd) {
      open++
    }
    inside += character
  }
  return `${isolateStart}${inside}${isolateEnd.repeat(open + 1)}`
}
