/**
 * Adds the animals of a file, all of them in one transaction or none. Everything is read and judged before
 * the store's write lock is taken, so that a running server waits for the final insert alone.
 */

import type { Database } from 'bun:sqlite'
import type { CategoryStore } from '../categories/store.ts'
import { faultOf, faultTexts } from '../database/faults/fault.ts'
import { AppError, messageOf } from '../lib/error.ts'
import type { Columns } from './import-columns.ts'
import { type ImportFormat, readRows } from './import-read.ts'
import { isFault, readRow, type SourceRow } from './import-rows.ts'
import { createStage, type Stage } from './import-stage.ts'

export interface ImportOrder {
  readonly chunks: AsyncIterable<Uint8Array>
  readonly columns: Columns
  /** What the file's first character says, if undefined. */
  readonly format: ImportFormat | undefined
  /** Whether good rows come in although others are bad. */
  readonly skipsInvalid: boolean
  /** Hears of each bad row, in order, and of a fatal fault, which the refusal then names, too. */
  readonly onBadRow: (line: number, fault: string, isFatal: boolean) => void
  /** Hears now and then how many rows were read. */
  readonly onProgress: (rows: number) => void
}

/** What an import needs of a store; `write` runs its argument in one durable transaction. */
export interface ImportStore {
  readonly connection: Database
  readonly categories: CategoryStore
  write(work: () => void): void
}

/**
 * Adds what is good and gives its number. Throws `invalid_body` if a row is bad and bad rows aren't
 * skipped, or if the file can't be read to its end; `invalid_parameter` if it lacks a column that was asked
 * for by name; and `storage_unavailable` if the store can't take the animals. Nothing was added then.
 */
export async function importPets(store: ImportStore, order: ImportOrder) {
  const stage = createStage(store.connection, store.categories)
  try {
    const { rows, bad } = await gather(store.connection, stage, order)
    if (bad > 0 && !order.skipsInvalid) {
      const part = `${bad.toLocaleString('en')} of ${rows.toLocaleString('en')} rows`
      throw refusal(`${part} are bad. Correct them, or leave them out with --skip-invalid`)
    }
    commit(store, stage)
    return { imported: rows - bad }
  } finally {
    stage.close()
  }
}

/** Reads everything, puts good rows on the stage and gives the number of rows and of bad ones among them. */
async function gather(connection: Database, stage: Stage, order: ImportOrder) {
  let rows = 0
  let bad = 0

  function take(row: SourceRow): void {
    rows++
    const pet = isFault(row) ? row : readRow(row.fields)
    if (isFault(pet)) {
      bad++
      order.onBadRow(row.line, pet.fault, row.isFatal === true)
      if (row.isFatal) throw refusal(`line ${row.line}: ${pet.fault}`)
    } else if (bad === 0 || order.skipsInvalid) stage.add(pet)
  }

  for await (const batch of readRows(order.chunks, order.columns, order.format)) {
    // A transaction over temporary tables alone takes no lock on the store.
    connection.transaction(() => batch.forEach(take))()
    order.onProgress(rows)
  }
  return { rows, bad }
}

function refusal(reason: string): AppError {
  return new AppError('invalid_body', `Nothing was imported: ${reason}.`)
}

function commit(store: ImportStore, stage: Stage): void {
  try {
    store.write(() => stage.commit())
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    const fault = faultOf(cause)
    const reason = fault === undefined ? `${messageOf(cause)}.` : faultTexts[fault].what
    throw new AppError('storage_unavailable', `Nothing was imported: ${reason}`, { cause })
  }
}
