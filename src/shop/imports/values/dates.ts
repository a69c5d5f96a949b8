/**
 * Reads dates of birth as people write them: `14.03.2024`, `05/05/2020 12:00:00 AM`, `March 2024`, `2 years`. A date is
 * as exact as the text: a year, a month or a day.
 */

import { foldedText } from '../../../lib/text.ts'
import { birthDateFault } from '../../profiles/rules.ts'

/** Whether dates such as 03/04/2024 begin with the day or the month. */
export const dateOrders = ['dmy', 'mdy'] as const
export type DateOrder = (typeof dateOrders)[number]

/** A date whose first two numbers can be the day and the month, or the other way round. */
export type UnclearDate = Readonly<Record<DateOrder, string>>

/** The time of a day at the end of a text. */
const time = /[T ,]+\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?\s*(?:[ap]\.?m\.?)?\s*(?:z|utc|[+-]\d\d:?\d\d)?$/i
const yearFirst = /^(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?$/
const monthAndYear = /^(\d{1,2})[-/.](\d{4})$/
const yearLast = /^(\d{1,2})([-/.])\s?(\d{1,2})[-/.]\s?(\d{4}|\d\d)$/

/** The date of a text, both dates of an unclear one, or undefined if it is no date. `nowMs` is Unix milliseconds. */
export function readDate(text: string, nowMs: number): string | UnclearDate | undefined {
  const given = withoutTime(text)
  const [, year, ...rest] = yearFirst.exec(given) ?? []
  if (year !== undefined) return dateOf(year, ...rest)
  const [, month, itsYear] = monthAndYear.exec(given) ?? []
  if (itsYear !== undefined) return dateOf(itsYear, month)
  const [, first, separator, second, lastYear] = yearLast.exec(given) ?? []
  if (lastYear === undefined) return readWithName(given)
  const fullYear = lastYear.length === 4 ? lastYear : yearOf(lastYear, nowMs)
  const dmy = dateOf(fullYear, second, first)
  // Nobody writes the month first before a full stop.
  const mdy = separator === '.' ? undefined : dateOf(fullYear, first, second)
  return dmy !== undefined && mdy !== undefined && dmy !== mdy ? { dmy, mdy } : (dmy ?? mdy)
}

/** The order that a date shows, because it has a number above 12. */
export function orderOf(text: string): DateOrder | undefined {
  const [, first, separator, second] = yearLast.exec(withoutTime(text)) ?? []
  if (separator === undefined || separator === '.') return undefined
  if (Number(first) > 12) return 'dmy'
  return Number(second) > 12 ? 'mdy' : undefined
}

const withoutTime = (text: string): string => text.trim().replace(time, '')

/** A date with as many parts as are given; undefined if it does not exist. */
function dateOf(...parts: (string | undefined)[]): string | undefined {
  const given = parts.flatMap((part) => part?.padStart(2, '0') ?? [])
  const date = given.join('-')
  return birthDateFault(date) === undefined ? date : undefined
}

/** An animal is born in the past. */
function yearOf(twoDigits: string, nowMs: number): string {
  const thisCentury = `20${twoDigits}`
  return Number(thisCentury) <= new Date(nowMs).getUTCFullYear() ? thisCentury : `19${twoDigits}`
}

/** Made with the first date that has a name, because that takes as long as a third of a start. */
let months: ReadonlyMap<string, string> | undefined

/** The month of each name and abbreviation in the languages of shops, folded. */
function monthNames(): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  const unclear = new Set<string>()
  // Polish has another form of the name beside a day.
  const forms = [{ month: 'long' }, { month: 'long', day: 'numeric' }, { month: 'short' }] as const
  for (const locale of ['en', 'de', 'fr', 'es', 'it', 'pl', 'nl']) {
    for (const form of forms) {
      const format = new Intl.DateTimeFormat(locale, { ...form, timeZone: 'UTC' })
      for (let month = 1; month <= 12; month++) {
        const parts = format.formatToParts(Date.UTC(2024, month - 1, 14))
        const name = foldedText(parts.find(({ type }) => type === 'month')?.value ?? '').replace('.', '')
        for (const one of [name, name.slice(0, 3)]) {
          if ((names.get(one) ?? `${month}`) !== `${month}`) unclear.add(one)
          names.set(one, `${month}`)
        }
      }
    }
  }
  for (const name of unclear) names.delete(name)
  return names
}

/** Words of dates that are no month. */
const fillers = new Set(['de', 'del', 'of', 'the'])

/** A date with the name of its month, and a year of four digits, in any order. */
function readWithName(text: string): string | undefined {
  months ??= monthNames()
  let [year, month, day]: (string | undefined)[] = []
  for (const word of foldedText(text).split(/[\s,./-]+/)) {
    const number = /^(\d{1,2}|\d{4})(?:st|nd|rd|th|er)?$/.exec(word)?.[1]
    if (number?.length === 4) year = number
    else if (number !== undefined) day = number
    else if (months.has(word)) month = months.get(word)
    else if (word !== '' && !fillers.has(word)) return undefined
  }
  return year === undefined || month === undefined ? undefined : dateOf(year, month, day)
}

/** The words for the units of an age, folded, and how exact a date of birth such an age gives. */
const units = {
  year: /^(?:y|yrs?|years?|j|jahre?n?|ans?|annees?|anos?|ann[oi]|lata?|rok|roku|jaar|jaren)$/,
  month: /^(?:m|mos?|mths?|months?|mon|monate?n?|mois|mes|meses|mes[ei]|miesiac|miesiace|miesiecy|maand(?:en)?)$/,
  week: /^(?:w|wks?|weeks?|wochen?|semaines?|semanas?|settiman[ae]|tydzien|tygodni[ea]?|week|weken)$/,
  day: /^(?:d|days?|tage?n?|jours?|dias?|giorn[oi]|dni|dzien|dag(?:en)?)$/,
} as const
const exactness = { year: 4, month: 7, week: 7, day: 10 } as const
type Unit = keyof typeof units

const unitOf = (word: string): Unit | undefined => (Object.keys(units) as Unit[]).find((unit) => units[unit].test(word))

/**
 * The date of birth of an animal that has an age such as `2 years` or `8 weeks` at `atMs` (Unix milliseconds), as exact
 * as the age. Undefined if the text is no age.
 */
export function bornBefore(age: string, atMs: number): string | undefined {
  const counted = /(\d{1,3})\s*(\p{L}+)/gu
  const text = foldedText(age)
  const rest = text.replace(counted, '').replace(/\b(?:old|alt|and|und|et|y|e|i|en)\b|[\s.,;]/g, '')
  let born = new Date(atMs)
  let length = 0
  for (const [, count, word = ''] of text.matchAll(counted)) {
    const unit = unitOf(word)
    if (unit === undefined) return undefined
    born = back(born, Number(count), unit)
    length = exactness[unit]
  }
  return rest !== '' || length === 0 ? undefined : born.toISOString().slice(0, length)
}

function back(from: Date, count: number, unit: Unit): Date {
  const [year, month, day] = [from.getUTCFullYear(), from.getUTCMonth(), from.getUTCDate()]
  if (unit === 'week' || unit === 'day') return new Date(Date.UTC(year, month, day - count * (unit === 'week' ? 7 : 1)))
  const months = month - count * (unit === 'year' ? 12 : 1)
  // Some months have no such day.
  const last = new Date(Date.UTC(year, months + 1, 0)).getUTCDate()
  return new Date(Date.UTC(year, months, Math.min(day, last)))
}
