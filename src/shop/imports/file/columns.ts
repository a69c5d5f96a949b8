/** Maps the columns of a file, or the members of its objects, to the fields of an animal. */

import { AppError } from '../../../lib/error.ts'
import { type ImportField, importFields } from './fields.ts'
import { type FileColumn, type Guess, guessColumns, isKnownName, isOwnName, type Question } from './guess.ts'
import { knownStatus } from './words.ts'

export interface Columns {
  /**
   * The column for each field to read. `A|B` stands for two columns, of which the first that has a value counts; `#2`
   * for the second column.
   */
  readonly names: ReadonlyMap<ImportField, string>
  /**
   * The fields whose columns were given by name. The others are read from columns with the name of the field, if there
   * are any.
   */
  readonly chosen: ReadonlySet<ImportField>
}

/**
 * Parses mappings such as `name=Name|Animal ID,category=Type`; `status=` skips that field. Throws `invalid_parameter`
 * with the first invalid mapping.
 */
export function parseColumns(mappings: readonly string[]): Columns {
  const chosen = new Map<ImportField, string>()
  // A comma is part of the column's name unless another mapping follows.
  for (const mapping of mappings.flatMap((given) => given.split(/,(?=\s*\w+\s*=)/))) {
    const [, target = '', column = ''] = /^([^=]*)=(.*)$/s.exec(mapping) ?? []
    const field = importFields.find((name) => isSame(name, target.trim()))
    if (!field) {
      throw invalidMapping(
        `"${mapping.trim()}" must begin with one of ${importFields.map((name) => `${name}=`).join(', ')}.`,
      )
    }
    if (chosen.has(field)) throw invalidMapping(`${field} has more than one column.`)
    if (field === 'name' && !/[^|\s]/.test(column)) throw invalidMapping('name needs a column.')
    chosen.set(field, column.trim())
  }
  return { names: new Map(importFields.flatMap((field) => nameOf(field, chosen))), chosen: new Set(chosen.keys()) }
}

function invalidMapping(message: string): AppError {
  return new AppError('invalid_parameter', `columns: ${message} An example: name=Name,category=Type.`)
}

function nameOf(field: ImportField, chosen: ReadonlyMap<ImportField, string>): [ImportField, string][] {
  const other = field === 'category' ? 'categoryId' : field === 'categoryId' ? 'category' : undefined
  // A mapping of one of the two fields replaces the other, even if the file has a column of its name.
  const implied = other && chosen.get(other) ? '' : field
  const name = chosen.get(field) ?? implied
  return name ? [[field, name]] : []
}

export const maximumColumns = 1_000

export interface Located extends Pick<Guess, 'questions' | 'repeatedNumber' | 'quantity' | 'age'> {
  /** The indexes of each field's columns. */
  readonly indexes: ReadonlyMap<ImportField, readonly number[]>
  /** The fields whose columns were guessed from other names than theirs. */
  readonly guessed: ReadonlySet<ImportField>
  /** The indexes of the columns that become attributes. */
  readonly attributes: readonly number[]
  /** The names of the columns that are not used. */
  readonly unused: readonly string[]
  /** Why the animals can't be read with these columns. */
  readonly fault: string | undefined
}

/**
 * Finds the columns of the fields: those that were chosen and, if the file has a header, guesses for the others. With
 * `hasOneCategory`, all animals get the same category, so that no column is one; with `changesAnimals`, a column of numbers
 * is enough. Throws `invalid_parameter` if the file
 * lacks a chosen column.
 */
export function locateColumns(
  file: readonly FileColumn[],
  { names, chosen }: Columns,
  { hasHeader = true, hasOneCategory = false, changesAnimals = false, attributes: wantedAttributes = '' } = {},
): Located {
  const header = file.map(({ name }) => name)
  const isWanted = (field: ImportField) => names.has(field) && !(hasOneCategory && /^category/.test(field))
  const indexes = new Map<ImportField, readonly number[]>()
  let fault: string | undefined
  if (file.length > maximumColumns) {
    fault = `the file has ${file.length.toLocaleString('en')} columns: remove some, at most ${maximumColumns.toLocaleString('en')} can be read`
  }
  for (const [field, given] of names) {
    if (!chosen.has(field)) continue
    const found = chosenColumns(header, given)
    const missing = found.find(({ index }) => index === undefined)
    if (missing) throw missingColumn(missing.name, header)
    const twice = found.find(({ isAmbiguous }) => isAmbiguous)
    if (twice)
      fault ??= `the file has two columns "${twice.name}": choose one by its number, such as columns=${field}=#1`
    indexes.set(
      field,
      found.flatMap(({ index }) => index ?? []),
    )
  }
  const used = [...indexes.values()].flat()
  const guess = guessColumns(hasHeader ? file : [], (field) => isWanted(field) && !chosen.has(field), used)
  for (const [field, index] of guess.columns) indexes.set(field, [index])
  const isGuessed = ([field, index]: readonly [ImportField, number]) => !isOwnName(field, header[index] ?? '')
  const guessed = new Set([...guess.columns].filter(isGuessed).map(([field]) => field))
  const lacks = (field: ImportField) => lackingColumn(field, guess.questions, header, hasHeader)
  const isEnough = changesAnimals && indexes.has('number')
  const hasCategory = indexes.has('category') || indexes.has('categoryId') || hasOneCategory
  if (!indexes.has('name') && !isEnough) fault ??= lacks('name')
  if (!hasCategory && !isEnough) fault ??= lacks('category')
  const read = new Set([...indexes.values()].flat())
  // Spreadsheets add columns without a name and without a value.
  const hasContent = (index: number) => header[index] !== '' || (file[index]?.filled ?? 0) > 0
  const attributes = attributeColumns(header, wantedAttributes, read)
  const isUnused = (index: number) => !read.has(index) && !attributes.includes(index) && hasContent(index)
  const unused = header.map(shownName).filter((_, index) => isUnused(index))
  return { ...guess, indexes, guessed, attributes, unused, fault }
}

