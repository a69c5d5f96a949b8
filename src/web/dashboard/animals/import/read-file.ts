/** Reads a chosen file: its text in whatever encoding a spreadsheet gave it, its columns, and which of them are meant. */

import { delimiterOf, quoted, recordsOf } from './csv.ts'

export type Target = 'name' | 'category' | 'status'

export interface ChosenFile {
  readonly fileName: string
  /** With a header: where the file has none, a line with the numbers of the columns is put before it. */
  readonly text: string
  /** Whether the first line of the file names its columns. */
  readonly hasHeader: boolean
  /** The lines of the file before the text. */
  readonly skippedLines: number
  /** Undefined for NDJSON, whose objects have names for their members. */
  readonly table: Table | undefined
}

export interface Table {
  readonly delimiter: string
  readonly headers: readonly string[]
  /** The first rows. */
  readonly samples: readonly (readonly string[])[]
}

/** The number of the column for each target; undefined for none. */
export type Mapping = Readonly<Record<Target, number | undefined>>

const shownRows = 5

/** A line before the header with which Excel declares the delimiter. The server skips it, too. */
const delimiterLine = /^sep=([,;\t]?)[ \t]*(?:\r?\n|$)/i

export async function readFile(file: File): Promise<ChosenFile> {
  const decoded = withLines(decode(new Uint8Array(await file.arrayBuffer())))
  const declaration = delimiterLine.exec(decoded)
  const text = decoded.slice(declaration?.[0].length ?? 0)
  const isNdjson = /\.(ndjson|jsonl)$/i.test(file.name) || text.trimStart().startsWith('{')
  const table = isNdjson ? undefined : tableOf(text, declaration?.[1] || undefined)
  const chosen = { fileName: file.name, text, hasHeader: true, skippedLines: declaration === null ? 0 : 1, table }
  return chosen.table === undefined || seemsNamed(chosen.table) ? chosen : withHeader(chosen, false)
}

/** Excel's "CSV (Macintosh)" ends its lines with a carriage return alone. */
const withLines = (text: string): string => (text.includes('\n') ? text : text.replaceAll('\r', '\n'))

/** The same file with its first line read as the names of its columns, or as an animal like the others. */
export function withHeader(file: ChosenFile, hasHeader: boolean): ChosenFile {
  if (file.table === undefined || hasHeader === file.hasHeader) return file
  const { delimiter, headers } = file.table
  const numbers = headers.map((_, index) => `Column ${index + 1}`).join(delimiter)
  const text = hasHeader ? file.text.slice(file.text.indexOf('\n') + 1) : `${numbers}\n${file.text}`
  return { ...file, text, hasHeader, table: tableOf(text, delimiter) }
}

/** The number that a line of the sent text has in the file itself. */
export const lineInFile = ({ hasHeader, skippedLines }: ChosenFile, line: number): number =>
  line + skippedLines - (hasHeader ? 0 : 1)

/** A first line without any known name, but with a status, is an animal. */
function seemsNamed({ headers }: Table): boolean {
  const known = [...Object.values(guesses), categoryId]
  const isKnown = headers.some((header) => known.some((guess) => guess.test(header.trim())))
  return isKnown || !headers.some(isStatusValue)
}

function tableOf(text: string, delimiter = delimiterOf(text)): Table {
  const [header, ...rows] = [...recordsOf(text, delimiter, shownRows + 1)]
  return { delimiter, headers: header?.fields ?? [], samples: rows.map(({ fields }) => fields) }
}

