/** The meanings of a file's columns and words. The server reads the file, and guesses the columns. */

import type { Schemas } from '../../api/client.ts'
import type { PetStatus } from '../filters.ts'
import { problemWords } from './problems.ts'

export type Result = Schemas['ImportResult']
/** The server's description of a file. */
export type FileColumns = NonNullable<Result['file']>

export type Target = 'name' | 'otherName' | 'category' | 'status'

/** The number of the column for each target, from 1; undefined for none. */
export type Mapping = Readonly<Record<Target, number | undefined>>

/** How a file is read. */
export interface Reading {
  readonly mapping: Mapping
  /** The meanings of words that are not a status. */
  readonly statuses: ReadonlyMap<string, PetStatus>
}

export function guessedReading({ mapping: { name, category, categoryId, status } }: FileColumns): Reading {
  const [first, otherName] = name
  const mapping = { name: first, otherName, category: category[0] ?? categoryId[0], status: status[0] }
  return { mapping, statuses: new Map() }
}

/** The parameters of the request that reads a file this way. */
export function parametersOf(file: FileColumns, { mapping, statuses }: Reading): Record<string, string> {
  const { name, otherName, category, status } = mapping
  const columns = [`name=#${name}${otherName === undefined ? '' : `|#${otherName}`}`]
  const ids = file.mapping.categoryId[0]
  // The names of categories identify them, and their ids are for new ones.
  if (category !== ids) columns.push(`category=#${category}`)
  if (ids !== undefined && !isUsed(mapping, ids, 'category')) columns.push(`categoryId=#${ids}`)
  columns.push(status === undefined ? 'status=' : `status=#${status}`)
  const words = [...statuses].map(([word, meaning]) => `${word}=${meaning}`).join(',')
  return {
    columns: columns.join(','),
    hasHeader: String(file.hasHeader),
    ...(words === '' ? {} : { statuses: words }),
  }
}

/** Whether a column has a target other than `except`. */
function isUsed(mapping: Mapping, column: number, except: Target): boolean {
  return Object.entries(mapping).some(([target, number]) => target !== except && number === column)
}

const shownName = 60

/** The label of a column: its name in the file, or its number. */
export function columnName({ columns }: FileColumns, number: number): string {
  const name = columns[number - 1]?.name || `Column ${number}`
  return name.length <= shownName ? name : `${name.slice(0, shownName)}…`
}

/** The columns of which nothing is imported. */
export function unusedColumns(file: FileColumns, mapping: Mapping): readonly string[] {
  const used = [...Object.values(mapping), file.mapping.categoryId[0]]
  return file.columns.flatMap((_, index) => (used.includes(index + 1) ? [] : [columnName(file, index + 1)]))
}

const exportedColumns = ['id', 'name', 'categoryId', 'category', 'status']

/** Whether a file comes from the export of a store: its animals have numbers already. */
export function isExport({ columns }: FileColumns): boolean {
  return exportedColumns.every((exported) => columns.some(({ name }) => name === exported))
}

const delimiters: Readonly<Record<string, string>> = { comma: ',', semicolon: ';', tab: '\t' }

/** The rows that need fixing, as a file to correct and import again, with the reasons in a last column. */
export function rejectsOf({ columns, hasHeader, delimiter }: FileColumns, errors: Result['errors']): string {
  if (delimiter === null) return `${errors.map(({ text = '' }) => text).join('\n')}\n`
  const separator = delimiters[delimiter] ?? ','
  const names = columns.map(({ name }, index) => (hasHeader ? name : `Column ${index + 1}`))
  const rows = errors.map(({ text = '', message }) => `${text}${separator}${quoted(problemWords(message))}`)
  return [[...names, 'problem'].map(quoted).join(separator), ...rows, ''].join('\r\n')
}

function quoted(field: string): string {
  return /["\r\n,;\t]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field
}
