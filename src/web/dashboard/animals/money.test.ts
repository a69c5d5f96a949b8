import { expect, test } from 'bun:test'
import { formatMoney, moneyText, parseMoney } from './money.ts'

test('a price is shown and edited with the decimals of its currency', () => {
  expect([formatMoney(4_990, 'EUR'), moneyText(4_990, 'EUR', '.')]).toEqual(['€49.90', '49.90'])
  expect([formatMoney(4_990, 'JPY'), moneyText(4_990, 'JPY', '.')]).toEqual(['¥4,990', '4990'])
  expect([formatMoney(4_990, 'KWD').replace(/\s/, ' '), moneyText(4_990, 'KWD', ',')]).toEqual(['KWD 4.990', '4,990'])
  expect([moneyText(0, 'EUR', '.'), moneyText(5, 'EUR', '.')]).toEqual(['0.00', '0.05'])
})

test('a typed price is read in the ways in which people write it', () => {
  for (const [typed, currency, sign, price] of [
    ['49.90', 'EUR', '.', 4_990],
    [' 49,9 € ', 'EUR', '.', 4_990],
    ['1.234,56', 'EUR', ',', 123_456],
    ['1,234.56', 'USD', '.', 123_456],
    ['usd 1,234', 'USD', '.', 123_400],
    ['1.234', 'EUR', ',', 123_400],
    ["CHF 1'234.50", 'CHF', '.', 123_450],
    ['1 234,5', 'EUR', ',', 123_450],
    ['1,00,000', 'INR', '.', 10_000_000],
    ['.5', 'USD', '.', 50],
    ['0', 'USD', '.', 0],
    ['5000', 'JPY', '.', 5_000],
    ['5,000', 'JPY', '.', 5_000],
    ['1.234', 'KWD', '.', 1_234],
    ['10000000000', 'EUR', '.', 1_000_000_000_000],
    // What is no price in the currency.
    ['1.234', 'EUR', '.', undefined],
    ['5.5', 'JPY', '.', undefined],
    ['10000000000.01', 'EUR', '.', undefined],
    ['$5', 'EUR', '.', undefined],
    ['-5', 'EUR', '.', undefined],
    ['1e5', 'EUR', '.', undefined],
    ['1,2.3', 'EUR', '.', undefined],
    ['five', 'EUR', '.', undefined],
  ] as const) {
    expect([typed, currency, parseMoney(typed, currency, sign)]).toEqual([typed, currency, price])
  }
})
