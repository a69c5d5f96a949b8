import { afterEach, beforeEach, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { emptyFolder } from '../../../testing/executable.ts'
import { isFault } from '../file/rows.ts'
import { read } from '../file/testing/read.ts'
import { createProfileReader } from '../values/profile.ts'
import { readSpreadsheet } from './read.ts'

let folder: ReturnType<typeof emptyFolder>
beforeEach(() => {
  folder = emptyFolder()
})
afterEach(() => folder.remove())

const pathOf = (name: string) => join(import.meta.dir, 'testing', name)

/** The text of a CSV file, or of a sheet. */
async function textOf(name: string, sheet?: string): Promise<string> {
  if (name.endsWith('.csv')) return readFileSync(pathOf(name), 'utf8')
  const output = join(folder.path, 'output.csv')
  await readSpreadsheet({ upload: pathOf(name), output, sheet })
  return readFileSync(output, 'utf8')
}

/** The animals that an import would add. */
async function animalsOf(name: string): Promise<Record<string, unknown>[]> {
  const options = { currency: 'EUR', nowMs: Date.UTC(2026, 10, 28), dates: undefined, readsAges: false }
  const profiles = createProfileReader(options)
  return (await read(await textOf(name))).map((row) => {
    if (isFault(row)) throw new Error(row.fault)
    const { name: animal, category, status } = row.fields
    return { name: animal, category, status, ...profiles.read(row.fields, [], () => {}) }
  })
}

/** What a program has changed in the export of a store: the different changes of each member. */
async function lossesOf(name: string): Promise<Record<string, readonly string[]>> {
  const [before, after] = [await animalsOf('export.csv'), await animalsOf(name)]
  expect([before.length, after.length]).toEqual([50, 50])
  const losses: Record<string, string[]> = {}
  for (const [i, animal] of before.entries()) {
    for (const member of Object.keys({ ...animal, ...after[i] })) {
      const [was, is] = [animal[member], after[i]?.[member]].map((value) => JSON.stringify(value))
      if (was !== is) losses[member] = [...new Set([...(losses[member] ?? []), `${was} → ${is}`])]
    }
  }
  return losses
}

/** What every spreadsheet makes of cells that look like numbers. */
const zeros = { category: ['"007" → "7"'], color: ['"01" → "1"'] }
const numbers = [
  '"007" → "7"',
  '"0000001042" → "1042"',
  '"1E5" → "100000"',
  '"03E1" → "30"',
  '"2e3" → "2000"',
  '"12345678901234567890" → "12345678901234600000"',
  '"00" → "0"',
  '"1,234" → "1234"',
  '".5" → "0.5"',
  '"6." → "6"',
  '"1e-3" → "0.001"',
]
const saved = {
  ...zeros,
  name: ['"007" → "7"', '"1E5" → "100000"', '"00" → "0"'],
  number: numbers,
  microchip: [
    '"098511200123456" → "98511200123456"',
    '"123456789012345678901234567890" → undefined',
    '"000000000000001" → "1"',
    '"9E10" → "90000000000"',
  ],
}
/** A tab in a text remains in OpenDocument alone. */
const description = ['"007" → "7"', '"tab\\tinside" → "tabinside"']

test('an export that LibreOffice has opened and saved loses leading zeros and long numbers, and nothing else', async () => {
  expect(await lossesOf('saved.ods')).toEqual({ ...saved, description: ['"007" → "7"'] })
  expect(await lossesOf('saved.xlsx')).toEqual({ ...saved, description })
  expect(await lossesOf('saved.xls')).toEqual({ ...saved, description })
  const long = '"12345678901234567890" → "1.23456789012346E+019"'
  const number = numbers.map((loss) => (loss.startsWith('"123456') ? long : loss))
  expect(await lossesOf('saved.csv')).toEqual({ ...saved, number, description })
})

test('a program that detects dates and percentages changes texts that look like them, too', async () => {
  const { name = [], number = [], ...others } = await lossesOf('detected.xlsx')
  expect(others).toEqual({ ...zeros, microchip: saved.microchip, description })
  expect(name.filter((loss) => !saved.name.includes(loss))).toEqual([
    '"1/2" → "2026-01-02"',
    '"50%" → "50.00%"',
    '"12:30" → "12:30:00 PM"',
    '"March 3" → "2026-03-03"',
    '"true" → "TRUE"',
  ])
  expect(number.filter((loss) => !numbers.includes(loss))).toEqual([
    '"1/2" → "2026-01-02"',
    '"12:30" → "12:30:00 PM"',
    '"5%" → "5.00%"',
    '"$5" → "$5.00"',
    '"Mar 3" → "2026-03-03"',
    '"1e400" → "1.79769E+308"',
    '"1:1" → "01:01:00 AM"',
  ])
})

test('merged cells, formulas, and dates and currencies of several countries are read as they are shown', async () => {
  const first = 'Dog,Rex,00007,2024-03-14,2024-03-04,985112001234567'
  const second = 'Bello,00008,2023-12-01,2023-12-31,098511200123456'
  const read = [
    '\ufeff,,,,,,,,,,,,,',
    ',,Stock list 28.11.2026,,,,,,,,,,,',
    ',,,,,,,,,,,,,',
    ',Category,Name,No.,Born,Hatched,Chip,Price,Fee,Discount,Weight,Total,Visible,Status',
    `,${first},1234.50 €,$80.00,50.0%,1234.57,1235.50 €,1,available`,
    `,,${second},80.00 €,$1080.00,12.5%,12.00,Bello x,0,sold`,
    ',Cat,Mia,00009,2024-01-01,2024,098511200123456,12.5,free,,0.3,#DIV/0!,,reserved',
    '',
  ]
  for (const name of ['features.xlsx', 'features.xls', 'features.xlsm']) {
    expect((await textOf(name, 'Animals')).split('\n')).toEqual(read)
  }
  // This format has the texts that were shown.
  const shown = [
    `,${first},"1.234,50 €",$80.00,50.0%,"1,234.57","1.235,50 €",1,available`,
    `,,${second},"80,00 €","$1,080.00",12.5%,12.00,Bello x,0,sold`,
  ]
  expect((await textOf('features.ods', 'Animals')).split('\n')).toEqual([
    ...read.slice(0, 4),
    ...shown,
    ...read.slice(6),
  ])
  expect(await textOf('features.ods', 'prices & more')).toBe('\ufeffName,Species\nTom,Cat\n')
})

test('a spreadsheet with a password is rejected with what to do', async () => {
  for (const name of ['password.ods', 'password.xls', 'password.xlsx']) {
    await expect(textOf(name)).rejects.toThrow('the spreadsheet is protected with a password: save it without one')
  }
})
