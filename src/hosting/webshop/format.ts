/** Prices, dates and ages as people of a language write them. */

import { decimalsOf } from '../../lib/currency.ts'
import type { WebsiteLanguage } from './rules.ts'

export interface Age {
  readonly text: string
  /** Whether the day of birth is not known. */
  readonly isApproximate: boolean
}

type Unit = 'day' | 'week' | 'month' | 'year'

const dayMs = 86_400_000
/** Up to these ages, days and weeks say more than months. */
const longest = { days: 14, weeks: 84, months: 24 } as const

/** The formats of a language. Making one of `Intl` takes as long as rendering a card, so each is made once. */
export function createFormats(language: WebsiteLanguage) {
  const kept = new Map<string, Intl.NumberFormat | Intl.DateTimeFormat>()

  function keep<F extends Intl.NumberFormat | Intl.DateTimeFormat>(key: string, make: () => F): F {
    const format = kept.get(key) ?? make()
    kept.set(key, format)
    return format as F
  }

  function unitText(count: number, unit: Unit): string {
    return keep(unit, () => new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' })).format(count)
  }

  return {
    /** An amount in the smallest unit of a currency (ISO 4217), without decimals if it is whole. */
    money(amount: number, currency: string): string {
      const format = keep(
        currency,
        () => new Intl.NumberFormat(language, { style: 'currency', currency, trailingZeroDisplay: 'stripIfInteger' }),
      )
      return format.format(amount / 10 ** decimalsOf(currency))
    },
    /** A date of birth, which is a year, a month or a day. */
    birthDate(date: string): string {
      const parts = date.split('-').length
      const format = keep(
        `date ${parts}`,
        () =>
          new Intl.DateTimeFormat(language, {
            timeZone: 'UTC',
            year: 'numeric',
            ...(parts > 1 ? { month: 'long' } : {}),
            ...(parts > 2 ? { day: 'numeric' } : {}),
          }),
      )
      return format.format(new Date(date))
    },
    /**
     * The age at `nowMs` (Unix milliseconds), as exact as the date of birth; undefined if that says nothing of it yet,
     * such as the present year.
     */
    age(birthDate: string, nowMs: number): Age | undefined {
      const now = new Date(nowMs)
      const [year = 0, month, day] = birthDate.split('-').map(Number)
      const of = (count: number, unit: Unit) => ({ text: unitText(count, unit), isApproximate: day === undefined })
      const years = now.getUTCFullYear() - year
      if (month === undefined) return years > 0 ? of(years, 'year') : undefined
      const days = Math.floor((nowMs - Date.UTC(year, month - 1, day ?? 1)) / dayMs)
      const isBefore = day !== undefined && now.getUTCDate() < day
      const months = years * 12 + now.getUTCMonth() + 1 - month - (isBefore ? 1 : 0)
      if (day !== undefined && days < longest.days) return days < 0 ? undefined : of(days, 'day')
      if (day !== undefined && days < longest.weeks) return of(Math.floor(days / 7), 'week')
      if (months <= 0) return undefined
      return months < longest.months ? of(months, 'month') : of(Math.floor(months / 12), 'year')
    },
  }
}
export type Formats = ReturnType<typeof createFormats>
