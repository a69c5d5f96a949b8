/** Reads files of rows in tests. */

import { parseColumns } from '../columns.ts'
import { type ImportFormat, type ReadOptions, readRows } from '../read.ts'
import { isFault, type Layout, type SourceRow } from '../rows.ts'

/** Yields bytes in pieces of different sizes, so that every boundary is tested. */
export async function* inChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.slice(start, start + size)
}

interface Options extends Partial<Omit<ReadOptions, 'columns'>> {
  readonly columns?: string[]
  readonly format?: ImportFormat
  readonly chunkBytes?: number
}

/** All rows of a file, read in pieces of `chunkBytes`. */
export async function read(
  source: string | Uint8Array,
  { columns = [], chunkBytes = 65_536, ...others }: Options = {},
): Promise<SourceRow[]> {
  const rows: SourceRow[] = []
  const bytes = typeof source === 'string' ? Buffer.from(source) : source
  const options = { statuses: new Map(), categories: new Map(), ...others, columns: parseColumns(columns) }
  for await (const batch of readRows(inChunks(bytes, chunkBytes), options)) rows.push(...batch)
  // The text of a row is there to show it.
  return rows.map(({ text: _, ...row }) => row as SourceRow)
}

/** What is known of a file after it was read. */
export async function layoutOf(source: string, options: Options = {}): Promise<Layout> {
  const layouts: Layout[] = []
  await read(source, { ...options, onLayout: (layout) => layouts.push(layout) })
  const [layout] = layouts
  if (!layout) throw new Error('The file has no rows.')
  return layout
}

/** Rows as `line: name` or `line: fault`. */
export const summary = (rows: readonly SourceRow[]) =>
  rows.map((row) => `${row.line}: ${isFault(row) ? row.fault : row.fields.name}`)
