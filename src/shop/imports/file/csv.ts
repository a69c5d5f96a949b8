/** Reads a CSV file: which character separates its fields, which line names the columns, and the rows after it. */

import { AppError } from '../../../lib/error.ts'
import { unguarded } from './cells.ts'
import { chosenIndexes, countNames, findHeader, headerRows } from './columns.ts'
import { type CsvRecord, createCsvRecords, isBlank } from './csv-records.ts'
import type { Reading } from './reading.ts'
import { type Delimiter, delimiters, isFault, type RowReader, type SourceRow } from './rows.ts'
import { createTable } from './table.ts'
import { isEmptyCell } from './words.ts'

/** A line before the header with which Excel declares the delimiter. */
const delimiterLine = /^\s*sep=([,;\t]?)\s*$/i

/** The number of characters that are read at a time, in a few milliseconds. */
const batchCharacters = 8_192

/** Creates a reader of a file that begins with `head`. Throws `invalid_parameter` if there is no line `headerLine`. */
export function createCsvReader(head: string, reading: Reading): RowReader {
  // Excel's "CSV (Macintosh)" ends its lines with a carriage return alone.
  const hasReturns = /^(?:[^"\n]|"[^"]*")*?\r(?![\r\n]|$)/.test(head.slice(0, 4_096))
  const linesOf = (text: string) => (hasReturns ? text.replaceAll('\r', '\n') : text)
  const { delimiter, first, hasHeader } = shapeOf(linesOf(head), reading)
  const records = createCsvRecords(delimiter)
  const names = first === undefined || isFault(first.content) ? [] : first.content.map(unguarded)
  const table = createTable<readonly string[]>(
    {
      delimiter,
      hasHeader,
      header: hasHeader ? names : names.map(() => ''),
      line: first?.line ?? 1,
      cellsOf: (row) => row.map((cell) => (isEmptyCell(cell) ? '' : unguarded(cell))),
      textOf: (row) => row.map((cell) => quoted(cell, delimiter)).join(delimiter),
    },
    reading,
  )

  function add(record: CsvRecord): void {
    const { content, line, text } = record
    const isBefore = first === undefined || line < first.line || (hasHeader && line === first.line)
    if (isBefore || isBlank(record)) return
    if (isFault(content)) table.addFault(line, content, text)
    else table.add(line, content)
  }

  function* addAll(text: string, isEnd: boolean): Generator<void> {
    let characters = 0
    for (const record of records.read(linesOf(text), isEnd)) {
      add(record)
      characters += record.text.length + 1
      if (characters < batchCharacters) continue
      table.endBatch()
      yield
      characters = 0
    }
  }

  return {
    read: (text) => addAll(text, false),
    *end(onLayout) {
      for (const _ of addAll('', true)) yield []
      if (!first) yield [{ line: records.line(), fault: 'there is no line of column names', isFatal: true }]
      else if (isFault(first.content))
        yield [{ line: first.line, ...first.content, text: () => first.text, isFatal: true }]
      else yield* table.rows(onLayout)
    },
    nextLine: records.line,
  }
}

/** The rows of a whole file. */
export function readCsv(text: string, reading: Reading): SourceRow[] {
  const reader = createCsvReader(text, reading)
  return [...reader.read(text), ...reader.end(() => {})].flatMap((rows) => rows ?? [])
}

/** How a file is divided. */
interface Shape {
  readonly delimiter: Delimiter
  readonly hasHeader: boolean
  /** The header or, without one, the first row; undefined if the file has no row. */
  readonly first: CsvRecord | undefined
}

/** The shape with the delimiter that gives the chosen columns, the most known names of columns, and the most fields. */
function shapeOf(head: string, reading: Reading): Shape {
  const { columns } = reading
  const declared = delimiters.find((delimiter) => delimiter === delimiterLine.exec(head.split('\n', 1)[0] ?? '')?.[1])
  const tried = (declared ? [declared] : delimiters).map((delimiter) => {
    const { first, hasHeader } = findFirst(firstRecords(head, delimiter, reading), reading)
    const header = first && !isFault(first.content) ? first.content.map(unguarded) : []
    const names = hasHeader ? countNames(header, columns) : 0
    const score =
      (chosenIndexes(header, columns).includes(undefined) ? 0 : 10_000_000) +
      (names > 1 ? names : 0) * 10_000 +
      header.length
    return { delimiter, first, hasHeader, score }
  })
  return tried.reduce((best, other) => (other.score > best.score ? other : best))
}

/** The records at the beginning of a file that are not blank. */
function firstRecords(head: string, delimiter: Delimiter, { headerLine = 0 }: Reading): readonly CsvRecord[] {
  const found: CsvRecord[] = []
  for (const record of createCsvRecords(delimiter).read(head, true)) {
    if (isBlank(record) || (found.length === 0 && delimiterLine.test(record.text))) continue
    found.push(record)
    if (found.length >= headerRows && record.line >= headerLine) break
  }
  return found
}

/** The header or, without one, the first row. Throws `invalid_parameter` if the header is to be on a line without text. */
function findFirst(
  records: readonly CsvRecord[],
  { columns, hasHeader, headerLine }: Reading,
): Omit<Shape, 'delimiter'> {
  const [top] = records
  if (hasHeader === false) return { first: top, hasHeader }
  if (headerLine !== undefined) {
    const first = records.find(({ line }) => line === headerLine)
    if (!first) throw new AppError('invalid_parameter', `headerLine: no row of the file begins on line ${headerLine}.`)
    return { first, hasHeader: true }
  }
  const rows = records.map(({ content }) => (isFault(content) ? [] : content.map(unguarded)))
  const index = findHeader(rows, columns)
  return index === undefined && hasHeader === undefined
    ? { first: top, hasHeader: false }
    : { first: records[index ?? 0], hasHeader: true }
}

/** A cell as it is in a file. */
function quoted(cell: string, delimiter: Delimiter): string {
  return cell.includes(delimiter) || /["\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}
