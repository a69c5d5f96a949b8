/** Maps the columns of a file, or the members of its objects, to the fields of an animal. */

import { AppError } from '../../../lib/error.ts'
import { petStatuses } from '../../pets/rules.ts'

export const importFields = ['name', 'category', 'categoryId', 'status'] as const
export type ImportField = (typeof importFields)[number]

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

/** The first rows of a file, from which its columns are found. */
export interface Table {
  /** Whether the first line names the columns. */
  readonly hasHeader: boolean
  /** The names of the columns, which are blank without a header. */
  readonly header: readonly string[]
  readonly samples: readonly (readonly string[])[]
}

export interface Located {
  /** The indexes of each field's columns. */
  readonly indexes: ReadonlyMap<ImportField, readonly number[]>
  /** The fields whose columns were guessed from other names than theirs. */
  readonly guessed: ReadonlySet<ImportField>
  /** The names of the columns that no field is read from. */
  readonly unused: readonly string[]
  /** Why the animals can't be read with these columns. */
  readonly fault: string | undefined
  /** The error for a chosen column that the file does not have. */
  readonly missing: AppError | undefined
}

/**
 * Finds the columns of the fields: those that were chosen, then those with the names of the fields, then those with
 * names that are known to mean them.
 */
export function locateColumns({ names, chosen }: Columns, table: Table): Located {
  const { header, hasHeader } = table
  const indexes = new Map<ImportField, readonly number[]>()
  const guessed = new Set<ImportField>()
  let fault: string | undefined
  let missing: AppError | undefined
  if (header.length > maximumColumns) {
    fault = `the file has ${header.length.toLocaleString('en')} columns: remove some, at most ${maximumColumns.toLocaleString('en')} can be read`
  }
  for (const [field, given] of names) {
    const isChosen = chosen.has(field)
    const wanted = isChosen ? alternatives(given, (name) => candidates(header, name).length > 0) : [field]
    const found = wanted.flatMap((name) => {
      const [index, another] = candidates(header, name)
      if (index === undefined && isChosen) missing ??= missingColumn(name, header)
      if (another !== undefined) fault ??= `the file has two columns "${name}"`
      return index === undefined || another !== undefined ? [] : [index]
    })
    if (found.length > 0) indexes.set(field, found)
  }
  for (const [field, pattern] of guesses) {
    const hasCategory = /^category/.test(field) && (indexes.has('category') || indexes.has('categoryId'))
    if (!hasHeader || !names.has(field) || chosen.has(field) || indexes.has(field) || hasCategory) continue
    const used = new Set([...indexes.values()].flat())
    const index = header.findIndex((name, i) => pattern.test(name.trim()) && !used.has(i))
    if (index === -1 || (field === 'status' && !table.samples.some((row) => isStatus(row[index])))) continue
    indexes.set(field, [index])
    guessed.add(field)
  }
  if (!indexes.has('name')) fault ??= lacks('name', table)
  if (!indexes.has('category') && !indexes.has('categoryId')) fault ??= lacks('category', table)
  const used = new Set([...indexes.values()].flat())
  const unused = header.map(shownName).filter((_, index) => !used.has(index))
  return { indexes, guessed, unused, fault, missing }
}

/** Names of columns that other programs use for a field, in several languages. */
const guesses: readonly (readonly [ImportField, RegExp])[] = [
  ['name', /^(animal'?s? ?)?name$|^(pet|rufname|nom|nombre)$/i],
  ['category', /^(category|type|species|kind|animal type|tierart|art|espèce|especie)$/i],
  ['categoryId', /^category ?id$/i],
  // A "State" without one known word is a part of a country.
  ['status', /^(state|availability)$/i],
]

const isStatus = (value: string | undefined) => petStatuses.some((status) => isSame(status, value?.trim() ?? ''))

/** Whether the first line of a file names its columns: it has a known or chosen name, or no word for a status. */
export function hasNames(first: readonly string[], { names, chosen }: Columns): boolean {
  const isChosen = [...names].some(
    ([field, given]) => chosen.has(field) && alternatives(given, () => false).some((name) => isIn(first, name)),
  )
  const isKnown = first.some(
    (name) => importFields.some((field) => isSame(field, name)) || guesses.some(([, pattern]) => pattern.test(name)),
  )
  return isChosen || isKnown || !first.some(isStatus)
}

const isIn = (header: readonly string[], name: string) => header.some((other) => isSame(other, name))

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

/** The error for a mapping to a missing column. */
export function missingColumn(name: string, header: readonly string[]): AppError {
  return new AppError('invalid_parameter', `columns: the file has no "${name}", only ${listed(header)}.`)
}

function lacks(field: ImportField, { header, hasHeader }: Table): string {
  if (!hasHeader) return `the first line names no columns: give the numbers of yours, with columns=name=#1,category=#2`
  return `there is no column "${field}", only ${listed(header)}: name the column with columns=${field}=COLUMN`
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

/** The member of an object with a name; case is ignored if there is no exact one. */
export function findMember(members: Readonly<Record<string, unknown>>, name: string): unknown {
  if (Object.hasOwn(members, name)) return members[name]
  const found = Object.keys(members).find((other) => isSame(other, name))
  return found === undefined ? undefined : members[found]
}

/** Whether two names differ only in case. */
export function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}
