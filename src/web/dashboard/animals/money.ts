/** Prices: whole numbers of the smallest unit in the API, decimal numbers in a currency on the screen. */

/** ISO 4217. The currencies that are not here have two decimals; for some, the data of browsers differ. */
const withoutDecimals = new Set('BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF'.split(' '))
const withThreeDecimals = new Set('BHD IQD JOD KWD LYD OMR TND'.split(' '))

const largestPrice = 1_000_000_000_000

export function decimalsOf(currency: string): number {
  if (withoutDecimals.has(currency)) return 0
  return withThreeDecimals.has(currency) ? 3 : 2
}

const formats = new Map<string, Intl.NumberFormat>()

/** Rows appear by dozens: a format is made once. */
function formatOf(currency: string): Intl.NumberFormat {
  const decimals = decimalsOf(currency)
  const options = {
    style: 'currency',
    currency,
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  } as const
  const format = formats.get(currency) ?? new Intl.NumberFormat(undefined, options)
  formats.set(currency, format)
  return format
}

/** A price with its currency, in the browser's locale: `€49.90`. */
export const formatMoney = (price: number, currency: string): string =>
  formatOf(currency).format(price / 10 ** decimalsOf(currency))

const usualSign =
  new Intl.NumberFormat().formatToParts(0.5).find(({ type }) => type === 'decimal')?.value === ',' ? ',' : '.'

/** A price as a decimal number to edit: `49.90`, or `49,90` in locales with a decimal comma. */
export function moneyText(price: number, currency: string, sign = usualSign): string {
  const decimals = decimalsOf(currency)
  const digits = String(price).padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  return decimals === 0 ? whole : `${whole}${sign}${digits.slice(-decimals)}`
}

/**
 * The price that somebody has typed, in the smallest unit of the currency: `49.90`, `49,9`, `1.234,56 €`, `USD 1,234`.
 * Three digits after the only separator are decimals only behind `sign`, that of the locale. Undefined for what is no
 * price.
 */
export function parseMoney(typed: string, currency: string, sign = usualSign): number | undefined {
  const text = bareNumber(typed, currency)
  const separators: readonly string[] = text.match(/[.,]/g) ?? []
  const last = separators.at(-1) ?? ''
  const [head, tail] = [text.slice(0, text.lastIndexOf(last)), text.slice(text.lastIndexOf(last) + 1)]
  const isDecimal =
    separators.length > 1 ? separators.indexOf(last) === separators.length - 1 : tail.length !== 3 || last === sign
  const [whole, fraction] = last !== '' && isDecimal ? [head || '0', tail] : [text, '']
  const decimals = decimalsOf(currency)
  if (!/^(\d+|\d{1,3}(?:([.,])\d{2,3})(?:\2\d{2,3})*)$/.test(whole)) return undefined
  if (!/^\d*$/.test(fraction) || fraction.length > decimals) return undefined
  const price = Number(whole.replace(/\D/g, '') + fraction.padEnd(decimals, '0'))
  return price <= largestPrice ? price : undefined
}

/** What is typed, without the code and the symbols of the currency, without spaces and the apostrophes of Switzerland. */
function bareNumber(typed: string, currency: string): string {
  const narrow = new Intl.NumberFormat(undefined, { style: 'currency', currency, currencyDisplay: 'narrowSymbol' })
  const marks = [markOf(formatOf(currency)), markOf(narrow), currency]
  const upper = typed.toUpperCase().replace(/[\s'’]/g, '')
  return marks.reduce((text, mark) => text.replace(mark.toUpperCase(), ''), upper)
}

const markOf = (format: Intl.NumberFormat): string =>
  format.formatToParts(0).find(({ type }) => type === 'currency')?.value ?? ''

/** The problem of a typed price, in words; undefined if it has none. An empty text is no price, which is none. */
export function priceProblem(typed: string, currency: string): string | undefined {
  if (typed.trim() === '' || parseMoney(typed, currency) !== undefined) return undefined
  return `Enter an amount such as ${moneyText(4_990, currency)}.`
}
