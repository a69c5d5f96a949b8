import { expect, test } from 'bun:test'
import { decimalText } from './currency.ts'

test('an amount has the decimals of its currency', () => {
  const amounts = [
    [4_990, 'EUR', '49.90'],
    [1_500, 'JPY', '1500'],
    [5, 'KWD', '0.005'],
    [0, 'USD', '0.00'],
    [999_999_999_999, 'USD', '9999999999.99'],
  ] as const
  expect(amounts.map(([amount, currency]) => decimalText(amount, currency))).toEqual(amounts.map(([, , text]) => text))
})
