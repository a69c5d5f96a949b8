/** Imports files into a database of its own for each test. */

import { afterEach, beforeEach } from 'bun:test'
import { join } from 'node:path'
import { asc } from 'drizzle-orm'
import { type OpenDatabase, openDatabase } from '../../../database/open.ts'
import { emptyFolder } from '../../../testing/executable.ts'
import { createCategoryStore } from '../../categories/store.ts'
import { categories } from '../../categories/table.ts'
import { createPetStore } from '../../pets/store.ts'
import { petColumns, pets } from '../../pets/table.ts'
import { parseColumns } from '../file/columns.ts'
import { createFindings } from '../file/findings.ts'
import { parseStatuses } from '../file/statuses.ts'
import { importPets } from '../import.ts'
import { createImportStore } from '../store.ts'

interface Options {
  readonly skipsInvalid?: boolean
  /** Called when the last byte was read, before anything is committed. */
  readonly atEnd?: () => void
}

/** To be called once in a test file. */
export function importsPerTest() {
  let folder: ReturnType<typeof emptyFolder>
  let database: OpenDatabase

  beforeEach(() => {
    folder = emptyFolder()
    database = open()
  })
  afterEach(() => {
    database.close()
    folder.remove()
  })

  /** A connection like that of another process, which does not wait for locks. */
  const open = () => openDatabase(join(folder.path, 'store.db'), 0)

  function elsewhere<T>(use: (other: OpenDatabase) => T): T {
    const other = open()
    try {
      return use(other)
    } finally {
      other.close()
    }
  }

  /** Imports a file; returns the error instead if it fails, and the faults of its invalid rows. */
  async function load(text: string | Uint8Array, { skipsInvalid = false, atEnd }: Options = {}) {
    const findings = createFindings()
    const badRows = () => findings.errors.map(({ line, message }) => `${line}: ${message}`)
    async function* chunks() {
      yield Buffer.from(text)
      atEnd?.()
    }
    const { connection, tables } = database
    const store = {
      categories: createCategoryStore(tables),
      imports: createImportStore(tables),
      pets: createPetStore(tables, connection),
      write: <T>(work: () => T): T => connection.transaction(work).immediate(),
    }
    const order = {
      chunks: chunks(),
      fileName: 'pets.csv',
      nowMs: Date.UTC(2026, 10, 20),
      columns: parseColumns([]),
      format: undefined,
      skipsInvalid,
      statuses: parseStatuses([]),
      findings,
      onBatch: () => {},
    }
    try {
      const { imported } = await importPets(store, order)
      return { imported, badRows: badRows() }
    } catch (error) {
      return { error, badRows: badRows() }
    }
  }

  const allPets = () => database.tables.select(petColumns).from(pets).orderBy(asc(pets.id)).all()
  const newCategories = () =>
    database.tables
      .select({ id: categories.id, name: categories.name })
      .from(categories)
      .orderBy(asc(categories.id))
      .all()
      .filter(({ id }) => id > 6)

  return { open, database: () => database, elsewhere, load, allPets, newCategories }
}
