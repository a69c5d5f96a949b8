/** Searches a table by id, in windows, within a time limit. */

import { max } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { collectMatches, type IdRange, type Matches, type RecordScan } from '../lib/steps/collect.ts'
import { lazily, type Tables } from './open.ts'

/** The ids greater than `low` and less than `high`, of which at most `most` are read. */
export interface IdWindow {
  readonly low: number
  readonly high: number
  readonly most: number
}

/**
 * Returns a function that reads the rows of a range, in its order, until `limit` of them match or the time is up. `read`
 * returns the rows of a window in this order; `windowSize` ids should take about a millisecond. `monotonic` is the clock
 * in milliseconds.
 */
export function createSearch(
  tables: Tables,
  table: SQLiteTable & { readonly id: SQLiteColumn },
  windowSize: number,
  monotonic: () => number,
) {
  const highestId = lazily(() =>
    tables
      .select({ id: max(table.id) })
      .from(table)
      .prepare(),
  )
  return <Row extends { readonly id: number }>(
    read: (window: IdWindow) => readonly Row[],
    range: IdRange,
    limit: number,
    isMatch: (row: Row) => boolean = () => true,
  ): Matches<Row> => {
    const scan: RecordScan<Row> = ({ order, above, below }, most) => {
      const low = order === 'asc' ? above : Math.max(above, below - windowSize - 1)
      const high = order === 'asc' ? Math.min(below, above + windowSize + 1) : below
      const candidates = read({ low, high, most })
      const last = candidates.at(-1)
      if (last && candidates.length === most) return { candidates, searchedTo: last.id }
      return { candidates, searchedTo: order === 'asc' ? high - 1 : low + 1 }
    }
    const highest = Number(highestId.get()?.id ?? 0)
    return collectMatches(scan, { ...range, below: Math.min(range.below, highest + 1) }, limit, isMatch, monotonic)
  }
}
