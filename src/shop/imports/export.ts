/**
 * Writes a snapshot of all animals of a store with their profiles, but without photos, a page at a time. An import reads
 * it back: in a new store the categories have the same names, or the same ids if they have no name.
 */

import type { Database } from 'bun:sqlite'
import { stringify } from 'csv-stringify/sync'
import { asc, eq, gt, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import type { FileSource } from '../../api/sent-file.ts'
import { faultOf, StorageUnavailable } from '../../database/faults/fault.ts'
import { type OpenDatabase, openReader, type Tables } from '../../database/open.ts'
import type { Clock } from '../../lib/clock.ts'
import { decimalText } from '../../lib/currency.ts'
import { AppError } from '../../lib/error.ts'
import type { Turns } from '../../lib/steps/turns.ts'
import { categories } from '../categories/table.ts'
import { pets } from '../pets/table.ts'
import { profileMembers } from '../profiles/rules.ts'
import { petProfiles } from '../profiles/table.ts'
import { createStoreSettings } from '../settings/store.ts'
import { guarded } from './file/cells.ts'

export const exportFormats = ['csv', 'ndjson'] as const
export type ExportFormat = (typeof exportFormats)[number]

export interface ExportOptions {
  readonly format: ExportFormat
  /** Whether it begins with a byte order mark, by which spreadsheets recognise UTF-8. */
  readonly bom: boolean
}

export interface ExportStore {
  readonly connection: Database
  readonly tables: Tables
}

type ExportedPet = ReturnType<ReturnType<typeof createReader>>[number]

/** The parts of a file: its beginning, and the text of a page of animals. */
interface Format {
  readonly head: string
  page(animals: readonly ExportedPet[]): string
}

const columns = ['id', 'name', 'categoryId', 'category', 'status', ...profileMembers] as const
const lineEnd = '\r\n'

const formats: Readonly<Record<ExportFormat, Format>> = {
  csv: { head: columns.join(',') + lineEnd, page: csvRows },
  ndjson: { head: '', page: (animals) => animals.map((animal) => `${JSON.stringify(animal)}\n`).join('') },
}

const cast = {
  string: guarded,
  boolean: String,
  object: (list: object) => (Array.isArray(list) && list.length === 0 ? '' : guarded(JSON.stringify(list))),
}

/** RFC 4180, with guarded formulas. */
function csvRows(animals: readonly ExportedPet[]): string {
  // By itself it quotes a cell for the delimiter and the line end of this file alone. Spreadsheets split at others, too.
  return stringify([...animals], { columns: [...columns], cast, record_delimiter: lineEnd, quoted_match: /[\r\n;\t]/ })
}

const pageSize = 500

/**
 * The text of the file in parts of at most five hundred animals. Until the generator has ended or is closed, the
 * connection is in a read transaction, which sees one commit and in WAL mode blocks no other process.
 */
export function* exportPets({ connection, tables }: ExportStore, { format, bom }: ExportOptions): Generator<string> {
  const { head, page } = formats[format]
  connection.run('BEGIN')
  try {
    const read = createReader(tables)
    yield (bom ? '\uFEFF' : '') + head
    for (let after = 0; ; ) {
      const animals = read(after)
      const last = animals.at(-1)
      if (!last) break
      yield page(animals)
      after = last.id
    }
  } finally {
    if (connection.inTransaction) connection.run('ROLLBACK')
  }
}

/** Returns the function that reads animals with ids beyond `after`, by id, with the names of their categories. */
function createReader(tables: Tables) {
  const { breed, color, sex, birthDate, microchip, price, description, published, attributes } = petProfiles
  const page = tables
    .select({
      id: pets.id,
      name: pets.name,
      categoryId: pets.categoryId,
      category: categories.name,
      status: pets.status,
      number: petProfiles.number,
      breed,
      color,
      sex,
      birthDate,
      microchip,
      price,
      description,
      published,
      attributes,
    })
    .from(pets)
    .leftJoin(categories, eq(categories.id, pets.categoryId))
    .leftJoin(petProfiles, eq(petProfiles.petId, pets.id))
    .where(gt(pets.id, sql.placeholder('after')))
    .orderBy(asc(pets.id))
    .limit(pageSize)
    .prepare()
  const currency = createStoreSettings(tables).currency()
  return (after: number) =>
    page.all({ after }).map((animal) => ({
      ...animal,
      price: animal.price === null || currency === null ? null : decimalText(animal.price, currency),
      published: animal.published ?? true,
      attributes: animal.attributes ?? [],
    }))
}

/** The most exports at a time. */
export const maximumExports = 4

/** The longest time that a client may take to read an export, in milliseconds. */
export const longestExportMs = 1_800_000

export interface ExportParts {
  readonly databasePath: string
  readonly database: Pick<OpenDatabase, 'connection' | 'mode'>
  readonly turns: Turns
  readonly clock: Pick<Clock, 'monotonic'>
}

/**
 * The exports that are sent to clients. Each reads a snapshot on its own connection, so that the server can write
 * meanwhile. A snapshot keeps the write-ahead log from being emptied, so their number and duration are limited.
 */
export function createExports({ databasePath, database, turns, clock }: ExportParts) {
  const running = new Set<FileSource<string>>()
  /**
   * Connections of exports that have ended, for the next ones: a closed one keeps its file descriptors until the
   * garbage collector has found its statements.
   */
  const idle: Database[] = []

  function readerOf(): Database {
    const kept = idle.pop()
    if (kept) return kept
    try {
      return openReader(database, databasePath)
    } catch (error) {
      const fault = faultOf(error)
      if (fault === undefined) throw error
      // Without space for its index, the log is readable for one connection alone.
      throw new StorageUnavailable(database.mode === 'exclusive' ? 'full' : fault, 'not_read', error)
    }
  }

  return {
    /** Throws `storage_unavailable` if too many exports are running or the database can't be read. */
    assertFree(): void {
      if (running.size < maximumExports) return
      const message = 'Too many exports are running at the same time: try again when one has finished.'
      throw new AppError('storage_unavailable', message, { retryAfterSeconds: 5 })
    },
    /** Begins an export, whose text is produced in steps of a few milliseconds. */
    open(options: ExportOptions): FileSource<string> {
      const reader = readerOf()
      const parts = exportPets({ connection: reader, tables: drizzle(reader) }, options)
      const startedMs = clock.monotonic()
      const source: FileSource<string> = {
        async next() {
          if (!running.has(source)) throw new Error('The export was ended.')
          if (clock.monotonic() - startedMs > longestExportMs) throw new Error('The client reads an export too slowly.')
          const { value, done } = await turns(() => (running.has(source) ? parts.next() : { value: '', done: true }))
          return done ? undefined : value
        },
        close() {
          if (!running.delete(source)) return
          parts.return(undefined)
          if (databasePath === ':memory:') reader.close()
          else idle.push(reader)
        },
      }
      running.add(source)
      return source
    },
    /** Ends all exports; their clients receive incomplete files. */
    stop(): void {
      for (const source of running) source.close()
      for (const reader of idle.splice(0)) reader.close()
    },
  }
}
export type Exports = ReturnType<typeof createExports>
