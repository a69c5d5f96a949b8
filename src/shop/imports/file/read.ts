/** Reads the rows of a file in any supported encoding and format. NDJSON has one JSON object in each line. */

import { AppError } from '../../../lib/error.ts'
import {
  alternatives,
  type Columns,
  findMember,
  type ImportField,
  isSame,
  maximumColumns,
  missingColumn,
  shownName,
} from './columns.ts'
import { createCsvReader } from './csv.ts'
import { toUtf8 } from './encoding.ts'
import { newline, readLines } from './lines.ts'
import { textOnly } from './packed.ts'
import { firstValue, maximumRowBytes, type RowReader, type SourceRow, tooLong } from './rows.ts'

export const importFormats = ['csv', 'ndjson'] as const
export type ImportFormat = (typeof importFormats)[number]

/**
 * The rows of a file in batches, each of which is read in a few milliseconds; nothing follows a fatal fault, such as
 * that of a spreadsheet. Without `given` the format is detected from the first character. Throws `invalid_parameter` if
 * a column that was given by name is missing, and for a JSON array, which is no NDJSON. Calls `onUnusedColumns` at the end.
 */
export async function* readRows(
  chunks: AsyncIterable<Uint8Array>,
  columns: Columns,
  given?: ImportFormat,
  onUnusedColumns: (names: readonly string[]) => void = () => {},
): AsyncGenerator<readonly SourceRow[]> {
  let reader: RowReader | undefined
  try {
    yield* rowsOf(chunks, given, (format) => {
      reader ??= createReader(format, columns)
      return reader
    })
  } finally {
    onUnusedColumns(reader?.unusedColumns() ?? [])
  }
}

async function* rowsOf(
  chunks: AsyncIterable<Uint8Array>,
  given: ImportFormat | undefined,
  readerOf: (format: ImportFormat) => RowReader,
): AsyncGenerator<readonly SourceRow[]> {
  let reader: RowReader | undefined
  let unread: Buffer = Buffer.alloc(0)
  let packed: string | undefined
  const text = textOnly(chunks, (fault) => {
    packed = fault
  })
  for await (const { bytes, badLine } of readLines(toUtf8(text), maximumRowBytes)) {
    unread = unread.length > 0 ? Buffer.concat([unread, bytes]) : bytes
    const format = given ?? formatOf(unread)
    // Blank lines are kept until a character determines the format, but at most `maximumRowBytes` of them.
    if (!reader && !format && badLine === undefined && unread.length <= maximumRowBytes) continue
    reader ??= readerOf(format ?? 'csv')
    for (const rows of reader.read(unread)) {
      yield rows
      if (rows.at(-1)?.isFatal) return
    }
    unread = Buffer.alloc(0)
    if (badLine !== undefined) {
      yield [{ line: badLine, fault: notUtf8, isFatal: true }]
      return
    }
  }
  if (packed !== undefined) {
    yield [{ line: 1, fault: packed, isFatal: true }]
    return
  }
  reader ??= readerOf(given ?? 'csv')
  yield* reader.read(unread)
  yield* reader.end()
}

const notUtf8 = 'the text is neither UTF-8 nor UTF-16: save the file as UTF-8'

function createReader(format: ImportFormat, columns: Columns): RowReader {
  return format === 'csv' ? createCsvReader(columns) : createNdjsonReader(columns)
}

/** The format by the first character, or undefined if there is none. */
function formatOf(lines: Buffer): ImportFormat | undefined {
  const first = lines.find((byte) => byte > 0x20)
  if (first === undefined) return undefined
  if (isJsonArray(lines, first)) {
    throw new AppError(
      'invalid_parameter',
      'This is a JSON array. NDJSON has one object on each line, and no brackets around them.',
    )
  }
  return first === '{'.charCodeAt(0) ? 'ndjson' : 'csv'
}

/** Such as `[{"name":…`: what `pets export --json` prints, and no row of a CSV file with a header. */
function isJsonArray(lines: Buffer, first: number): boolean {
  return first === '['.charCodeAt(0) && /^\s*\[\s*(\{|\]|$)/.test(lines.subarray(0, 200).toString('latin1'))
}

function createNdjsonReader({ names, chosen }: Columns): RowReader {
  let line = 0
  let firstMembers: readonly string[] | undefined
  /** The names of members, at most `maximumColumns`. */
  const seen = new Set<string>()

  function readLine(bytes: Buffer): SourceRow | undefined {
    line++
    if (bytes.length > maximumRowBytes) return { line, fault: tooLong }
    const text = bytes.toString().trim()
    if (text === '') return undefined
    const members = parseObject(text)
    if (!members) return { line, fault: 'the line is not a JSON object' }
    firstMembers ??= Object.keys(members)
    for (const name of Object.keys(members)) if (seen.size < maximumColumns) seen.add(name)
    const fields: Partial<Record<ImportField, unknown>> = {}
    for (const [field, given] of names) {
      const columns = alternatives(given, (name) => findMember(members, name) !== undefined)
      fields[field] = firstValue(columns.map((name) => findMember(members, name)))
    }
    return { line, fields }
  }

  const isSeen = (name: string) => [...seen].some((other) => isSame(other, name))

  return {
    *read(lines) {
      const rows: SourceRow[] = []
      for (let start = 0; start < lines.length; ) {
        const end = lines.indexOf(newline, start) + 1 || lines.length
        const row = readLine(lines.subarray(start, end))
        if (row) rows.push(row)
        start = end
      }
      yield rows
    },
    end() {
      const wanted = [...names].flatMap(([field, name]) => (chosen.has(field) ? alternatives(name, isSeen) : []))
      const missing = wanted.find((name) => !isSeen(name))
      if (missing !== undefined && firstMembers) throw missingColumn(missing, firstMembers)
      return []
    },
    unusedColumns() {
      const used = [...names.values()].flatMap((name) => alternatives(name, isSeen))
      return [...seen].filter((name) => !used.some((other) => isSame(other, name))).map(shownName)
    },
  }
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}
