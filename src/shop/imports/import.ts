/**
 * Adds the animals of a file in one transaction, all of them or none. Everything is read and checked before the write lock
 * is taken, so that a running server waits only for the final insert.
 */

import type { Database } from 'bun:sqlite'
import { faultOf, faultTexts } from '../../database/faults/fault.ts'
import { AppError, messageOf } from '../../lib/error.ts'
import type { CategoryStore } from '../categories/store.ts'
import type { PetStore } from '../pets/store.ts'
import { createPlacement } from './categories.ts'
import type { Columns } from './file/columns.ts'
import { type ImportFormat, readRows } from './file/read.ts'
import { isFault, isInvalid, isUnknownStatus, readRow, type SourceRow } from './file/rows.ts'
import type { Statuses } from './file/statuses.ts'
import { createStage, type Stage } from './stage.ts'
import type { ImportRow, ImportsStore } from './store.ts'

export interface ImportRequest {
  readonly chunks: AsyncIterable<Uint8Array>
  /** The name of the file, if it has one. */
  readonly fileName: string | undefined
  readonly columns: Columns
  /** The file's words for a status. */
  readonly statuses?: Statuses
  /** If undefined, it is detected from the file's first character. */
  readonly format: ImportFormat | undefined
  /** Whether the valid rows are imported if others are invalid. */
  readonly skipsInvalid: boolean
  /** Unix milliseconds. */
  readonly nowMs: number
  /** Called for each invalid row, in order, and for a fault of the whole file, which is also the thrown error. */
  readonly onInvalidRow: (line: number, faults: readonly string[], isFatal: boolean) => void
  /** Called once with the names of the columns that are not used. */
  readonly onUnusedColumns?: (names: readonly string[]) => void
  /** Called repeatedly with the number of rows that were read. */
  readonly onProgress: (rows: number) => void
  /** Awaited after each batch of rows, which takes a few milliseconds. */
  readonly pause?: () => Promise<void>
  /** Called in the transaction of the import, for its entry in the audit log. */
  readonly onCommit?: (result: ImportResult, nowMs: number) => void
}

/** The parts of a store that an import uses; `write` runs its argument in one durable transaction. */
export interface ImportStore {
  readonly connection: Database
  readonly categories: CategoryStore
  readonly imports: ImportsStore
  readonly pets: PetStore
  write<T>(work: () => T): T
}

export interface ImportResult {
  readonly id: number
  readonly imported: number
  readonly skipped: number
  /** The latest import of the same bytes that was not undone. */
  readonly previous: ImportRow | undefined
}

/**
 * Adds the valid rows. Throws `invalid_body` if a row is invalid and invalid rows are not skipped, or if the file can't be read to its
 * end; `invalid_parameter` if a column that was given by name is missing; and `storage_unavailable` if the store can't be
 * written. Nothing is added then.
 */
export async function importPets(store: ImportStore, request: ImportRequest): Promise<ImportResult> {
  const stage = createStage(store.connection, { isTemporary: true })
  const hash = new Bun.CryptoHasher('sha256')
  try {
    const gathered = await gatherRows(stage, { ...request, chunks: hashed(request.chunks, hash) })
    const { rows, invalid } = gathered
    if (invalid > 0 && !request.skipsInvalid) throw invalidRows(gathered)
    const content = { sha256: hash.digest(), imported: rows - invalid, skipped: invalid }
    return write(store, () => commit(store, stage, { ...content, ...request }))
  } finally {
    stage.close()
  }
}

/** The error for a file with invalid rows that are not skipped. */
export function invalidRows({ rows, invalid, hasUnknownStatus }: GatheredRows): AppError {
  const part = `${invalid.toLocaleString('en')} of ${rows.toLocaleString('en')} rows`
  const advice = hasUnknownStatus ? 'Correct them, map the words for a status with --statuses,' : 'Correct them,'
  return rejection(`${part} are invalid. ${advice} or skip them with --skip-invalid`)
}

export async function* hashed(chunks: AsyncIterable<Uint8Array>, hash: Bun.CryptoHasher): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    hash.update(chunk)
    yield chunk
  }
}

export type RowsRequest = Omit<ImportRequest, 'fileName' | 'nowMs' | 'onCommit'>

export interface GatheredRows {
  readonly rows: number
  readonly invalid: number
  /** Whether a row is invalid because its status is neither known nor mapped. */
  readonly hasUnknownStatus: boolean
}

/**
 * Reads everything, stages the valid rows, and returns the number of rows and of invalid ones among them. Throws
 * `invalid_body` if the file can't be read to its end, and `invalid_parameter` if a column that was given by name is missing.
 */
export async function gatherRows(
  stage: Pick<Stage, 'add' | 'connection'>,
  request: RowsRequest,
): Promise<GatheredRows> {
  const { connection } = stage
  const { columns, format, statuses, onUnusedColumns } = request
  let rows = 0
  let invalid = 0
  let hasUnknownStatus = false

  function addRow(row: SourceRow): void {
    rows++
    const pet = isFault(row) ? { faults: [row.fault] } : readRow(row.fields, statuses)
    if (isInvalid(pet)) {
      invalid++
      hasUnknownStatus ||= pet.faults.some(isUnknownStatus)
      request.onInvalidRow(row.line, pet.faults, row.isFatal === true)
      if (row.isFatal) throw rejection(`line ${row.line}: ${pet.faults.join('; ')}`)
    } else if (invalid === 0 || request.skipsInvalid) stage.add(pet)
  }

  for await (const batch of readRows(request.chunks, columns, format, onUnusedColumns)) {
    // A transaction that uses only temporary tables takes no lock on the store.
    connection.transaction(() => batch.forEach(addRow))()
    request.onProgress(rows)
    await request.pause?.()
  }
  return { rows, invalid, hasUnknownStatus }
}

function rejection(reason: string): AppError {
  return new AppError('invalid_body', `Nothing was imported: ${reason}.`)
}

function write<T>(store: ImportStore, work: () => T): T {
  try {
    return store.write(work)
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    const fault = faultOf(cause)
    const reason = fault === undefined ? `${messageOf(cause)}.` : faultTexts[fault].message
    throw new AppError('storage_unavailable', `Nothing was imported: ${reason}`, { cause })
  }
}

type Content = Pick<ImportRow, 'sha256' | 'imported' | 'skipped'> &
  Pick<ImportRequest, 'fileName' | 'nowMs' | 'onCommit'>

function commit({ imports, pets, categories }: ImportStore, stage: Stage, content: Content): ImportResult {
  const { sha256, imported, skipped, fileName = null, nowMs, onCommit } = content
  const previous = imports.findByContent(sha256)
  const id = imports.add({ sha256, imported, skipped, fileName, createdAt: nowMs, completedAt: nowMs })
  createPlacement({ stage: stage.connection, categories, pets, imports, importId: id })(() => false)
  const added = stage.moveAll()
  imports.setPets(id, added)
  if (added.firstPetId !== null && added.lastPetId !== null) pets.wereAdded(added.firstPetId, added.lastPetId)
  const result = { id, imported, skipped, previous }
  onCommit?.(result, nowMs)
  return result
}
