/** Checks the animals of a file, and adds them in one transaction, as a command does: all of them or none. */

import { faultOf, faultTexts } from '../../database/faults/fault.ts'
import { AppError, messageOf } from '../../lib/error.ts'
import { type AddStores, beginAddition } from './add.ts'
import type { Columns } from './file/columns.ts'
import type { Findings } from './file/findings.ts'
import { type ImportFormat, readRows } from './file/read.ts'
import { type ImportedPet, isFault, isInvalid, readRow, type SourceRow } from './file/rows.ts'
import type { Statuses } from './file/statuses.ts'
import { createStage } from './stage.ts'
import type { ImportRow } from './store.ts'

export interface CheckRequest {
  readonly chunks: AsyncIterable<Uint8Array>
  readonly columns: Columns
  /** The file's words for a status. */
  readonly statuses: Statuses
  /** If undefined, it is detected from the file's first character. */
  readonly format: ImportFormat | undefined
  /** Whether the first line of a CSV file names its columns; guessed if it is undefined. */
  readonly hasHeader?: boolean | undefined
  /** Whether the valid rows are imported if others are invalid. */
  readonly skipsInvalid: boolean
  /** Whether a file without the columns of an animal is no error, because they are to be chosen. */
  readonly mayLackColumns?: boolean
  /** Gets what is found in the file, also if the check fails. */
  readonly findings: Findings
  /** Called with the valid rows of each batch, unless the import fails because of rows before them. */
  readonly onAnimals: (animals: readonly ImportedPet[]) => void
  /** Awaited after each batch of rows, which takes a few milliseconds. Gets the number of rows that were read. */
  readonly onBatch: (rows: number) => Promise<void> | void
}

export interface CheckedFile {
  readonly sha256: Buffer
  /** The number of valid rows; only the first of them are given to `onAnimals` if others are invalid and not skipped. */
  readonly imported: number
  /** The number of invalid rows. */
  readonly skipped: number
}

/**
 * Reads a file to its end. Throws `invalid_body` if that is not possible, and `invalid_parameter` if a column that was chosen
 * is missing.
 */
export async function checkFile(request: CheckRequest): Promise<CheckedFile> {
  const { findings, statuses, skipsInvalid } = request
  const hash = new Bun.CryptoHasher('sha256')
  let rows = 0

  function readBatch(batch: readonly SourceRow[]): ImportedPet[] {
    const animals: ImportedPet[] = []
    for (const row of batch) {
      const pet = isFault(row) ? { faults: [row.fault] } : readRow(row.fields, statuses)
      if (isInvalid(pet)) {
        findings.note(row, pet.faults)
        if (row.isFatal && row.lacksColumns && request.mayLackColumns) return []
        if (row.isFatal) throw rejection(`line ${row.line}: ${pet.faults.join('; ')}`)
      } else if (findings.invalidRows() === 0 || skipsInvalid) animals.push(pet)
      rows++
    }
    return animals
  }

  const options = {
    ...request,
    onLayout: (layout: Findings['layout']) => {
      findings.layout = layout
    },
    onUnusedColumns: (names: readonly string[]) => {
      findings.unusedColumns = names
    },
  }
  for await (const batch of readRows(hashed(request.chunks, hash), options)) {
    const animals = readBatch(batch)
    if (animals.length > 0) request.onAnimals(animals)
    await request.onBatch(rows)
  }
  const skipped = findings.invalidRows()
  return { sha256: hash.digest(), imported: rows - skipped, skipped }
}

async function* hashed(chunks: AsyncIterable<Uint8Array>, hash: Bun.CryptoHasher): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    hash.update(chunk)
    yield chunk
  }
}

/** The error for a file with invalid rows that are not skipped. */
export function invalidRows({ imported, skipped }: CheckedFile, findings: Findings): AppError {
  const part = `${skipped.toLocaleString('en')} of ${(imported + skipped).toLocaleString('en')} rows`
  const isMappable = findings.unknownStatuses().length > 0
  const advice = isMappable ? 'Correct them, map the words for a status with --statuses,' : 'Correct them,'
  return rejection(`${part} are invalid. ${advice} or skip them with --skip-invalid`)
}

function rejection(reason: string): AppError {
  return new AppError('invalid_body', `Nothing was imported: ${reason}.`)
}

export interface ImportRequest extends Omit<CheckRequest, 'onAnimals' | 'mayLackColumns'> {
  /** The name of the file, if it has one. */
  readonly fileName: string | undefined
  /** Unix milliseconds. */
  readonly nowMs: number
  /** Called in the transaction of the import, for its entry in the audit log. */
  readonly onCommit?: (result: ImportResult, nowMs: number) => void
}

/** The parts of a store that an import uses; `write` runs its argument in one durable transaction. */
export interface ImportStore extends AddStores {
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
 * Adds the valid rows. Everything is read and checked before the write lock is taken, so that a running server waits only for
 * the transaction. Throws the errors of `checkFile`, `invalid_body` if a row is invalid and invalid rows are not
 * skipped, and `storage_unavailable` if the store can't be written. Nothing is added then.
 */
export async function importPets(store: ImportStore, request: ImportRequest): Promise<ImportResult> {
  const stage = createStage()
  try {
    const checked = await checkFile({ ...request, onAnimals: stage.add })
    const { fileName = null, nowMs, onCommit, skipsInvalid, findings } = request
    if (checked.skipped > 0 && !skipsInvalid) throw invalidRows(checked, findings)
    return write(store, () => {
      const addition = beginAddition(store, stage, { ...checked, fileName, createdAt: nowMs })
      addition.addMore(() => false)
      store.imports.setCompleted(addition.id, nowMs)
      const { id, previous } = addition
      const result = { id, imported: checked.imported, skipped: checked.skipped, previous }
      onCommit?.(result, nowMs)
      return result
    })
  } finally {
    stage.close()
  }
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
