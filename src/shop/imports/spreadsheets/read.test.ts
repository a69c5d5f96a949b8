import { afterEach, beforeEach, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CellObject, CFB, utils, type WorkBook, write } from '@e965/xlsx'
import { emptyFolder } from '../../../testing/executable.ts'
import { readSpreadsheet } from './read.ts'

let folder: ReturnType<typeof emptyFolder>
beforeEach(() => {
  folder = emptyFolder()
})
afterEach(() => folder.remove())

/** The lines of a sheet of a file, and the names of its sheets. */
async function read(bytes: Uint8Array, sheet?: string) {
  const upload = join(folder.path, 'upload')
  writeFileSync(upload, bytes)
  const output = `${upload}.csv`
  const found = await readSpreadsheet({ upload, output, sheet })
  return {
    ...found,
    lines: readFileSync(output, 'utf8')
      .replace(/^\ufeff/, '')
      .trimEnd()
      .split('\n'),
  }
}

/** A date without its time, as the number that spreadsheets store. */
const day = (iso: string) => Date.parse(iso) / 86_400_000 + 25_569
const number = (v: number, z: string): CellObject => ({ t: 'n', v, z })

const cells: readonly (readonly (string | boolean | CellObject)[])[] = [
  [],
  ['Name', 'Category', 'Born', 'No.', 'Chip', 'Price', 'Note'],
  [
    'Łatek',
    'Pies',
    number(day('2024-03-14'), 'dd.mm.yyyy'),
    number(7, '00000'),
    number(985_112_001_234_567, 'General'),
    number(1_234.5, '"$"#,##0.00'),
    'two\nlines, "quoted"',
  ],
  [
    'Żółw',
    'Gad',
    number(day('2024-03-04'), 'm/d/yy'),
    number(12, '00000'),
    number(0.1 + 0.2, 'General'),
    number(0.5, '0%'),
    true,
  ],
  [
    'Мурка',
    'Кот',
    number(day('2020-05-01'), 'mmm yyyy'),
    number(13, '00000'),
    number(1, 'General'),
    number(day('2024-03-14') + 0.4, 'yyyy-mm-dd hh:mm'),
    '',
  ],
]

function book(): WorkBook {
  const list = utils.aoa_to_sheet(cells.map((row) => [...row]))
  return {
    SheetNames: ['Notes', 'Animals', 'Sold'],
    Sheets: { Notes: utils.aoa_to_sheet([['hidden']]), Animals: list, Sold: utils.aoa_to_sheet([['Name'], ['Rex']]) },
    Workbook: { Sheets: [{ Hidden: 1 }, { Hidden: 0 }, { Hidden: 0 }] },
  }
}

const expected = [
  ',,,,,,',
  'Name,Category,Born,No.,Chip,Price,Note',
  'Łatek,Pies,2024-03-14,00007,985112001234567,$1234.50,"two\rlines, ""quoted"""',
  'Żółw,Gad,2024-03-04,00012,0.3,50%,TRUE',
  'Мурка,Кот,2020-05,00013,1,2024-03-14 09:36:00,',
]

test.each(['xlsx', 'biff8'] as const)(
  'the first visible sheet (%s) is read as it is shown, a line for each row',
  async (bookType) => {
    const { name, sheets, lines } = await read(write(book(), { type: 'buffer', bookType }))
    expect([name, sheets]).toEqual(['Animals', ['Notes', 'Animals', 'Sold']])
    expect(lines).toEqual(expected)
  },
)

