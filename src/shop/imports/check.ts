/** Reads a file to its end and checks its rows. */

import { AppError } from '../../lib/error.ts'
import { foldedNumber } from '../profiles/rules.ts'
import { describeCandidates, type FoundEncoding } from './file/encoding.ts'
import type { Findings } from './file/findings.ts'
import { type ReadOptions, readRows } from './file/read.ts'
import { isFault, isInvalid, type PartialPet, readRow, type SourceRow } from './file/rows.ts'
import type { ImportedProfile, ProfileReader } from './values/profile.ts'

/** A valid row. Only one that changes an animal may lack a name or a category. */
export interface ImportedRow extends Partial<PartialPet> {
  /** The number of its line, from 1. */
  readonly line: number
  readonly profile: ImportedProfile
}

/**
 * Opens a sheet of a spreadsheet as the text of a CSV file with a byte order mark: the one of a name, or the first one.
 * Throws `InvalidFile` if the spreadsheet can't be read, and `invalid_parameter` if it has no such sheet.
 */
export interface SpreadsheetReader {
  open(
    chunks: AsyncIterable<Uint8Array>,
    sheet: string | undefined,
    onSheet: (sheet: NonNullable<Findings['sheet']>) => void,
  ): AsyncIterable<Uint8Array>
}

export interface CheckRequest extends ReadOptions {
  readonly chunks: AsyncIterable<Uint8Array>
  /** If it is undefined, a spreadsheet is invalid. */
  readonly spreadsheets?: SpreadsheetReader | undefined
  readonly profileReader: ProfileReader
  /** Whether the valid rows are imported if others are invalid. */
  readonly skipsInvalid: boolean
  /** Whether a file without the columns of an animal is no error, because they are to be chosen. */
  readonly mayLackColumns?: boolean
  /** Gets what is found in the file, also if the check fails. */
  readonly findings: Findings
  /** Called with the valid rows of each batch, unless the import fails because of rows before them. */
  readonly onRows: (rows: readonly ImportedRow[]) => void
  /** Awaited after each batch of rows, which takes a few milliseconds. */
  readonly onBatch: () => Promise<void> | void
}

/** The error for a file that its rows keep from being imported: `invalid_body`. */
export class InvalidFile extends AppError {
  constructor(reason: string) {
    super('invalid_body', `Nothing was imported: ${reason}.`)
  }
}

/** The error for a file with invalid rows that are not skipped. */
export class InvalidRows extends InvalidFile {
  constructor(findings: Findings) {
    const part = `${findings.invalidRows().toLocaleString('en')} of ${findings.rows.toLocaleString('en')} rows`
    const isMappable = findings.unknownStatuses().length > 0
    const advice = isMappable ? 'Correct them, map or leave out the words for a status with statuses,' : 'Correct them,'
    super(`${part} are invalid. ${advice} or skip them with skipInvalid=true`)
  }
}

/**
 * Returns the SHA-256 of the file. Throws `InvalidFile` if reading can't go on, `invalid_parameter` if a column that was
 * chosen is missing, and `payload_too_large` for too many rows.
 */
export async function checkFile(request: CheckRequest): Promise<Buffer> {
  const { findings, profileReader, skipsInvalid, changesAnimals = false } = request
  const hash = new Bun.CryptoHasher('sha256')
  /** The line of each number, folded. */
  const numbers = new Map<string, number>()

  /** The row, or its faults. */
  function read({ line, fields, attributes = [] }: Extract<SourceRow, { fields: unknown }>) {
    const profile = profileReader.read(fields, attributes, (message) => findings.noteUnread(message, line))
    const pet = readRow(fields, changesAnimals && profile.number !== undefined)
    if (profile.number === undefined || isInvalid(pet)) return isInvalid(pet) ? pet : { line, ...pet, profile }
    const folded = foldedNumber(profile.number)
    const other = numbers.get(folded)
    if (other !== undefined) return { faults: [`number is that of line ${other}`] }
    numbers.set(folded, line)
    return { line, ...pet, profile }
  }

  function readBatch(batch: readonly SourceRow[]): ImportedRow[] {
    const rows: ImportedRow[] = []
    for (const source of batch) {
      if (source.isLeftOut) {
        findings.leftOut++
        continue
      }
      const row = isFault(source) ? { faults: [source.fault] } : read(source)
      if ('faults' in row) {
        findings.note(source, row.faults)
        if (source.isFatal && source.lacksColumns && request.mayLackColumns) return []
        if (source.isFatal) throw new InvalidFile(`line ${source.line}: ${row.faults.join('; ')}`)
      } else if (findings.invalidRows() === 0 || skipsInvalid) rows.push(row)
      findings.rows++
    }
    return rows
  }

  const { spreadsheets, sheet } = request
  const options = {
    ...request,
    openSpreadsheet:
      spreadsheets &&
      ((chunks: AsyncIterable<Uint8Array>) =>
        spreadsheets.open(chunks, sheet, (found) => {
          findings.sheet = found
        })),
    onEncoding: (encoding: FoundEncoding) => {
      findings.encoding = encoding
    },
    onLayout: (layout: Findings['layout']) => {
      if (sheet !== undefined && !findings.sheet) throw noSheets()
      findings.layout = layout
    },
  }
  for await (const batch of readRows(hashed(request.chunks, hash), options)) {
    const rows = readBatch(batch)
    if (rows.length > 0) request.onRows(rows)
    await request.onBatch()
  }
  const unsure = request.mayLackColumns ? undefined : unsureEncoding(findings)
  if (unsure) throw unsure
  // The compiled code of `read` keeps the map itself.
  numbers.clear()
  return hash.digest()
}

const noSheets = () => new AppError('invalid_parameter', 'sheet: the file is no spreadsheet, and has no sheets.')

async function* hashed(chunks: AsyncIterable<Uint8Array>, hash: Bun.CryptoHasher): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    hash.update(chunk)
    yield chunk
  }
}

/** The error for a file whose encoding has to be chosen; undefined for another. */
function unsureEncoding({ encoding }: Findings): InvalidFile | undefined {
  if (!encoding || encoding.candidates.length === 0) return undefined
  const readings = describeCandidates(encoding.candidates)
  return new InvalidFile(`the text of the file can be ${readings}. Choose with encoding=${encoding.name}`)
}
