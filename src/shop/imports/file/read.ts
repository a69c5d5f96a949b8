/** Reads the rows of a file in any supported encoding and format. */

import { AppError } from '../../../lib/error.ts'
import type { Columns } from './columns.ts'
import { createCsvReader } from './csv.ts'
import { createNdjsonReader } from './ndjson.ts'
import type { Layout, RowReader, SourceRow } from './rows.ts'
import { readText } from './text.ts'

export const importFormats = ['csv', 'ndjson'] as const
export type ImportFormat = (typeof importFormats)[number]

export interface ReadOptions {
  readonly columns: Columns
  /** If undefined, it is detected from the first character. */
  readonly format?: ImportFormat | undefined
  /** Whether the first line of a CSV file names its columns; guessed if it is undefined. */
  readonly hasHeader?: boolean | undefined
  /** Called before the first row. */
  readonly onLayout?: ((layout: Layout) => void) | undefined
  /** Called at the end with the names of the columns that were not used. */
  readonly onUnusedColumns?: ((names: readonly string[]) => void) | undefined
}

/**
 * The rows of a file in batches, each of which is read in a few milliseconds; nothing follows a fatal fault, such as
 * that of a spreadsheet. Throws `invalid_parameter` if a column that was chosen is missing, and for a JSON array, which
 * is no NDJSON.
 */
export async function* readRows(
  chunks: AsyncIterable<Uint8Array>,
  options: ReadOptions,
): AsyncGenerator<readonly SourceRow[]> {
  let reader: RowReader | undefined
  const readerOf = (head: string) => {
    reader ??= createReader(head, options)
    return reader
  }
  try {
    for await (const piece of readText(chunks)) {
      if (typeof piece !== 'string') {
        yield [{ line: reader?.nextLine() ?? 1, fault: piece.fault, isFatal: true }]
        return
      }
      for (const rows of readerOf(piece).read(piece)) {
        yield rows
        if (rows.at(-1)?.isFatal) return
      }
    }
    yield* readerOf('').end()
  } finally {
    options.onUnusedColumns?.(reader?.unusedColumns() ?? [])
  }
}

function createReader(head: string, { columns, format, hasHeader, onLayout }: ReadOptions): RowReader {
  // What `pets export --json` prints, and no row of a CSV file with a header.
  if (/^\s*\[\s*(\{|\]|$)/.test(head.slice(0, 200))) {
    const message = 'This is a JSON array. NDJSON has one object on each line, and no brackets around them.'
    throw new AppError('invalid_parameter', message)
  }
  const isNdjson = format === 'ndjson' || (format === undefined && head.trimStart().startsWith('{'))
  const reader = isNdjson ? createNdjsonReader(head, columns) : createCsvReader(head, columns, hasHeader)
  onLayout?.(reader.layout)
  return reader
}
