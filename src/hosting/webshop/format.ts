/** Prices, dates and ages as people of a language write them. */

import type { WebsiteLanguage } from './rules.ts'

/** An amount in the smallest unit of a currency (ISO 4217), without decimals if it is whole. */
export function moneyText(amount: number, currency: string, language: WebsiteLanguage): string {
  return new Intl.NumberFormat(language, { style: 'currency', currency, trailingZeroDisplay: 'stripIfInteger' }).format(
    amount / 10 ** decimalsOf(currency),
  )
}

/** An amount as a decimal number, as schema.org wants it. */
export const decimalText = (amount: number, currency: string): string =>
  (amount / 10 ** decimalsOf(currency)).toFixed(decimalsOf(currency))

function decimalsOf(currency: string): number {
  return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 0
}

/** A date of birth, which is a year, a month or a day. */
export function birthDateText(birthDate: string, language: WebsiteLanguage): string {
  const parts = birthDate.split('-').length
  const options: Intl.DateTimeFormatOptions = {
    timeZone: 'UTC',
    year: 'numeric',
    ...(parts > 1 ? { month: 'long' } : {}),
    ...(parts > 2 ? { day: 'numeric' } : {}),
  }
  return new Intl.DateTimeFormat(language, options).format(new Date(birthDate))
}

export interface Age {
  readonly text: string
  /** Whether the day of birth is not known. */
  readonly isApproximate: boolean
}

const dayMs = 86_400_000
/** Up to these ages, days and weeks say more than months. */
const longest = { days: 14, weeks: 84, months: 24 } as const

/**
 * The age at `nowMs` (Unix milliseconds), as exact as the date of birth; undefined if that says nothing of it yet, such
 * as the present year.
 */
export function ageAt(birthDate: string, nowMs: number, language: WebsiteLanguage): Age | undefined {
  const now = new Date(nowMs)
  const [year = 0, month, day] = birthDate.split('-').map(Number)
  const of = (count: number, unit: 'day' | 'week' | 'month' | 'year') => ({
    text: new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(count),
    isApproximate: day === undefined,
  })
  const years = now.getUTCFullYear() - year
  if (month === undefined) return years > 0 ? of(years, 'year') : undefined
  const days = Math.floor((nowMs - Date.UTC(year, month - 1, day ?? 1)) / dayMs)
  const months = years * 12 + now.getUTCMonth() + 1 - month - (day !== undefined && now.getUTCDate() < day ? 1 : 0)
  if (day !== undefined && days < longest.days) return days < 0 ? undefined : of(days, 'day')
  if (day !== undefined && days < longest.weeks) return of(Math.floor(days / 7), 'week')
  if (months <= 0) return undefined
  return months < longest.months ? of(months, 'month') : of(Math.floor(months / 12), 'year')
}
