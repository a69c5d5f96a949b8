import { expect, test } from 'bun:test'
import { currencies, currencyName, currencyOf } from './currency.tsx'
import { decimalsOf } from './money.ts'

test('the currencies are those of the API, with the decimals with which the commands read a price', async () => {
  const { components } = await Bun.file(`${import.meta.dir}/../../../../docs/openapi.json`).json()
  const accepted: readonly unknown[] = components.schemas.StoreSettingsChange.properties.currency.enum
  expect<readonly unknown[]>(currencies).toEqual(accepted.filter((code) => code !== null))
  const ofRuntime = (currency: string) =>
    new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 0
  expect(currencies.map((code) => [code, decimalsOf(code)])).toEqual(currencies.map((code) => [code, ofRuntime(code)]))
})

test('the currency of the region of the browser is proposed', () => {
  for (const [language, currency] of [
    ['de', 'EUR'],
    ['de-CH', 'CHF'],
    ['en', 'USD'],
    ['en-GB', 'GBP'],
    ['fr-SN', 'XOF'],
    ['ja', 'JPY'],
    ['pt-BR', 'BRL'],
    ['es-VE', 'VES'],
    ['en-001', 'USD'],
  ] as const) {
    expect([language, currencyOf(language)]).toEqual([language, currency])
  }
  expect(currencyName('EUR')).toBe('Euro (EUR)')
})
