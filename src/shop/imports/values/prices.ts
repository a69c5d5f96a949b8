/** Reads prices as people write them in the currency of the store: `1.234,56 €`, `$80`, `100,-`. */

import { decimalsOf } from '../../../lib/currency.ts'
import { maximumPrice } from '../../profiles/rules.ts'

const locales = ['en', 'de', 'fr', 'es', 'it', 'pl', 'nl', 'pt', 'sv', 'cs']
const displays = ['symbol', 'narrowSymbol', 'code', 'name'] as const

/** A number with its separators, and what stands around it. */
const number = /^(\D*)(\d[\d.,'’\s]*)(\D*)$/u

/** A dash in place of the cents. */
const noCents = /[.,]\s?[-–—](?=\D*$)/u

/** Creates a reader of prices in a currency. */
export function createPriceReader(currency: string) {
  const digits = decimalsOf(currency)
  const names = new Set(['', ...namesOf(currency)])

  /** The price in the smallest unit, or undefined if the text is not a price in that currency. */
  return (text: string): number | undefined => {
    const plain = text.trim().normalize('NFKC').replace(noCents, '')
    const [, before = '', amount = '', after = ''] = number.exec(plain) ?? []
    if (amount === '' || !names.has(folded(before)) || !names.has(folded(after))) return undefined
    const [whole = '', fraction = ''] = splitAmount(amount, digits)
    const significant = fraction.replace(/0+$/, '')
    if (significant.length > digits) return undefined
    const price = Number(whole + significant.padEnd(digits, '0'))
    return price <= maximumPrice ? price : undefined
  }
}

/** The symbols, the code and the names of a currency in the languages of shops. */
function namesOf(currency: string): string[] {
  return locales.flatMap((locale) =>
    displays.flatMap((currencyDisplay) =>
      // Two numbers, for the singular and the plural of its name.
      [1, 5].map((value) => {
        const format = new Intl.NumberFormat(locale, { style: 'currency', currency, currencyDisplay })
        const part = format.formatToParts(value).find(({ type }) => type === 'currency')
        return folded(part?.value ?? '')
      }),
    ),
  )
}

const folded = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s.]+/g, '')

/** The digits before and after the decimal separator. */
function splitAmount(amount: string, digits: number): string[] {
  const text = amount.replace(/[\s'’]/g, '')
  const last = Math.max(text.lastIndexOf('.'), text.lastIndexOf(','))
  const separator = text[last]
  if (separator === undefined) return [text]
  const others = text.slice(0, last)
  const after = text.slice(last + 1)
  // Three digits after a single separator are thousands, unless the currency has so many.
  const isThousands = others.includes(separator) || (!/[.,]/.test(others) && after.length === 3 && digits !== 3)
  const plain = (part: string) => part.replace(/[.,]/g, '')
  return isThousands ? [plain(text)] : [plain(others), after]
}
