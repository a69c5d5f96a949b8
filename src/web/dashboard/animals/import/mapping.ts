/** The meanings of a file's columns and words. The server reads the file, and guesses the columns. */

import type { Schemas } from '../../api/client.ts'
import { problemWords } from './problems.ts'

export type Result = Schemas['ImportResult']
/** The server's description of a file. */
export type FileColumns = NonNullable<Result['file']>
export type Encoding = NonNullable<Result['encoding']>['name']

type Field = keyof FileColumns['mapping']
export type Target = Exclude<Field, 'categoryId'> | 'otherName'

/** The number of the column for each target, from 1; null for none, and undefined if that is not decided yet. */
export type Mapping = Readonly<Partial<Record<Target, number | null | undefined>>>

/** The meaning of each word; a word whose meaning is empty leaves its rows out, and `*` is every other word. */
export type Meanings = ReadonlyMap<string, string>
export const anyWord = '*'

/** How a file is read. */
export interface Reading {
  readonly mapping: Mapping
  /** The category of all animals, instead of a column for it. */
  readonly category?: string | undefined
  readonly statuses: Meanings
  readonly categories: Meanings
  readonly encoding?: Encoding | undefined
  readonly sheet?: string | undefined
  /** The line that names the columns, from 1; null if none does, and undefined if the server guesses it. */
  readonly headerLine?: number | null | undefined
  /** Whether a row without a category has the one above it. */
  readonly isFilled: boolean
  /** Whether rows change the animals that have their numbers. */
  readonly isUpdate: boolean
  /** Whether dates such as 03/04/2024 begin with the day or the month. */
  readonly dates?: 'dmy' | 'mdy' | undefined
  /** Whether the columns without a target become facts of the profile. */
  readonly keepsOthers: boolean
}

/** How the server divides a file into columns. */
export type FileChoice = Pick<Reading, 'encoding' | 'sheet' | 'headerLine'>

const required = ['name', 'otherName', 'category', 'status'] as const
const isRequired = (target: string) => required.some((one) => one === target)

/** The targets in the order in which they are shown: those that every animal has first. */
export function targetsOf({ mapping }: FileColumns): readonly Target[] {
  // Only the export of a store has a column of attributes.
  const hidden = ['categoryId', ...(mapping.attributes.length === 0 ? ['attributes'] : [])]
  const others = Object.keys(mapping).filter((field) => !hidden.includes(field) && !isRequired(field))
  return [...required, ...(others as Target[])]
}

export function guessedReading(file: FileColumns, { encoding, sheet, headerLine }: FileChoice = {}): Reading {
  const { name, category, categoryId, status } = file.mapping
  const others = targetsOf(file).filter((target) => !isRequired(target))
  const mapping: Mapping = {
    ...Object.fromEntries(others.map((target) => [target, file.mapping[target as Field][0] ?? null])),
    name: name[0],
    otherName: name[1],
    category: category[0] ?? categoryId[0],
    status: status[0],
  }
  return {
    encoding,
    sheet,
    headerLine,
    mapping,
    statuses: new Map(),
    categories: new Map(),
    isFilled: false,
    isUpdate: false,
    keepsOthers: false,
  }
}

/** The guesses for a file that was read in another way, with the choices that were made by hand before. */
export function readingAfter(
  before: { readonly file: FileColumns; readonly reading: Reading },
  file: FileColumns,
  choice: FileChoice,
): Reading {
  const guessed = guessedReading(before.file).mapping
  const { sheet, mapping } = before.reading
  /** The same column in the file now: in another sheet, that of the same name. */
  const columnNow = (column: number) =>
    sheet === choice.sheet
      ? column
      : file.columns.findIndex(({ name }) => name === before.file.columns[column - 1]?.name) + 1
  const kept = targetsOf(before.file).flatMap((target) => {
    const column = mapping[target]
    const now = column ? columnNow(column) : column
    const isThere = typeof now !== 'number' || (now > 0 && now <= file.columns.length)
    return column !== guessed[target] && isThere ? [[target, now] as const] : []
  })
  const { encoding, headerLine } = choice
  const mappingNow = { ...guessedReading(file).mapping, ...Object.fromEntries(kept) }
  return { ...before.reading, encoding, sheet: choice.sheet, headerLine, mapping: mappingNow }
}

