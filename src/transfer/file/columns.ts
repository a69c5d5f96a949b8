/** Maps the columns of a file, or the members of its objects, to the fields of an animal. */

import { AppError } from '../../lib/error.ts'

export const importFields = ['name', 'category', 'categoryId', 'status'] as const
export type ImportField = (typeof importFields)[number]

export interface Columns {
  /** The name of the column for each field to read. */
  readonly names: ReadonlyMap<ImportField, string>
  /** The fields whose columns were given by name. The others are read from columns of their own name, if there are. */
  readonly chosen: ReadonlySet<ImportField>
}

/**
 * Parses mappings such as `name=Name,category=Type`; `status=` skips that field. Throws `invalid_parameter` with the
 * first invalid mapping.
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
    if (field === 'name' && !column.trim()) throw invalidMapping('name needs a column.')
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

const maximumColumns = 1_000

/** The index in the header of each field's column. */
export type ColumnIndexes = readonly (readonly [ImportField, number])[]

/**
 * Finds the columns in a header. Returns a message if one is missing or the header has too many, and throws
 * `invalid_parameter` if that column was given by name.
 */
export function locateColumns({ names, chosen }: Columns, header: readonly string[]): ColumnIndexes | string {
  if (header.length > maximumColumns) {
    return `the file has ${header.length.toLocaleString('en')} columns: remove some, at most ${maximumColumns.toLocaleString('en')} can be read`
  }
  const indexes: [ImportField, number][] = []
  for (const [field, name] of names) {
    const [index, another] = candidates(header, name)
    if (another !== undefined) return `the file has two columns "${name}"`
    if (index !== undefined) indexes.push([field, index])
    else if (chosen.has(field)) throw missingColumn(name, header)
  }
  const found = new Set(indexes.map(([field]) => field))
  if (!found.has('name')) return lacks('name', header)
  if (!found.has('category') && !found.has('categoryId')) return lacks('category', header)
  return indexes
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

function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}
