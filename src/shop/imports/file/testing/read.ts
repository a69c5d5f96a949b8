/** Reads files of rows in tests. */

import { parseColumns } from '../columns.ts'
import { type ImportFormat, readRows } from '../read.ts'
import { isFault, type SourceRow } from '../rows.ts'

/** Yields bytes in pieces of different sizes, so that every boundary is tested. */
export async function* inChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.slice(start, start + size)
}

interface Options {
  readonly columns?: string[]
  readonly format?: ImportFormat
  readonly chunkBytes?: number
}

/** All rows of a file, read in pieces of `chunkBytes`. */
export async function read(source: string | Uint8Array, { columns = [], format, chunkBytes = 65_536 }: Options = {}) {
  const rows: SourceRow[] = []
  const bytes = typeof source === 'string' ? Buffer.from(source) : source
  const options = { columns: parseColumns(columns), format }
  for await (const batch of readRows(inChunks(bytes, chunkBytes), options)) rows.push(...batch)
  // The text of a row is there to show it.
  return rows.map(({ text: _, ...row }) => row as SourceRow)
}

/** Rows as `line: name` or `line: fault`. */
export const summary = (rows: readonly SourceRow[]) =>
  rows.map((row) => `${row.line}: ${isFault(row) ? row.fault : row.fields.name}`)
