/** The Range header (RFC 9110 sections 14.1.2 and 14.2). */

/** Bytes from `start` up to, not including, `end`. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/**
 * The range that a header selects of `size` bytes. Undefined where the header is to be ignored: it is malformed, has
 * another unit or names several ranges.
 */
export function rangeOf(header: string, size: number): ByteRange | 'unsatisfiable' | undefined {
  const list = /^\s*bytes\s*=(.*)$/i.exec(header)?.[1]
  const ranges = list?.split(',').filter((one) => one.trim() !== '')
  if (ranges?.length !== 1) return undefined
  const [, first, last] = /^\s*(\d*)-(\d*)\s*$/.exec(ranges[0] ?? '') ?? []
  if (first === undefined || last === undefined || first + last === '') return undefined
  if (first === '') return lastBytes(Number(last), size)
  const start = Number(first)
  if (last !== '' && Number(last) < start) return undefined
  if (start >= size) return 'unsatisfiable'
  return { start, end: last === '' ? size : Math.min(size, Number(last) + 1) }
}

function lastBytes(length: number, size: number): ByteRange | 'unsatisfiable' | undefined {
  if (length === 0) return 'unsatisfiable'
  // No Content-Range can describe a part of an empty file.
  if (size === 0) return undefined
  return { start: Math.max(0, size - length), end: size }
}
