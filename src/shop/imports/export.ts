/**
 * Writes a snapshot of all animals of a store, a page at a time. `imports/import.ts` reads it back: in a new store the
 * categories have the same names, or the same ids if they have no name.
 */

import type { Database } from 'bun:sqlite'
import { stringify } from 'csv-stringify/sync'
import { asc, eq, gt, sql } from 'drizzle-orm'
import type { Tables } from '../../database/open.ts'
import { categories } from '../categories/table.ts'
import type { Pet } from '../pets/schemas.ts'
import { pets } from '../pets/table.ts'
import { guarded } from './file/cells.ts'

export const exportFormats = ['csv', 'ndjson'] as const
/** `json` is one array of the API's animals. */
export type ExportFormat = (typeof exportFormats)[number] | 'json'

export interface ExportStore {
  readonly connection: Database
  readonly tables: Tables
}

type ExportedPet = ReturnType<ReturnType<typeof preparePage>['all']>[number]

/** The parts of a file: its beginning, the text of a page of animals, the separator of two pages, and its end. */
interface Format {
  readonly head: string
  page(animals: readonly ExportedPet[]): string
  readonly separator: string
  readonly tail: string
}

const columns = ['id', 'name', 'categoryId', 'category', 'status'] as const
const lineEnd = '\r\n'

const toPet = ({ id, name, categoryId, status }: ExportedPet): Pet => ({ id, name, categoryId, status })

const formats: Readonly<Record<ExportFormat, Format>> = {
  csv: {
    head: columns.join(',') + lineEnd,
    page: csvRows,
    separator: '',
    tail: '',
  },
  ndjson: {
    head: '',
    page: (animals) => animals.map((animal) => `${JSON.stringify(animal)}\n`).join(''),
    separator: '',
    tail: '',
  },
  json: {
    head: '[',
    page: (animals) => animals.map((animal) => JSON.stringify(toPet(animal))).join(','),
    separator: ',',
    tail: ']\n',
  },
}

/** RFC 4180, with guarded formulas. */
function csvRows(animals: readonly ExportedPet[]): string {
  return stringify([...animals], { columns: [...columns], cast: { string: guarded }, record_delimiter: lineEnd })
}

const pageSize = 500

/**
 * The text of the file in parts of at most five hundred animals. Until the generator has ended or is closed, the connection is
 * in a read transaction, which sees one commit and in WAL mode blocks no other process.
 */
export function* exportPets({ connection, tables }: ExportStore, format: ExportFormat): Generator<string> {
  const { head, page, separator, tail } = formats[format]
  const read = preparePage(tables)
  connection.run('BEGIN')
  try {
    yield head
    for (let after = 0, isFirst = true; ; isFirst = false) {
      const animals = read.all({ after })
      const last = animals.at(-1)
      if (!last) break
      yield (isFirst ? '' : separator) + page(animals)
      after = last.id
    }
    yield tail
  } finally {
    if (connection.inTransaction) connection.run('ROLLBACK')
  }
}

/** Animals with ids beyond `after`, by id, with their category's name if it has one. */
function preparePage(tables: Tables) {
  return tables
    .select({
      id: pets.id,
      name: pets.name,
      categoryId: pets.categoryId,
      category: categories.name,
      status: pets.status,
    })
    .from(pets)
    .leftJoin(categories, eq(categories.id, pets.categoryId))
    .where(gt(pets.id, sql.placeholder('after')))
    .orderBy(asc(pets.id))
    .limit(pageSize)
    .prepare()
}