/** Text in UTF-8 or UTF-16; anything else is Windows-1252, the encoding of older spreadsheets. */
export function decode(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  // Without a mark: every other byte of Western text in UTF-16 is zero.
  if (bytes.length > 3 && bytes[1] === 0 && bytes[3] === 0) return new TextDecoder('utf-16le').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

const guesses: Readonly<Record<Target, RegExp>> = {
  name: /^(animal'?s? ?)?name$|^(pet|rufname|nom|nombre)$/i,
  category: /^(category|type|species|kind|animal type|tierart|art|espèce|especie)$/i,
  status: /^(status|state|availability)$/i,
}

/** The header of a column with the ids of categories. */
const categoryId = /^category ?id$/i

function findColumn(headers: readonly string[], pattern: RegExp): number | undefined {
  const found = headers.findIndex((header) => pattern.test(header.trim()))
  return found === -1 ? undefined : found
}

export function guessMapping({ headers, samples }: Table): Mapping {
  const status = findColumn(headers, guesses.status)
  // A "State" without one known word is a part of a country. Rows with an unknown word are reported by the check.
  const isStatus =
    status !== undefined &&
    (/^status$/i.test(headers[status]?.trim() ?? '') || samples.some((row) => isStatusValue(row[status] ?? '')))
  return {
    name: findColumn(headers, guesses.name),
    category: findColumn(headers, guesses.category) ?? findColumn(headers, categoryId),
    status: isStatus ? status : undefined,
  }
}

/** The column with the ids of categories: the store identifies a category by its name, and uses the id for a new one. */
function categoryIdColumn({ headers, samples }: Table, { name, category, status }: Mapping): number | undefined {
  if (category !== undefined && samples.length > 0 && samples.every((row) => /^\d+$/.test(row[category] ?? ''))) {
    return category
  }
  const column = findColumn(headers, categoryId)
  return column === name || column === status ? undefined : column
}

const isStatusValue = (value: string) => /^(available|pending|sold)$/i.test(value.trim())

/** A column as it is shown: by its name in the file, or its number. */
export const columnName = (header: string, index: number): string => header || `Column ${index + 1}`

/** The columns of which nothing is imported. */
export function unusedColumns(table: Table, mapping: Mapping): readonly string[] {
  const used = [...Object.values(mapping), categoryIdColumn(table, mapping)]
  return table.headers.map(columnName).filter((_, index) => !used.includes(index))
}

const exportedColumns = ['id', 'name', 'categoryId', 'category', 'status']

/** Whether a file comes from the export of a store: its animals have numbers already. */
export function isExport({ text, table }: ChosenFile): boolean {
  const columns = table?.headers ?? membersOf(text.slice(0, text.indexOf('\n') + 1 || undefined))
  return exportedColumns.every((name) => columns.includes(name))
}

function membersOf(line: string): readonly string[] {
  try {
    return Object.keys(JSON.parse(line) as object)
  } catch {
    return []
  }
}

const checkedBytes = 4_096

/** Why a file has no animals, whatever it is called; undefined if it may have some. */
export async function contentProblem(file: Blob): Promise<string | undefined> {
  const start = decode(new Uint8Array(await file.slice(0, checkedBytes).arrayBuffer()))
    .replace(/^\ufeff/, '')
    .trimStart()
  if (start === '') return 'This file is empty. Choose another one.'
  if (start.startsWith('<')) return 'This is a web page, not a list of animals. Choose a .csv file.'
  if (/^\[\s*\{/.test(start))
    return 'This is a JSON array. Choose a file with one JSON object per line, or a .csv file.'
  // biome-ignore lint/suspicious/noControlCharactersInRegex: texts have none of them
  const isText = !/^(PK\u0003|%PDF|\{\\rtf)|[\u0000-\u0008]/.test(start)
  return isText
    ? undefined
    : 'This is not a list of animals. Save the list as CSV in your spreadsheet program, and choose that file.'
}

/** The file as it is sent: in UTF-8, with the names that the store knows in its header. */
export function uploadOf({ text, table }: ChosenFile, mapping: Mapping): Blob {
  if (table === undefined) return new Blob([text], { type: 'application/x-ndjson' })
  const { delimiter, headers } = table
  const names = headers.map((_, index) => `column ${index + 1}`)
  const ids = categoryIdColumn(table, mapping)
  if (mapping.name !== undefined) names[mapping.name] = 'name'
  if (mapping.category !== undefined) names[mapping.category] = 'category'
  if (ids !== undefined) names[ids] = 'categoryId'
  if (mapping.status !== undefined) names[mapping.status] = 'status'
  const [header] = [...recordsOf(text, delimiter, 1)]
  const rest = header === undefined ? '' : text.slice(text.indexOf(header.raw) + header.raw.length)
  return new Blob([names.map(quoted).join(delimiter), rest], { type: 'text/csv' })
}

/** The rejected rows as a file to correct and import again, with the reasons in a last column. */
export function rejectsOf({ text, table }: ChosenFile, errors: readonly { line: number; message: string }[]): string {
  if (table === undefined) {
    const lines = text.split(/\r?\n/)
    return `${errors.map(({ line }) => lines[line - 1] ?? '').join('\n')}\n`
  }
  const reasons = new Map(errors.map(({ line, message }) => [line, message]))
  const rows: string[] = []
  for (const { raw, line } of recordsOf(text, table.delimiter)) {
    const reason = rows.length === 0 ? 'problem' : reasons.get(line)
    if (reason !== undefined) rows.push(`${raw}${table.delimiter}${quoted(reason)}`)
  }
  return `${rows.join('\r\n')}\r\n`
}
