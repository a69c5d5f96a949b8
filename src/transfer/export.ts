/**
 * Writes all animals of a store, a page at a time, as they were at one moment. What is written comes back
 * through `transfer/import.ts` as it was: in categories of the same names, or of the same ids without one.
 */

import type { Database } from 'bun:sqlite'
import { stringify } from 'csv-stringify/sync'
import { asc, eq, gt, sql } from 'drizzle-orm'
import * as categoryRules from '../categories/rules.ts'
import { categories } from '../categories/table.ts'
import type { Tables } from '../database/open.ts'
import { maximumNameLength } from '../pets/rules.ts'
import type { Pet } from '../pets/schemas.ts'
import { pets } from '../pets/table.ts'
import { guarded, sendable } from './cells.ts'

export const exportFormats = ['csv', 'ndjson'] as const
/** `json` is one array of the API's animals. */
export type ExportFormat = (typeof exportFormats)[number] | 'json'

export interface ExportStore {
  readonly connection: Database
  readonly tables: Tables
}

type ExportedPet = ReturnType<ReturnType<typeof preparePage>['all']>[number]

/** How a file begins, what pages of animals add to it, what stands between two of those, and how it ends. */
interface Writing {
  readonly head: string
  page(animals: readonly ExportedPet[]): string
  readonly separator: string
  readonly tail: string
}

const columns = ['id', 'name', 'categoryId', 'category', 'status'] as const
const lineEnd = '\r\n'

const toPet = ({ id, name, categoryId, status }: ExportedPet): Pet => ({ id, name, categoryId, status })

const writings: Readonly<Record<ExportFormat, Writing>> = {
  csv: {
    head: columns.join(',') + lineEnd,
    page: (animals) => csvRows(animals.map(incoming)),
    separator: '',
    tail: '',
  },
  ndjson: {
    head: '',
    page: (animals) => animals.map((animal) => `${JSON.stringify(incoming(animal))}\n`).join(''),
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

/** RFC 4180, with formulas defused. */
function csvRows(animals: readonly ExportedPet[]): string {
  return stringify([...animals], { columns: [...columns], cast: { string: guarded }, record_delimiter: lineEnd })
}

/** An animal as an import takes it. */
function incoming(animal: ExportedPet): ExportedPet {
  const { name, category } = animal
  return {
    ...animal,
    name: sendable(name, maximumNameLength),
    category: category && sendable(category, categoryRules.maximumNameLength),
  }
}

const pageSize = 1_000

/**
 * The text of the file in parts of at most a thousand animals. Until it is read to its end or given up, its
 * connection is in a transaction that only reads: it shows one moment, and in WAL mode keeps nobody waiting.
 */
export function* exportPets({ connection, tables }: ExportStore, format: ExportFormat): Generator<string> {
  const { head, page, separator, tail } = writings[format]
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
