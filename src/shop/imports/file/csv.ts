/**
 * Reads the rows of a CSV file: which character separates its fields, whether its first line names the columns, and its
 * animals.
 */

import { unguarded } from './cells.ts'
import { type Columns, hasNames, type Located, locateColumns, maximumColumns, type Table } from './columns.ts'
import { type CsvRecord, createCsvRecords, isBlank } from './csv-records.ts'
import {
  type Delimiter,
  delimiters,
  firstValue,
  isFault,
  type Layout,
  type RowReader,
  type SourceRow,
  shownRows,
} from './rows.ts'

/** A line before the header with which Excel declares the delimiter. */
const delimiterLine = /^\s*sep=([,;\t]?)\s*$/i

/** The number of characters that are read at a time, in a few milliseconds. */
const batchCharacters = 8_192

/**
 * Creates a reader of a file that begins with `head`. `hasHeader` is guessed if it is undefined. Throws
 * `invalid_parameter` if a chosen column is missing.
 */
export function createCsvReader(head: string, columns: Columns, hasHeader?: boolean): RowReader {
  // Excel's "CSV (Macintosh)" ends its lines with a carriage return alone.
  const hasReturns = /^(?:[^"\n]|"[^"]*")*?\r(?![\r\n]|$)/.test(head.slice(0, 4_096))
  const linesOf = (text: string) => (hasReturns ? text.replaceAll('\r', '\n') : text)
  const layout = layoutOf(linesOf(head), columns, hasHeader)
  const { located } = layout
  if (located.missing) throw located.missing
  const records = createCsvRecords(layout.delimiter)
  /** Whether the next record may be one before the animals. */
  let isBegun = false
  let hasFailed = false
  let width = 0

  function rowOf(record: CsvRecord): SourceRow | undefined {
    const { content, line, text } = record
    if (isBlank(record) || (!isBegun && delimiterLine.test(text))) return undefined
    if (!isBegun) {
      isBegun = true
      const fault = isFault(content) ? content.fault : located.fault
      if (fault !== undefined) {
        hasFailed = true
        return { line, fault, text, isFatal: true, ...(isFault(content) ? {} : { lacksColumns: true }) }
      }
      width = isFault(content) ? 0 : content.length
      if (layout.hasHeader) return undefined
    }
    if (isFault(content)) return { line, text, ...content }
    if (content.length !== width) {
      const where = layout.hasHeader ? 'header' : 'first line'
      return { line, text, fault: `the number of fields is ${content.length}, in the ${where} it is ${width}` }
    }
    const read = (indexes: readonly number[]) => firstValue(indexes.map((i) => unguarded(content[i] ?? '')))
    return { line, text, fields: Object.fromEntries([...located.indexes].map(([field, at]) => [field, read(at)])) }
  }

  function* rowsOf(text: string, isEnd: boolean): Generator<SourceRow[]> {
    let rows: SourceRow[] = []
    let characters = 0
    for (const record of records.read(linesOf(text), isEnd)) {
      const row = rowOf(record)
      if (row) rows.push(row)
      if (hasFailed) break
      characters += record.text.length + 1
      if (characters < batchCharacters) continue
      yield rows
      rows = []
      characters = 0
    }
    yield rows
  }

  return {
    layout,
    read: (text) => rowsOf(text, false),
    *end() {
      yield* rowsOf('', true)
      if (!isBegun) yield [{ line: records.line(), fault: 'there is no line of column names', isFatal: true }]
    },
    nextLine: records.line,
    unusedColumns: () => located.unused,
  }
}

interface CsvLayout extends Layout {
  readonly delimiter: Delimiter
  readonly located: Located
}

/** The delimiter with which the file has the columns or, if several or none do, the one that gives most fields. */
function layoutOf(head: string, columns: Columns, hasHeader: boolean | undefined): CsvLayout {
  const declared = delimiters.find((delimiter) => delimiter === delimiterLine.exec(head.split('\n', 1)[0] ?? '')?.[1])
  const tried = (declared ? [declared] : delimiters).map((delimiter) => {
    const table = tableOf(head, delimiter, columns, hasHeader)
    return { ...table, delimiter, located: locateColumns(columns, table) }
  })
  const score = ({ located, header }: CsvLayout) =>
    ((located.fault ?? located.missing) ? 0 : maximumColumns) + header.length
  return tried.reduce((best, other) => (score(other) > score(best) ? other : best))
}

function tableOf(head: string, delimiter: Delimiter, columns: Columns, hasHeader: boolean | undefined): Table {
  const rows: (readonly string[])[] = []
  for (const record of createCsvRecords(delimiter).read(head, true)) {
    const { content, text } = record
    if (isBlank(record) || (rows.length === 0 && delimiterLine.test(text))) continue
    rows.push(isFault(content) ? [] : content.map(unguarded))
    if (rows.length > shownRows) break
  }
  const [first = []] = rows
  const isNamed = hasHeader ?? hasNames(first, columns)
  return {
    hasHeader: isNamed,
    header: isNamed ? first : first.map(() => ''),
    samples: rows.slice(isNamed ? 1 : 0, isNamed ? shownRows + 1 : shownRows),
  }
}
