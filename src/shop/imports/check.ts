/** Reads a file to its end and checks its animals. */

import { AppError } from '../../lib/error.ts'
import { describeCandidates, type FoundEncoding } from './file/encoding.ts'
import type { Findings } from './file/findings.ts'
import { type ReadOptions, readRows } from './file/read.ts'
import { type ImportedPet, isFault, isInvalid, readRow, type SourceRow } from './file/rows.ts'

/** Opens a sheet of a spreadsheet as the text of a CSV file with a byte order mark. */
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
  /**
   * The number of valid rows; only the first of them are given to `onAnimals` if others are invalid and not skipped.
   */
  readonly imported: number
  /** The number of invalid rows. */
  readonly skipped: number
}

/** The error for a file that its rows keep from being imported: `invalid_body`. */
export class InvalidFile extends AppError {
  constructor(reason: string) {
    super('invalid_body', `Nothing was imported: ${reason}.`)
  }
}

/**
 * Throws `InvalidFile` if reading can't go on, `invalid_parameter` if a column that was chosen is missing, and
 * `payload_too_large` for too many rows.
 */
export async function checkFile(request: CheckRequest): Promise<CheckedFile> {
  const { findings, skipsInvalid } = request
  const hash = new Bun.CryptoHasher('sha256')
  let rows = 0

  function readBatch(batch: readonly SourceRow[]): ImportedPet[] {
    const animals: ImportedPet[] = []
    for (const row of batch) {
      if (row.isLeftOut) {
        findings.leftOut++
        continue
      }
      const pet = isFault(row) ? { faults: [row.fault] } : readRow(row.fields)
      if (isInvalid(pet)) {
        findings.note(row, pet.faults)
        if (row.isFatal && row.lacksColumns && request.mayLackColumns) return []
        if (row.isFatal) throw new InvalidFile(`line ${row.line}: ${pet.faults.join('; ')}`)
      } else if (findings.invalidRows() === 0 || skipsInvalid) animals.push(pet)
      rows++
    }
    return animals
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
    const animals = readBatch(batch)
    if (animals.length > 0) request.onAnimals(animals)
    await request.onBatch(rows)
  }
  const unsure = request.mayLackColumns ? undefined : unsureEncoding(findings)
  if (unsure) throw unsure
  // Adding many animals needs as much memory again as reading them has left behind.
  if (rows > manyRows) Bun.gc(true)
  const skipped = findings.invalidRows()
  return { sha256: hash.digest(), imported: rows - skipped, skipped }
}

const noSheets = () => new AppError('invalid_parameter', 'sheet: the file is no spreadsheet, and has no sheets.')

async function* hashed(chunks: AsyncIterable<Uint8Array>, hash: Bun.CryptoHasher): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    hash.update(chunk)
    yield chunk
  }
}

/** From this number on, a collection of garbage takes less time than adding the animals. */
const manyRows = 10_000

/** The error for a file with invalid rows that are not skipped. */
export function invalidRows({ imported, skipped }: CheckedFile, findings: Findings): InvalidFile {
  const part = `${skipped.toLocaleString('en')} of ${(imported + skipped).toLocaleString('en')} rows`
  const isMappable = findings.unknownStatuses().length > 0
  const advice = isMappable ? 'Correct them, map or leave out the words for a status with statuses,' : 'Correct them,'
  return new InvalidFile(`${part} are invalid. ${advice} or skip them with skipInvalid=true`)
}

/** The error for a file whose encoding has to be chosen; undefined for another. */
function unsureEncoding({ encoding }: Findings): InvalidFile | undefined {
  if (!encoding || encoding.candidates.length === 0) return undefined
  const readings = describeCandidates(encoding.candidates)
  return new InvalidFile(`the text of the file can be ${readings}. Choose with encoding=${encoding.name}`)
}
