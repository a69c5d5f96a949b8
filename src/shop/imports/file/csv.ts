/**
 * Reads the rows of a CSV file (RFC 4180), whose fields are separated by commas, semicolons or tabs. csv-parse gets
 * whole lines and starts again after a row that it can't parse, so that a wrong quote makes one line invalid and not
 * the rest of the file.
 */

import { CsvError, parse } from 'csv-parse/sync'
import { unguarded } from './cells.ts'
import { type Columns, type LocatedColumns, locateColumns } from './columns.ts'
import { countNewlines, newline } from './lines.ts'
import { firstValue, maximumRowBytes, type RowReader, type SourceRow, tooLong } from './rows.ts'

interface Header extends LocatedColumns {
  readonly length: number
}

/** Creates a reader of rows below a header, which throws `invalid_parameter` if a column given by name is missing. */
export function createCsvReader(columns: Columns): RowReader {
  let header: Header | undefined
  let hasFailed = false
  let delimiter: string | undefined
  /** What was not read yet, and the line on which it begins. */
  let rest: Buffer = Buffer.alloc(0)
  let line = 1
  /** The bytes at the beginning of `rest` that were parsed and end within quotes. */
  let openBytes = 0

  function failFile(fault: string): SourceRow {
    hasFailed = true
    return { line, fault, isFatal: true }
  }

  /** An unreadable header makes the whole file invalid. */
  const unreadable = (fault: string): SourceRow => (header ? { line, fault } : failFile(fault))

  function readCells(cells: readonly string[], bytes: number): SourceRow | undefined {
    if (hasFailed || (cells.length === 1 && cells[0] === '')) return undefined
    if (bytes > maximumRowBytes) return unreadable(tooLong)
    if (header) return readBelow(header, cells, line)
    if (delimiterLine.test(cells.join(''))) return undefined
    const located = locateColumns(columns, cells)
    if (typeof located === 'string') return failFile(located)
    header = { length: cells.length, ...located }
    return undefined
  }

  /** Reads the next rows and at most one fault, behind them; returns the number of bytes that were parsed. */
  function readPart(part: Buffer, isLast: boolean, rows: SourceRow[]): number {
    let start = 0
    const fault = parseRows(part, delimiter ?? defaultDelimiter, openBytes > 0, (cells, end) => {
      const row = readCells(cells, end - start)
      if (row) rows.push(row)
      line += countNewlines(part, start, end)
      start = end
    })
    // White space at the end of the file is no row.
    rest = rest.subarray(fault === undefined && start === 0 ? part.length : start)
    const open = fault === openQuote ? part.length - start : 0
    openBytes = isLast || open > maximumRowBytes ? 0 : open
    if (fault !== undefined && openBytes === 0 && !hasFailed) {
      rows.push(unreadable(fault))
      rest = rest.subarray(rest.indexOf(newline) + 1 || rest.length)
      line++
    }
    return start + open
  }

  function* readLines(lines: Buffer, isEnd: boolean): Generator<SourceRow[]> {
    if (line === 1 && hasReturns(lines)) {
      yield [failFile(returns)]
      return
    }
    rest = rest.length > 0 ? Buffer.concat([rest, lines]) : lines
    delimiter ??= delimiterOf(rest, columns)
    while (rest.length > 0 && !hasFailed) {
      const rows: SourceRow[] = []
      for (let done = 0; done < sliceBytes && rest.length > 0 && !hasFailed; done += restartBytes) {
        // A row with an open quote is parsed again when it may be twice as long, so that not every slice parses it.
        const wanted = Math.min(2 * openBytes, maximumRowBytes + 1)
        if (rest.length < wanted && !isEnd) {
          yield rows
          return
        }
        const end = rest.indexOf(newline, Math.max(wanted, sliceBytes) - 1) + 1 || rest.length
        done += readPart(rest.subarray(0, end), isEnd && end === rest.length, rows)
      }
      yield rows
    }
  }

  return {
    read: (lines) => readLines(lines, false),
    *end() {
      yield* readLines(Buffer.alloc(0), true)
      if (!header && !hasFailed) yield [failFile('there is no line of column names')]
    },
    unusedColumns: () => header?.unused ?? [],
  }
}

