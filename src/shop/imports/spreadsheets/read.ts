/**
 * Reads a sheet of an .xlsx, .ods or .xls file and writes it as CSV, in a process of its own: the library keeps the
 * whole file in memory, and hostile bytes reach it first.
 */

import { open, readFile, writeFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import type { CellObject, SSF as FormatsOfCells, utils as Utilities, WorkBook } from '@e965/xlsx'
import { AppError } from '../../../lib/error.ts'

/** The most bytes of a file's parts together. */
const maximumUnpackedBytes = 500 * 2 ** 20
/** The most bytes of the list of a file's parts. */
const maximumManifestBytes = 2 ** 24
/** The most parts of a file: one for each sheet, image and chart, and some more. */
const maximumParts = 10_000
/** The most bytes of a sheet as CSV: as many as any other file may have. */
const maximumTextBytes = 100 * 2 ** 20
/** About how many characters are written at a time. */
const writtenCharacters = 262_144
/** More rows than an import may have: its reader counts those that are not blank. */
const readRows = 110_000
/** More columns than a file may have: its reader says so. */
const readColumns = 1_001

/** The task's input: the paths of the upload and of the CSV file, and the name of the sheet. */
export interface SpreadsheetTask {
  readonly upload: string
  readonly output: string
  /** If it is undefined, the first one that is visible and not empty. */
  readonly sheet?: string | undefined
}

export interface ReadSheet {
  readonly name: string
  /** The names of all sheets, in their order. */
  readonly sheets: readonly string[]
}

/** The tasks of the separate process. */
export const spreadsheetTasks = {
  async 'read-spreadsheet'(task: SpreadsheetTask): Promise<ReadSheet> {
    // If memory runs out, the system ends this process before the server.
    await writeFile('/proc/self/oom_score_adj', '1000').catch(() => {})
    return await readSpreadsheet(task)
  },
} as const

/**
 * Writes a sheet as CSV with a line for each row: a line break in a cell is a carriage return alone. Throws
 * `invalid_body`, with the reason as words that follow a colon, for a file that is no spreadsheet or can't be read, and
 * `invalid_parameter` if it has no such sheet.
 */
export async function readSpreadsheet({ upload, output, sheet }: SpreadsheetTask): Promise<ReadSheet> {
  const bytes = await readFile(upload)
  const isOpenDocument = await isOpenDocumentFile(bytes)
  const { read, SSF, utils } = await import('@e965/xlsx')
  const parse = (one: number | string): WorkBook => {
    try {
      return read(bytes, {
        type: 'buffer',
        dense: true,
        cellFormula: false,
        cellHTML: false,
        cellNF: true,
        // It is formatted below, row by row; that of OpenDocument is the text of its program.
        cellText: isOpenDocument,
        sheetRows: readRows,
        sheets: one,
      })
    } catch (error) {
      throw unreadable(error)
    }
  }
  let book = parse(sheet ?? 0)
  // The library leaves entities in the names of OpenDocument.
  const sheets = isOpenDocument ? book.SheetNames.map(withoutEntities) : book.SheetNames
  if (sheet !== undefined && !sheets.some((name) => isSame(name, sheet))) throw missingSheet(sheet, sheets)
  for (const [index, name] of sheets.entries()) {
    const inBook = book.SheetNames[index] ?? ''
    if (sheet === undefined ? isHidden(book, inBook) : !isSame(name, sheet)) continue
    if (book.Sheets[inBook] === undefined) book = parse(index)
    const rows: (readonly CellObject[] | undefined)[] | undefined = book.Sheets[inBook]?.['!data']
    if (rows === undefined) throw damaged()
    if (rows.length === 0 && sheet === undefined) continue
    const isMacDate = book.Workbook?.WBProps?.date1904 === true
    await writeCsv(output, rows, (cell) => shownText(cell, { formats: SSF, utils, isMacDate, isOpenDocument }))
    return { name, sheets }
  }
  throw new AppError('invalid_body', 'the spreadsheet is empty')
}

/**
 * Whether a spreadsheet is in the OpenDocument format. Throws `invalid_body` for an archive that is no spreadsheet, or
 * too large when it is unpacked.
 */
async function isOpenDocumentFile(bytes: Buffer): Promise<boolean> {
  if (bytes.readUInt32BE(0) !== 0x504b_0304) return false
  const { fromBufferPromise } = await import('yauzl')
  let unpacked = 0
  let parts = 0
  let kind: 'excel' | 'open-document' | undefined
  let isProtected = false
  try {
    const zip = await fromBufferPromise(bytes)
    for await (const entry of zip.eachEntry()) {
      const { fileName, uncompressedSize } = entry
      unpacked += uncompressedSize
      if (++parts > maximumParts || unpacked > maximumUnpackedBytes) break
      if (fileName === 'xl/workbook.xml') kind = 'excel'
      if (fileName === 'content.xml') kind ??= 'open-document'
      // Of an OpenDocument file, it lists the parts that a password protects.
      if (fileName === 'META-INF/manifest.xml' && uncompressedSize < maximumManifestBytes) {
        isProtected = (await text(await zip.openReadStreamPromise(entry))).includes('encryption-data')
      }
    }
  } catch {
    throw damaged()
  }
  if (isProtected) throw withPassword()
  if (parts > maximumParts || unpacked > maximumUnpackedBytes) {
    throw new AppError('invalid_body', 'the spreadsheet is larger than 500 MiB when it is unpacked: split it')
  }
  if (kind === undefined) {
    throw new AppError(
      'invalid_body',
      'this is a spreadsheet, or a zip archive: save the spreadsheet as CSV, or unpack the archive',
    )
  }
  return kind === 'open-document'
}

function damaged(): AppError {
  return new AppError('invalid_body', 'the spreadsheet is damaged: open it in its program, and save it again')
}

function unreadable(error: unknown): AppError {
  const isProtected = error instanceof Error && /password|encrypt/i.test(error.message)
  return isProtected ? withPassword() : damaged()
}

function withPassword(): AppError {
  return new AppError('invalid_body', 'the spreadsheet is protected with a password: save it without one')
}

function missingSheet(sheet: string, sheets: readonly string[]): AppError {
  const listed = sheets.join(', ')
  const only = listed.length <= 300 ? listed : `${listed.slice(0, 300)}…`
  return new AppError('invalid_parameter', `sheet: the file has no "${sheet}", only ${only}.`)
}

const isSame = (name: string, other: string): boolean => name.toLowerCase() === other.toLowerCase()

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

const withoutEntities = (name: string): string =>
  name.replace(/&(amp|lt|gt|quot|apos);/g, (entity, key: string) => entities[key] ?? entity)

function isHidden({ SheetNames, Workbook }: WorkBook, name: string): boolean {
  const { Hidden = 0 } = Workbook?.Sheets?.[SheetNames.indexOf(name)] ?? {}
  return Hidden !== 0
}

/** Throws `invalid_body` if it is too long. Removes each row when it is written, so that its memory is free. */
async function writeCsv(
  output: string,
  rows: (readonly (CellObject | undefined)[] | undefined)[],
  textOf: (cell: CellObject) => string,
): Promise<void> {
  const width = Math.min(
    rows.reduce((most, row) => Math.max(most, row?.length ?? 0), 0),
    readColumns,
  )
  await writeFile(output, '\ufeff', { mode: 0o600 })
  const file = await open(output, 'a')
  let length = 0
  let lines = ''
  try {
    for (const index of rows.keys()) {
      const row = rows[index] ?? []
      rows[index] = undefined
      const cells = Array.from({ length: width }, (_, column) => {
        const cell = row[column]
        return cell === undefined ? '' : quoted(textOf(cell))
      })
      lines += `${cells.join(',')}\n`
      if (lines.length < writtenCharacters && index < rows.length - 1) continue
      length += Buffer.byteLength(lines)
      if (length > maximumTextBytes) {
        throw new AppError('invalid_body', 'the sheet has more than 100 MiB of text: split it')
      }
      await file.write(lines)
      lines = ''
    }
  } finally {
    await file.close()
  }
}

function quoted(text: string): string {
  const line = text.replace(/\r\n?|\n/g, '\r')
  return /[",;\t\r]/.test(line) ? `"${line.replaceAll('"', '""')}"` : line
}

type Formats = typeof FormatsOfCells

interface Shown {
  readonly formats: Formats
  readonly utils: Pick<typeof Utilities, 'format_cell'>
  readonly isMacDate: boolean
  readonly isOpenDocument: boolean
}

/**
 * A cell as its program shows it, except that what it shows could be misread: dates begin with the year, long numbers
 * have all digits, and thousands are not separated.
 */
function shownText(cell: CellObject, { formats, utils, isMacDate, isOpenDocument }: Shown): string {
  const { t: type, v: value, z } = cell
  if (type === 's') return String(value)
  const shown = utils.format_cell(cell)
  if (type !== 'n' || typeof value !== 'number') return shown
  const format = typeof z === 'string' ? z : 'General'
  // A chip would be 9.85E+14.
  if (format === 'General' || /E[+-]/i.test(format)) return String(Number(value.toPrecision(15)))
  if (formats.is_date(format)) return dateText(format, formats.parse_date_code(value, { date1904: isMacDate })) ?? shown
  // The text in an OpenDocument file is in the language of its program, with any separators.
  return isOpenDocument ? shown : shown.replace(/(\d),(?=\d{3})/g, '$1')
}

/** A date that begins with the year, as exact as its format shows it; undefined if that has no year. */
function dateText(format: string, date: ReturnType<Formats['parse_date_code']>): string | undefined {
  const [codes = ''] = format.replace(/"[^"]*"|\[[^\]]*\]|\\.|_.|\*./g, '').split(';')
  // An "m" beside hours or seconds stands for minutes.
  const days = codes.toLowerCase().replace(/h+[^a-z]*m+|m+[^a-z]*s+/g, '')
  if (!date || !days.includes('y')) return undefined
  const two = (number: number) => String(number).padStart(2, '0')
  const year = String(date.y).padStart(4, '0')
  if (!days.includes('m')) return year
  if (!days.includes('d')) return `${year}-${two(date.m)}`
  const day = `${year}-${two(date.m)}-${two(date.d)}`
  return /h/i.test(codes) ? `${day} ${two(date.H)}:${two(date.M)}:${two(Math.floor(date.S))}` : day
}
