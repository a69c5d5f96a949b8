/** Reads the rows of an NDJSON file, which has one JSON object on each line. */

import {
  alternatives,
  type Columns,
  findMember,
  type ImportField,
  isSame,
  locateColumns,
  maximumColumns,
  missingColumn,
  shownName,
} from './columns.ts'
import { firstValue, maximumRowBytes, type RowReader, type SourceRow, shownRows, tooLong } from './rows.ts'

/** The number of lines that are read at a time. */
const batchLines = 100

/**
 * Creates a reader of a file that begins with `head`. Throws `invalid_parameter` at the end if no object has a chosen
 * member.
 */
export function createNdjsonReader(head: string, columns: Columns): RowReader {
  const layout = layoutOf(head, columns)
  /** The members of each field. */
  const names = new Map(columns.names)
  for (const [field, indexes] of layout.located.indexes) {
    if (!columns.chosen.has(field)) names.set(field, indexes.map((index) => layout.header[index] ?? '').join('|'))
  }
  let line = 0
  let rest = ''
  let firstMembers: readonly string[] | undefined
  /** The names of members, at most `maximumColumns`. */
  const seen = new Set<string>()

  function readLine(text: string): SourceRow | undefined {
    line++
    if (text.length * 3 > maximumRowBytes && Buffer.byteLength(text) > maximumRowBytes) return { line, fault: tooLong }
    if (text.trim() === '') return undefined
    const members = parseObject(text)
    if (!members) return { line, text, fault: 'the line is not a JSON object' }
    firstMembers ??= Object.keys(members)
    for (const name of Object.keys(members)) if (seen.size < maximumColumns) seen.add(name)
    const fields: Partial<Record<ImportField, unknown>> = {}
    for (const [field, name] of names) {
      const all = alternatives(name, (one) => findMember(members, one) !== undefined)
      fields[field] = firstValue(all.map((one) => findMember(members, one)))
    }
    return { line, text, fields }
  }

  function* readLines(lines: Iterable<string>): Generator<SourceRow[]> {
    let rows: SourceRow[] = []
    for (const text of lines) {
      const row = readLine(text)
      if (row) rows.push(row)
      if (rows.length < batchLines) continue
      yield rows
      rows = []
    }
    yield rows
  }

  const isSeen = (name: string) => [...seen].some((other) => isSame(other, name))

  return {
    layout,
    *read(text) {
      const lines = `${rest}${text}`.split('\n')
      // Of a line that is too long anyway, enough is kept to say so.
      rest = (lines.pop() ?? '').slice(0, maximumRowBytes + 1)
      yield* readLines(lines)
    },
    *end() {
      if (rest !== '') yield* readLines([rest])
      const wanted = [...columns.names].flatMap(([field, name]) =>
        columns.chosen.has(field) ? alternatives(name, isSeen) : [],
      )
      const missing = wanted.find((name) => !isSeen(name))
      if (missing !== undefined && firstMembers) throw missingColumn(missing, firstMembers)
    },
    nextLine: () => line + 1,
    unusedColumns() {
      const used = [...names.values()].flatMap((name) => alternatives(name, isSeen))
      return [...seen].filter((name) => !used.some((other) => isSame(other, name))).map(shownName)
    },
  }
}

function layoutOf(head: string, columns: Columns) {
  // The last line of the head may go on.
  const objects: Readonly<Record<string, unknown>>[] = []
  for (const line of head.split('\n', 2 * shownRows)) {
    const members = objects.length < shownRows && parseObject(line)
    if (members) objects.push(members)
  }
  const header = [...new Set(objects.flatMap((members) => Object.keys(members)))].slice(0, maximumColumns)
  const samples = objects.map((members) => header.map((name) => textOf(members[name])))
  const located = locateColumns({ ...columns, names: implied(columns) }, { hasHeader: true, header, samples })
  return { hasHeader: true, delimiter: null, header, samples, located }
}

/** Members that were chosen may appear in later lines first. */
function implied({ names, chosen }: Columns): Columns['names'] {
  return new Map([...names].filter(([field]) => !chosen.has(field)))
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null || typeof value === 'object' ? '' : String(value)
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}