function readBelow({ length, indexes }: Header, cells: readonly string[], line: number): SourceRow {
  if (cells.length !== length) {
    return { line, fault: `the number of fields is ${cells.length}, in the header it is ${length}` }
  }
  const read = (columns: readonly number[]) => firstValue(columns.map((i) => unguarded(cells[i] ?? '')))
  return { line, fields: Object.fromEntries(indexes.map(([field, columns]) => [field, read(columns)])) }
}

/** The number of bytes that are parsed at a time, in about a millisecond, unless a row is longer. */
const sliceBytes = 8_192

/** To start the parser again takes about as long as to parse this number of bytes. */
const restartBytes = 256

const openQuote = 'a quote is opened and not closed within 128 KiB'

const faults: Readonly<Partial<Record<string, string>>> = {
  CSV_QUOTE_NOT_CLOSED: openQuote,
  INVALID_OPENING_QUOTE: 'a quote is inside an unquoted field: put the field in quotes and double the quotes in it',
}
const otherFault = 'text follows the closing quote of a field: double the quotes inside the field'

const returns =
  'the lines end as on old Macs (CR), and not with LF or CRLF: save the file again, in Excel as “CSV UTF-8”, not as “CSV (Macintosh)”'

/** Bytes of a file that tell how its lines end. */
const beginningBytes = 4_096

/** Whether a carriage return ends the first line, outside of quotes. */
const hasReturns = (lines: Buffer) =>
  /^(?:[^"\n]|"[^"]*")*?\r(?![\r\n]|$)/.test(lines.toString('latin1', 0, beginningBytes))

const defaultDelimiter = ','
const delimiters = [defaultDelimiter, ';', '\t']

/** A line before the header with which Excel declares the delimiter. */
const delimiterLine = /^sep=([,;\t]?)$/i

/** The delimiter of a header, or undefined if there is no header yet. */
function delimiterOf(lines: Buffer, columns: Columns): string | undefined {
  const text = lines.subarray(0, maximumRowBytes).toString().trimStart()
  const first = text.slice(0, text.indexOf('\n') + 1 || text.length).trimEnd()
  if (first === '') return undefined
  const declared = /^sep=(.)$/i.exec(first)?.[1]
  if (declared !== undefined && delimiters.includes(declared)) return declared
  const tried = delimiters.map((delimiter) => {
    let header: string[] = []
    parseRows(Buffer.from(first), delimiter, true, (cells) => {
      header = cells
    })
    return { delimiter, fits: hasColumns(columns, header), fields: header.length }
  })
  // The sort is stable: of equally good delimiters the first is chosen.
  const [best] = tried.sort((a, b) => Number(b.fits) - Number(a.fits) || b.fields - a.fields)
  return best?.delimiter
}

function hasColumns(columns: Columns, header: readonly string[]): boolean {
  try {
    return typeof locateColumns(columns, header) !== 'string'
  } catch {
    return false
  }
}

/**
 * Calls `onRow` with each row, or only the first, and the index of its end; returns the fault of the next row, if it is
 * invalid.
 */
function parseRows(
  lines: Buffer,
  delimiter: string,
  isOne: boolean,
  onRow: (cells: string[], end: number) => void,
): string | undefined {
  try {
    parse(lines, {
      delimiter,
      record_delimiter: ['\r\n', '\n'],
      relax_column_count: true,
      trim: true,
      to: isOne ? 1 : null,
      on_record(cells: string[], { bytes }) {
        onRow(cells, bytes)
        return null
      },
    })
    return undefined
  } catch (error) {
    if (error instanceof CsvError) return faults[error.code] ?? otherFault
    throw error
  }
}
