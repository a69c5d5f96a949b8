/** Maps the columns of a file, or the members of its objects, to the fields of an animal. */

import { AppError } from '../../../lib/error.ts'

export const importFields = ['name', 'category', 'categoryId', 'status'] as const
export type ImportField = (typeof importFields)[number]

export interface Columns {
  /** The column for each field to read. `A|B` stands for two columns, of which the first that has a value counts. */
  readonly names: ReadonlyMap<ImportField, string>
  /** The fields whose columns were given by name. The others are read from columns of their own name, if there are. */
  readonly chosen: ReadonlySet<ImportField>
}

/**
 * Parses mappings such as `name=Name|Animal ID,category=Type`; `status=` skips that field. Throws `invalid_parameter` with
 * the first invalid mapping.
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
  return new AppError('invalid_parameter', `--columns: ${message} An example: name=Name,category=Type.`)
}

function nameOf(field: ImportField, chosen: ReadonlyMap<ImportField, string>): [ImportField, string][] {
  const other = field === 'category' ? 'categoryId' : field === 'categoryId' ? 'category' : undefined
  // A mapping of one of the two fields replaces the other, even if the file has a column of its name.
  const implied = other && chosen.get(other) ? '' : field
  const name = chosen.get(field) ?? implied
  return name ? [[field, name]] : []
}

export const maximumColumns = 1_000

export interface LocatedColumns {
  /** The indexes in the header of each field's columns. */
  readonly indexes: readonly (readonly [ImportField, readonly number[]])[]
  /** The names of the columns that no field is read from. */
  readonly unused: readonly string[]
}

/**
 * Finds the columns in a header. Returns a message if one is missing or the header has too many, and throws
 * `invalid_parameter` if that column was given by name.
 */
export function locateColumns({ names, chosen }: Columns, header: readonly string[]): LocatedColumns | string {
  if (header.length > maximumColumns) {
    return `the file has ${header.length.toLocaleString('en')} columns: remove some, at most ${maximumColumns.toLocaleString('en')} can be read`
  }
  const indexes = new Map<ImportField, number[]>()
  for (const [field, given] of names) {
    for (const name of alternatives(given, (name) => candidates(header, name).length > 0)) {
      const [index, another] = candidates(header, name)
      if (another !== undefined) return `the file has two columns "${name}"`
      if (index !== undefined) indexes.set(field, [...(indexes.get(field) ?? []), index])
      else if (chosen.has(field)) throw missingColumn(name, header)
    }
  }
  if (!indexes.has('name')) return lacks('name', header)
  if (!indexes.has('category') && !indexes.has('categoryId')) return lacks('category', header)
  const used = new Set([...indexes.values()].flat())
  return { indexes: [...indexes], unused: header.map(shownName).filter((_, index) => !used.has(index)) }
}

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
  return new AppError('invalid_parameter', `--columns: the file has no "${name}", only ${listed(header)}.`)
}

function lacks(field: ImportField, header: readonly string[]): string {
  return `there is no column "${field}", only ${listed(header)}: name the column with --columns ${field}=…`
}

const listedLength = 300

function listed(header: readonly string[]): string {
  const text = header.join(', ')
  return text.length <= listedLength ? text : `${text.slice(0, listedLength)}…`
}

/** The indexes of the exact name or, without one, of names that differ only in case. */
function candidates(header: readonly string[], name: string): number[] {
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
