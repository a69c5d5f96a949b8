/**
 * Collects the matches of a search within a time limit, so that it takes a few milliseconds for any records and any
 * text.
 */

/** The ids greater than `above` and less than `below`, in an order. */
export interface IdRange {
  readonly order: 'asc' | 'desc'
  readonly above: number
  readonly below: number
}

/** Candidates of a range in its order. There are no others up to `searchedTo`. */
export interface Scanned<T> {
  readonly candidates: readonly T[]
  readonly searchedTo: number
}

/** Reads the first candidates of a range, at most `most`. */
export type RecordScan<T> = (range: IdRange, most: number) => Scanned<T>

export interface Matches<T> {
  readonly records: readonly T[]
  /** If the time was up before there were enough records: the last id that was examined. */
  readonly searchedTo: number | undefined
}

/** The time limit of a search, in milliseconds. */
const limitMs = 10

/** The number of candidates that are read at a time. The first read is not larger than the page. */
const chunkSize = 100

/**
 * Starts the time of a search. The returned function says whether the time is up; call it after each scan.
 */
export function createTimeLimit(monotonic: () => number): () => boolean {
  const startMs = monotonic()
  return () => monotonic() - startMs >= limitMs
}

/** The first `limit` matches of a range, within the time limit. */
export function collectMatches<T>(
  scan: RecordScan<T>,
  range: IdRange,
  limit: number,
  isMatch: (record: T) => boolean,
  monotonic: () => number,
): Matches<T> {
  const isOver = createTimeLimit(monotonic)
  const records: T[] = []
  let searchedTo: number | undefined
  let left = range
  while (left.above + 1 < left.below) {
    if (searchedTo !== undefined && isOver()) return { records, searchedTo }
    const scanned = scan(left, searchedTo === undefined ? Math.min(limit, chunkSize) : chunkSize)
    searchedTo = scanned.searchedTo
    for (const record of scanned.candidates) {
      if (isMatch(record)) records.push(record)
      if (records.length === limit) return { records, searchedTo: undefined }
    }
    left = range.order === 'asc' ? { ...left, above: searchedTo } : { ...left, below: searchedTo }
  }
  return { records, searchedTo: undefined }
}

/** The range of a page of a list: the ids after the cursor in the order of the list. */
export function pageRange(order: IdRange['order'], cursorId: number | undefined): IdRange {
  return {
    order,
    above: order === 'asc' ? (cursorId ?? 0) : 0,
    below: order === 'desc' ? (cursorId ?? Number.MAX_SAFE_INTEGER) : Number.MAX_SAFE_INTEGER,
  }
}

/** The part of a range that is also in another. */
export function within({ order, above, below }: IdRange, other: Pick<IdRange, 'above' | 'below'>): IdRange {
  return { order, above: Math.max(above, other.above), below: Math.min(below, other.below) }
}
