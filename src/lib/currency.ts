/** Amounts of money, which are whole numbers of the smallest unit of a currency (an ISO 4217 code). */

const decimals = new Map<string, number>()

/** The number of decimals of a currency. */
export function decimalsOf(currency: string): number {
  let known = decimals.get(currency)
  if (known === undefined) {
    const format = new Intl.NumberFormat('en', { style: 'currency', currency })
    known = format.resolvedOptions().maximumFractionDigits ?? 0
    decimals.set(currency, known)
  }
  return known
}

/** An amount as a decimal number with all its decimals, such as `499.00`, for programs. */
export function decimalText(amount: number, currency: string): string {
  const digits = decimalsOf(currency)
  return (amount / 10 ** digits).toFixed(digits)
}