/** The columns of `A|B`, of which some may be missing or have a name that others have, too. */
function chosenColumns(header: readonly string[], given: string) {
  return alternatives(given, (name) => candidates(header, name).length > 0).map((name) => {
    const [index, another] = candidates(header, name)
    return { name, index, isAmbiguous: another !== undefined }
  })
}

/** The columns of `A|B`; with `all`, those with a name that are not read. Throws `invalid_parameter` if one is missing. */
function attributeColumns(header: readonly string[], wanted: string, read: ReadonlySet<number>): readonly number[] {
  const others = header.flatMap((name, index) => (name.trim() === '' || read.has(index) ? [] : index))
  if (wanted === '' || isSame(wanted, 'all')) return wanted === '' ? [] : others
  return chosenColumns(header, wanted).map(({ name, index }) => {
    if (index === undefined) throw missingColumn(name, header, 'attributes')
    return index
  })
}

/** The indexes of the columns that were chosen; undefined for one that the header does not have. */
export function chosenIndexes(header: readonly string[], { names, chosen }: Columns): readonly (number | undefined)[] {
  return [...names].flatMap(([field, given]) =>
    chosen.has(field) ? chosenColumns(header, given).map(({ index }) => index) : [],
  )
}

/** The number of rows at the beginning of a file among which the header is looked for. */
export const headerRows = 25

/** Tells which cells name a column that was chosen, or that an import knows. */
function createNames({ names, chosen }: Columns) {
  const wanted = [...names].flatMap(([field, given]) => (chosen.has(field) ? alternatives(given, () => false) : []))
  const isChosen = (cell: string) => wanted.some((name) => isSame(name, cell))
  return {
    isChosen,
    isNamed: (cell: string) => isChosen(cell) || isKnownName(cell),
    /** Whether all chosen columns are chosen by their numbers. */
    isByNumber: wanted.length > 0 && wanted.every((name) => /^#\d+$/.test(name)),
  }
}

/**
 * The index of the row that names the columns; undefined if the first row is an animal, as far as the rows show. The
 * header is the first row in which two cells name columns; otherwise the first one with a chosen column, or the first
 * row, unless no cell of it has a name and it has a status or all columns are chosen by their numbers.
 */
export function findHeader(rows: readonly (readonly string[])[], columns: Columns): number | undefined {
  const { isChosen, isNamed, isByNumber } = createNames(columns)
  const found = [
    rows.findIndex((row) => new Set(row.filter(isNamed)).size > 1),
    rows.findIndex((row) => row.some(isChosen)),
  ].find((index) => index !== -1)
  if (found !== undefined) return found
  const [cells = []] = rows
  const isAnimal = isByNumber || cells.some((cell) => knownStatus(cell) !== undefined)
  return isAnimal && !cells.some(isNamed) ? undefined : 0
}

/** The number of cells that name a column. */
export const countNames = (header: readonly string[], columns: Columns): number =>
  header.filter(createNames(columns).isNamed).length

/** The columns of `A|B`, unless the file has a column of this name. */
export function alternatives(name: string, isColumn: (name: string) => boolean): readonly string[] {
  if (!name.includes('|') || isColumn(name)) return [name]
  return name.split('|').flatMap((part) => part.trim() || [])
}

/** The maximum length of the name of an unused column, in UTF-16 units. */
export const maximumShownName = 100

/** A column by its name, which may be shortened, or by its number. */
export function shownName(name: string, index: number): string {
  if (name === '') return `column ${index + 1}`
  return name.length <= maximumShownName ? name : `${name.slice(0, maximumShownName - 1).toWellFormed()}…`
}

/** The error for a missing column that `parameter` names. */
export function missingColumn(name: string, header: readonly string[], parameter = 'columns'): AppError {
  return new AppError('invalid_parameter', `${parameter}: the file has no "${name}", only ${listed(header)}.`)
}

function lackingColumn(
  field: ImportField,
  questions: readonly Question[],
  header: readonly string[],
  hasHeader: boolean,
): string {
  if (!hasHeader) return 'the first line names no columns: give the numbers of yours, with columns=name=#1,category=#2'
  const one = field === 'category' ? ', or give all animals one with category=NAME' : ''
  const advice = `choose the column with columns=${field}=COLUMN${one}`
  const possible = questions.find((question) => question.field === field)?.columns ?? []
  if (possible.length === 0) return `there is no column "${field}", only ${listed(header)}: ${advice}`
  const all = possible.map((index) => `#${index + 1} "${shownName(header[index] ?? '', index)}"`)
  return `it is not certain that the ${field} is in ${all.join(' or ')}: ${advice}`
}

const listedLength = 300

function listed(header: readonly string[]): string {
  const text = header.join(', ')
  return text.length <= listedLength ? text : `${text.slice(0, listedLength)}…`
}

/**
 * The index of the column with a number, such as `#2`; else those of the exact name or, without one, of names that
 * differ only in case.
 */
function candidates(header: readonly string[], name: string): number[] {
  const number = Number(/^#([1-9]\d{0,3})$/.exec(name)?.[1])
  if (number <= header.length) return [number - 1]
  const indexes = (matches: (other: string) => boolean) => header.flatMap((other, i) => (matches(other) ? [i] : []))
  const exact = indexes((other) => other === name)
  return exact.length > 0 ? exact : indexes((other) => isSame(other, name))
}

/** Whether two names differ only in case. */
export function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}
