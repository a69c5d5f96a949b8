/** Converts a row of a file to an animal, by the same rules as the API. */

import * as categoryRules from '../../categories/rules.ts'
import { nameFault, type PetStatus, petStatuses, storedName } from '../../pets/rules.ts'
import type { Attribute } from '../../profiles/rules.ts'
import type { Located } from './columns.ts'
import type { ImportField } from './fields.ts'
import type { FileColumn } from './guess.ts'
import type { Reading } from './reading.ts'

/** The values of a row: strings in a CSV file, any JSON values in NDJSON. */
export interface Fields extends Readonly<Partial<Record<ImportField, unknown>>> {
  /** The day of the row, from which an age is counted. */
  readonly day?: unknown
}

/** A category by its normalised name, its id, or both. */
export type ImportedCategory =
  | { readonly name: string; readonly id: number | undefined }
  | { readonly name: undefined; readonly id: number }

/** Why a row can't be read. */
export interface Fault {
  readonly fault: string
}

/** Messages about the values of a row, each of which begins with the name of the field. */
export interface Faults {
  readonly faults: readonly string[]
}

/**
 * A row of a file. `text` returns the row as it stands there. `isFatal`: the rest of the file can't be read either;
 * `lacksColumns`: not without choosing the columns. `isLeftOut`: the owner wants to leave out rows with one of its words.
 */
export type SourceRow = {
  readonly line: number
  readonly text?: () => string
  readonly isFatal?: true
  readonly lacksColumns?: true
  readonly isLeftOut?: true
  /** The cells that become attributes, by their labels. */
  readonly attributes?: readonly Attribute[]
} & ({ readonly fields: Fields } | Fault)

/** The number of rows that a layout shows. */
export const shownRows = 5

/** What may separate the fields of a CSV file. */
export const delimiters = [',', ';', '\t'] as const
export type Delimiter = (typeof delimiters)[number]

/** What is known of a file when all of it was read. */
export interface Layout {
  readonly reading: Reading
  /** What separates the fields of a CSV file; null for NDJSON. */
  readonly delimiter: Delimiter | null
  /** The line that names the columns; null if there is none. */
  readonly headerLine: number | null
  /** The columns, whose names are blank without a header. */
  readonly columns: readonly FileColumn[]
  /** The number of rows that can be read, without totals. */
  readonly rows: number
  /** The first rows. */
  readonly samples: readonly (readonly string[])[]
  readonly located: Located
  /** The lines of totals at the end, which are left out. */
  readonly totals: readonly number[]
}

/** Gets the text of a file piece by piece, and returns its rows at the end. */
export interface RowReader {
  /** Reads a piece in batches, each of which takes a few milliseconds; yields after each of them. */
  read(text: string): Iterable<void>
  /** The rows in such batches. `onLayout` is called before the first one. */
  end(onLayout: (layout: Layout) => void): Iterable<SourceRow[]>
  /** The number of the line on which the next row begins. */
  nextLine(): number
}

/**
 * The maximum size of a row in bytes. To read a row takes the event loop up to 0.1 ms for each KiB, and can't be
 * interrupted.
 */
export const maximumRowBytes = 128 * 1024
export const tooLong = 'the row is longer than 128 KiB'

export interface ImportedPet {
  readonly name: string
  readonly category: ImportedCategory
  /** Undefined if the row has none. */
  readonly status: PetStatus | undefined
}

/** What a row says of an animal that is there. */
export type PartialPet = { readonly [K in keyof ImportedPet]: ImportedPet[K] | undefined }

/** The animal of a row, or all faults of the row. With `mayLack`, a blank name or category is none. */
export function readRow(fields: Fields): ImportedPet | Faults
export function readRow(fields: Fields, mayLack: boolean): PartialPet | Faults
export function readRow(fields: Fields, mayLack = false): PartialPet | Faults {
  const name = mayLack && isBlank(fields.name) ? undefined : readName(fields.name)
  const lacksCategory = isBlank(fields.category) && isBlank(fields.categoryId)
  const category = mayLack && lacksCategory ? undefined : readCategory(fields)
  const status = readStatus(fields.status)
  if (isFault(name) || isFault(category) || isFault(status)) {
    return { faults: [name, category, status].flatMap((part) => (isFault(part) ? [part.fault] : [])) }
  }
  return { name, category, status }
}

export function isInvalid(read: PartialPet | Faults): read is Faults {
  return 'faults' in read
}

export function isFault(part: unknown): part is Fault {
  return typeof part === 'object' && part !== null && 'fault' in part
}

function readName(given: unknown): string | Fault {
  if (isBlank(given)) return { fault: 'name is blank' }
  if (typeof given !== 'string') return { fault: 'name must be a string' }
  const fault = nameFault(given)
  return fault ? { fault: `name ${fault}` } : storedName(given)
}

/** A name identifies the category in any store. The id beside it is used only for a new category. */
function readCategory({ category, categoryId }: Fields): ImportedCategory | Fault {
  const id = isBlank(categoryId) ? undefined : readId(categoryId)
  if (isBlank(category)) {
    if (id === undefined) return { fault: 'category is blank' }
    return isFault(id) ? id : { name: undefined, id }
  }
  if (typeof category !== 'string') return { fault: 'category must be a string; an id is called categoryId' }
  const name = categoryRules.storedName(category)
  // Composition can shorten a name, so only its stored form counts.
  const fault = categoryRules.nameFault(name)
  if (fault) return { fault: `category ${fault}` }
  // An invalid id beside a name is ignored: the file may be from another program.
  return { name, id: isFault(id) ? undefined : id }
}

function readId(given: unknown): number | Fault {
  const id = typeof given === 'string' && /^\s*\d{1,16}\s*$/.test(given) ? Number(given) : given
  if (typeof id === 'number' && Number.isSafeInteger(id) && id > 0) return id
  return { fault: `categoryId must be an integer from 1 to ${Number.MAX_SAFE_INTEGER}, not ${shown(given)}` }
}

const unknownStatus = `status must be one of ${petStatuses.join(', ')}, not `

/** Whether a fault is a status that is neither known nor mapped. */
export const isUnknownStatus = (fault: string): boolean => fault.startsWith(unknownStatus)

function readStatus(given: unknown): PetStatus | undefined | Fault {
  if (isBlank(given)) return undefined
  const status = petStatuses.find((name) => name === given)
  return status ?? { fault: `${unknownStatus}${shown(given)}` }
}

/** Whether a value is missing, or has no visible character. */
export function isBlank(given: unknown): boolean {
  return given === undefined || given === null || (typeof given === 'string' && storedName(given) === '')
}

const shownLength = 40

/** A value of the file for a message, shortened to fit in a line. */
export function shown(given: unknown): string {
  // JSON.stringify fails for lists and objects that are nested too deep.
  if (typeof given === 'object') return Array.isArray(given) ? 'a list' : 'an object'
  const text = JSON.stringify(given) ?? ''
  return text.length <= shownLength ? text : `${[...text.slice(0, shownLength)].slice(0, -1).join('')}…`
}
