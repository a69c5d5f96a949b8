/** Which column of a file, or member of its rows, holds which field of an animal. */

import { AppError } from '../../lib/error.ts'

export const importFields = ['name', 'category', 'categoryId', 'status'] as const
export type ImportField = (typeof importFields)[number]

export interface Columns {
  /** What the file calls each field that is to be read. */
  readonly names: ReadonlyMap<ImportField, string>
  /** The fields whose names were given; the others go by their own, where the file has them. */
  readonly chosen: ReadonlySet<ImportField>
}

/**
 * Reads mappings such as `name=Name,category=Type`; `status=` leaves that field out. Throws
 * `invalid_parameter` naming the one that makes no sense.
 */
export function parseColumns(mappings: readonly string[]): Columns {
  const chosen = new Map<ImportField, string>()
  // A comma belongs to the column's name unless another mapping follows it.
  for (const mapping of mappings.flatMap((given) => given.split(/,(?=\s*\w+\s*=)/))) {
    const [, target = '', column = ''] = /^([^=]*)=(.*)$/s.exec(mapping) ?? []
    const field = importFields.find((name) => isSame(name, target.trim()))
    if (!field) {
      throw refusal(`"${mapping.trim()}" must begin with one of ${importFields.map((name) => `${name}=`).join(', ')}.`)
    }
    if (chosen.has(field)) throw refusal(`${field} has more than one column.`)
    if (field === 'name' && !column.trim()) throw refusal('name needs a column.')
    chosen.set(field, column.trim())
  }
  return { names: new Map(importFields.flatMap((field) => nameOf(field, chosen))), chosen: new Set(chosen.keys()) }
}

function refusal(message: string): AppError {
  return new AppError('invalid_parameter', `--columns: ${message} It looks like name=Name,category=Type.`)
}

function nameOf(field: ImportField, chosen: ReadonlyMap<ImportField, string>): [ImportField, string][] {
  const other = field === 'category' ? 'categoryId' : field === 'categoryId' ? 'category' : undefined
  // Who says which column is the category means that one, not a foreign file's "categoryId" beside it.
  const implied = other && chosen.get(other) ? '' : field
  const name = chosen.get(field) ?? implied
  return name ? [[field, name]] : []
}

/** Where in a header each field's column is. */
export type ColumnIndexes = readonly (readonly [ImportField, number])[]

/**
 * Finds the columns in a header. Gives words for what it lacks, and throws `invalid_parameter` if that is
 * a column which was asked for by name.
 */
export function locateColumns({ names, chosen }: Columns, header: readonly string[]): ColumnIndexes | string {
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

/** The refusal of a mapping to a column that isn't there. */
export function missingColumn(name: string, header: readonly string[]): AppError {
  return new AppError('invalid_parameter', `--columns: the file has no "${name}", only ${listed(header)}.`)
}

function lacks(field: ImportField, header: readonly string[]): string {
  return `there is no column "${field}", only ${listed(header)}: say which one it is with --columns ${field}=…`
}

const listedLength = 300

function listed(header: readonly string[]): string {
  const text = header.join(', ')
  return text.length <= listedLength ? text : `${text.slice(0, listedLength)}…`
}

/** The exact name's places or, without one, those of names that differ in case alone. */
function candidates(header: readonly string[], name: string): number[] {
  const places = (matches: (other: string) => boolean) => header.flatMap((other, i) => (matches(other) ? [i] : []))
  const exact = places((other) => other === name)
  return exact.length > 0 ? exact : places((other) => isSame(other, name))
}

/** The member of an object that goes by `name`, whatever its case. */
export function findMember(members: Readonly<Record<string, unknown>>, name: string): unknown {
  if (Object.hasOwn(members, name)) return members[name]
  const found = Object.keys(members).find((other) => isSame(other, name))
  return found === undefined ? undefined : members[found]
}

function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}