/** The parameters of the request that reads a file this way. */
export function parametersOf(file: FileColumns, reading: Reading): Record<string, string> {
  const { mapping, statuses, categories, isFilled, isUpdate, dates, keepsOthers } = reading
  const { name, otherName, category } = mapping
  const columns = [`name=#${name}${otherName ? `|#${otherName}` : ''}`]
  const ids = file.mapping.categoryId[0]
  // The names of categories identify them, and their ids are for new ones.
  if (reading.category === undefined) {
    if (category !== ids) columns.push(`category=#${category}`)
    if (ids !== undefined && !isUsed(mapping, ids, 'category')) columns.push(`categoryId=#${ids}`)
  }
  for (const target of targetsOf(file)) {
    if (target === 'name' || target === 'otherName' || target === 'category') continue
    const column = mapping[target]
    columns.push(column ? `${target}=#${column}` : `${target}=`)
  }
  return {
    ...fileParameters({ ...reading, headerLine: file.headerLine }),
    columns: columns.join(','),
    ...(reading.category === undefined ? {} : { category: reading.category }),
    ...(isFilled ? { fill: 'category' } : {}),
    ...(isUpdate ? { existing: 'update' } : {}),
    ...(dates === undefined ? {} : { dates }),
    ...(keepsOthers ? { attributes: 'all' } : {}),
    ...(statuses.size === 0 ? {} : { statuses: mappingsOf(statuses) }),
    ...(categories.size === 0 ? {} : { categories: mappingsOf(categories) }),
  }
}

export function fileParameters({ encoding, sheet, headerLine }: FileChoice): Record<string, string> {
  return {
    ...(encoding === undefined ? {} : { encoding }),
    ...(sheet === undefined ? {} : { sheet }),
    ...(headerLine === null ? { hasHeader: 'false' } : {}),
    ...(headerLine ? { headerLine: String(headerLine) } : {}),
  }
}

const mappingsOf = (meanings: Meanings) => [...meanings].map(([word, meaning]) => `${word}=${meaning}`).join(',')

/** Whether a column has a target other than `except`. */
function isUsed(mapping: Mapping, column: number, except: Target): boolean {
  return Object.entries(mapping).some(([target, number]) => target !== except && number === column)
}

export interface WordCount {
  readonly word: string
  readonly rows: number
}

/**
 * The words of an earlier check, whose fields stay where they are, and then the new ones: words with a meaning are not
 * listed by the server any more.
 */
export function wordsAfter(before: readonly WordCount[], now: readonly WordCount[]): readonly WordCount[] {
  const known = new Set(before.map(({ word }) => word))
  return [...before, ...now.filter(({ word }) => !known.has(word))]
}

/** The words of the category that are new categories. */
export function newCategoryWords({ newCategories }: Result, { categories }: FileColumns): readonly WordCount[] {
  const names = new Set(newCategories.map((name) => name.toLowerCase()))
  return categories.filter(({ word }) => names.has(word.normalize('NFC').trim().toLowerCase()))
}

const shownName = 60

/** The label of a column: its name in the file, or its number with a value. */
export function columnName({ columns }: FileColumns, number: number): string {
  const { name: given = '', values = [] } = columns[number - 1] ?? {}
  const value = values.find((one) => one !== '')
  const name = given || (value === undefined ? `Column ${number}` : `Column ${number}: ${value}`)
  return name.length <= shownName ? name : `${name.slice(0, shownName)}…`
}

/** The columns of which nothing is imported. */
export function unusedColumns(file: FileColumns, { mapping, category }: Reading): readonly string[] {
  const used = [...Object.values(mapping), ...(category === undefined ? [file.mapping.categoryId[0]] : [])]
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