/** A file as LibreOffice writes it in German: its cells have their values, and the texts that it shows. */
function openDocument(): Buffer {
  const cell = (type: string, value: string, text: string, style = '') =>
    `<table:table-cell${style && ` table:style-name="${style}"`} office:value-type="${type}" ${value}><text:p>${text}</text:p></table:table-cell>`
  const row = (cells: readonly string[]) => `<table:table-row>${cells.join('')}</table:table-row>`
  const rows = [
    row(['Name', 'Born', 'No.', 'Chip', 'Price'].map((text) => cell('string', '', text))),
    row([
      cell('string', '', 'Łatek'),
      cell('date', 'office:date-value="2024-03-14"', '14.03.24', 'day'),
      cell('float', 'office:value="7"', '00007', 'long'),
      cell('float', 'office:value="985112001234567"', '9,85112001234567E+14'),
      cell('currency', 'office:currency="EUR" office:value="1234.5"', '1.234,50 €', 'price'),
    ]),
  ]
  const style = (name: string) =>
    `<style:style style:name="${name}" style:family="table-cell" style:data-style-name="N-${name}"/>`
  const digits = '<number:number number:decimal-places="2" number:min-integer-digits="1" number:grouping="true"/>'
  const styles = [
    '<number:date-style style:name="N-day"><number:day number:style="long"/><number:text>.</number:text><number:month number:style="long"/><number:text>.</number:text><number:year/></number:date-style>',
    '<number:number-style style:name="N-long"><number:number number:decimal-places="0" number:min-integer-digits="5"/></number:number-style>',
    `<number:currency-style style:name="N-price">${digits}<number:text> </number:text><number:currency-symbol>€</number:currency-symbol></number:currency-style>`,
    ...['day', 'long', 'price'].map(style),
  ]
  const spaces = ['office', 'style', 'text', 'table', 'number'].map(
    (name) => ` xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name === 'number' ? 'datastyle' : name}:1.0"`,
  )
  const content = `<?xml version="1.0" encoding="UTF-8"?><office:document-content${spaces.join('')}><office:automatic-styles>${styles.join('')}</office:automatic-styles><office:body><office:spreadsheet><table:table table:name="Tabelle1">${rows.join('')}</table:table></office:spreadsheet></office:body></office:document-content>`
  const archive = CFB.utils.cfb_new()
  CFB.utils.cfb_add(archive, '/META-INF/manifest.xml', Buffer.from('<manifest:manifest/>'))
  CFB.utils.cfb_add(archive, '/styles.xml', Buffer.from('<office:document-styles/>'))
  CFB.utils.cfb_add(archive, '/content.xml', Buffer.from(content))
  return Buffer.from(CFB.write(archive, { fileType: 'zip', type: 'buffer' }) as Uint8Array)
}

test('a sheet of LibreOffice is read as it is shown in its language', async () => {
  expect(await read(openDocument())).toEqual({
    name: 'Tabelle1',
    sheets: ['Tabelle1'],
    lines: ['Name,Born,No.,Chip,Price', 'Łatek,2024-03-14,00007,985112001234567,"1.234,50 €"'],
  })
})

test('a sheet is chosen by its name in any case, and a missing one is an error that lists the sheets', async () => {
  const bytes = write(book(), { type: 'buffer', bookType: 'xlsx' })
  expect((await read(bytes, 'SOLD')).lines).toEqual(['Name', 'Rex'])
  await expect(read(bytes, 'Stock')).rejects.toMatchObject({
    code: 'invalid_parameter',
    message: 'sheet: the file has no "Stock", only Notes, Animals, Sold.',
  })
})

test('an archive of another kind, a damaged file, and a spreadsheet with a password are rejected with what to do', async () => {
  const spreadsheet: Buffer = write(book(), { type: 'buffer', bookType: 'xlsx' })
  const renamed = Buffer.from(spreadsheet.toString('latin1').replaceAll('xl/workbook.xml', 'ab/document.xml'), 'latin1')
  await expect(read(renamed)).rejects.toThrow('this is a spreadsheet, or a zip archive: save')
  await expect(read(spreadsheet.subarray(0, -100))).rejects.toThrow('the spreadsheet is damaged')
  await expect(read(Buffer.from('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 no spreadsheet', 'latin1'))).rejects.toThrow(
    'damaged',
  )
})
