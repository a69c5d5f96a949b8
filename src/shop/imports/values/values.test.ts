import { expect, test } from 'bun:test'
import { bornBefore, orderOf, readDate } from './dates.ts'
import { createPriceReader } from './prices.ts'
import { readSex } from './sexes.ts'

const nowMs = Date.UTC(2026, 10, 28)

test('a sex is read in the words of lists in several languages', () => {
  const table = {
    female:
      'F|female|Spayed Female|Intact Female|weiblich|Weibchen|FS|F/S|Hündin|hembra|femelle|femmina|samica|vrouwelijk|Spayed|Ж|Female (spayed)|Bitch|female dog',
    male: 'M|male|Neutered Male|MN|M/N|männlich|Rüde|Kater|macho|mâle|maschio|samiec|reu|Neutered|самец|Male, neutered|Dog|R|gelding',
    null: 'U|Unknown|unbekannt|?|inconnu',
    undefined: '1|2|3|Male & Female|M/F|yes|Labrador',
  }
  for (const [sex, texts] of Object.entries(table)) {
    for (const text of texts.split('|')) expect([text, String(readSex(text))]).toEqual([text, sex])
  }
})

test('a date is read as exactly as it is written', () => {
  const table: Readonly<Record<string, unknown>> = {
    '2024': '2024',
    '2024-03': '2024-03',
    '2024-03-14': '2024-03-14',
    '2024-03-14T08:15:00.000Z': '2024-03-14',
    '2014-02-12 18:22:00': '2014-02-12',
    '2024/3/4': '2024-03-04',
    '05/05/2020 12:00:00 AM': '2020-05-05',
    '14.03.2024': '2024-03-14',
    '4.3.24': '2024-03-04',
    '04.03.99': '1999-03-04',
    '14/03/2024': '2024-03-14',
    '03/14/2024': '2024-03-14',
    '03/04/2024': { dmy: '2024-04-03', mdy: '2024-03-04' },
    '3-4-24': { dmy: '2024-04-03', mdy: '2024-03-04' },
    '03/2024': '2024-03',
    'November 16 2018': '2018-11-16',
    'Nov 16, 2018': '2018-11-16',
    '16-Nov-2018': '2018-11-16',
    'March 2024': '2024-03',
    '14. März 2024': '2024-03-14',
    '14 mars 2024': '2024-03-14',
    '1er août 2023': '2023-08-01',
    '14 de marzo de 2024': '2024-03-14',
    '14 marca 2024': '2024-03-14',
    '2 maart 2024': '2024-03-02',
    '30.02.2024': undefined,
    '31/31/2024': undefined,
    '2 years': undefined,
    '45365': undefined,
    soon: undefined,
    '': undefined,
  }
  for (const [text, date] of Object.entries(table))
    expect([text, readDate(text, nowMs) as unknown]).toEqual([text, date])
})

test('a date with a number above 12 shows whether its file has the day or the month first', () => {
  const dates = ['14/03/2024', '03/14/2024 10:00', '03/04/2024', '14.03.2024', '2024-03-14', 'March 14 2024']
  expect(dates.map(orderOf)).toEqual(['dmy', 'mdy', undefined, undefined, undefined, undefined])
})

test('an age gives a date of birth that is as exact as the age', () => {
  const atMs = Date.UTC(2024, 4, 31)
  const table: Readonly<Record<string, string | undefined>> = {
    '2 years': '2022',
    '1 YEAR': '2023',
    '3 months': '2024-02',
    '8 weeks': '2024-04',
    '10 days': '2024-05-21',
    '1 year 3 months': '2023-02',
    '2 Jahre und 1 Monat': '2022-04',
    '6 mois': '2023-11',
    '2 años': '2022',
    '3 lata': '2021',
    '4yrs': '2020',
    '2 years old': '2022',
    '0 years': '2024',
    '3': undefined,
    old: undefined,
    '2 fish': undefined,
    '14.03.2024': undefined,
  }
  for (const [age, born] of Object.entries(table)) expect([age, bornBefore(age, atMs)]).toEqual([age, born])
})

test('a price is read in the currency of the store alone', () => {
  const table: Readonly<Record<string, Readonly<Record<string, number | undefined>>>> = {
    EUR: {
      '80': 8_000,
      '80.5': 8_050,
      '12,50': 1_250,
      '1.234,56 €': 123_456,
      '€ 1,234.56': 123_456,
      '1 234,56 EUR': 123_456,
      "1'234.50": 123_450,
      '1.234': 123_400,
      '1.234.567': 123_456_700,
      '100,-': 10_000,
      '100.–': 10_000,
      '20 Euro': 2_000,
      '0': 0,
      '12.500000': 1_250,
      '12.505,1': 1_250_510,
      $80: undefined,
      '80 USD': undefined,
      '1.2345': undefined,
      '-5': undefined,
      '5-10': undefined,
      VB: undefined,
      '': undefined,
      '99999999999999999': undefined,
    },
    USD: { $80: 8_000, 'US$ 80': 8_000, '4,250.00': 425_000, '80 €': undefined, '£4,250.00': undefined },
    GBP: { '£4,250.00': 425_000 },
    JPY: { '¥1,234': 1_234, '100.00': 100, '100.50': undefined },
    KWD: { '1.234': 1_234, '1,234.5': 1_234_500 },
    PLN: { '50 zł': 5_000 },
    CHF: { 'CHF 50.-': 5_000, 'Fr. 50': undefined },
  }
  for (const [currency, prices] of Object.entries(table)) {
    const read = createPriceReader(currency)
    for (const [text, price] of Object.entries(prices))
      expect([currency, text, read(text)]).toEqual([currency, text, price])
  }
})
