/** Reads the rows of a file in any supported encoding and format. */

import { createCsvReader } from './csv.ts'
import { createNdjsonReader } from './ndjson.ts'
import type { Reading } from './reading.ts'
import type { Layout, RowReader, SourceRow } from './rows.ts'
import { readText, type TextOptions } from './text.ts'

export const importFormats = ['csv', 'ndjson'] as const
export type ImportFormat = (typeof importFormats)[number]

export interface ReadOptions extends Reading, Omit<TextOptions, 'encoding'> {
  /** If undefined, it is detected from the first character. */
  readonly format?: ImportFormat | undefined
  /** Whether the file is only checked, so that the texts of invalid rows are needed. */
  readonly dryRun?: boolean | undefined
  /** Called before the first row. */
  readonly onLayout?: ((layout: Layout) => void) | undefined
}

/**
 * The rows of a file in batches, each of which is read in a few milliseconds; nothing follows a fatal fault, such as
 * that of a spreadsheet. The batches that are yielded while the file arrives are empty. Throws `invalid_parameter` if a
 * column that was chosen is missing, and `payload_too_large` for too many rows.
 */
export async function* readRows(
  chunks: AsyncIterable<Uint8Array>,
  options: ReadOptions,
): AsyncGenerator<readonly SourceRow[]> {
  let reader: RowReader | undefined
  let fault: SourceRow | undefined
  for await (const piece of readText(chunks, options)) {
    reader ??= createReader(typeof piece === 'string' ? piece : '', options)
    if (typeof piece !== 'string') {
      fault = { line: reader.nextLine(), fault: piece.fault, isFatal: true }
      break
    }
    for (const _ of reader.read(piece)) yield []
  }
  reader ??= createReader('', options)
  if (fault) {
    yield [fault]
    return
  }
  yield* reader.end((layout) => options.onLayout?.(layout))
}

function createReader(head: string, options: ReadOptions): RowReader {
  const isJson = options.format === undefined && /^\s*(?:\{|\[\s*(?:\{|\]|$))/.test(head.slice(0, 200))
  return isJson || options.format === 'ndjson' ? createNdjsonReader(head, options) : createCsvReader(head, options)
}
