/**
 * Splits a stream of bytes into whole lines of UTF-8. The memory it uses is independent of the length of the stream and of a
 * line.
 */

import { isUtf8 } from 'node:buffer'

export interface Lines {
  /** Lines with their ends; only the last one of a stream may have none. */
  readonly bytes: Buffer
  /** The number of the next line, from 1 on, if that is not valid UTF-8. Nothing follows then. */
  readonly badLine?: number
}

export const newline = 0x0a

/**
 * Splits a stream after newlines and removes a byte order mark. A line longer than `maximum` bytes is cut to slightly more
 * than `maximum`, so that the reader can detect it. A chunk must not change after it was passed.
 */
export async function* readLines(chunks: AsyncIterable<Uint8Array>, maximum: number): AsyncGenerator<Lines> {
  let next = 1
  for await (const bytes of wholeLines(chunks, maximum)) {
    const lines = next === 1 ? withoutByteOrderMark(bytes) : bytes
    if (!isUtf8(lines)) {
      const valid = validLines(lines)
      yield { bytes: valid, badLine: next + countNewlines(valid) }
      return
    }
    yield { bytes: lines }
    next += countNewlines(lines)
  }
}

async function* wholeLines(chunks: AsyncIterable<Uint8Array>, maximum: number): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0)
  let isCut = false
  for await (const chunk of chunks) {
    let bytes: Buffer = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    if (isCut) {
      const end = bytes.indexOf(newline)
      if (end === -1) continue
      bytes = bytes.subarray(end)
    }
    if (rest.length > 0) bytes = Buffer.concat([rest, bytes])
    const end = bytes.lastIndexOf(newline) + 1
    if (end > 0) yield bytes.subarray(0, end)
    // A copy, because a subarray would keep the whole chunk in memory.
    rest = Buffer.from(bytes.subarray(end))
    isCut = rest.length > maximum + longestCharacter
    if (isCut) rest = cutShort(rest, maximum)
  }
  if (rest.length > 0) yield rest
}

/** Bytes of a character in UTF-8 (RFC 3629 section 3). */
const longestCharacter = 4

/** The beginning of a line: slightly more than `maximum` bytes, ending with a complete character. */
function cutShort(line: Buffer, maximum: number): Buffer {
  let end = maximum + longestCharacter
  while (end > maximum + 1 && isContinuation(line[end])) end--
  return line.subarray(0, end)
}

/** Whether a byte continues a character of UTF-8. */
function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80
}

function withoutByteOrderMark(lines: Buffer): Buffer {
  return lines[0] === 0xef && lines[1] === 0xbb && lines[2] === 0xbf ? lines.subarray(3) : lines
}

/** The lines before the first one that is not valid UTF-8. */
function validLines(lines: Buffer): Buffer {
  let start = 0
  for (;;) {
    const end = lines.indexOf(newline, start) + 1
    if (end === 0 || !isUtf8(lines.subarray(start, end))) return lines.subarray(0, start)
    start = end
  }
}

/** The number of newlines in `bytes`, or in a part of it. */
export function countNewlines(bytes: Buffer, from = 0, to = bytes.length): number {
  let count = 0
  for (let at = bytes.indexOf(newline, from); at !== -1 && at < to; at = bytes.indexOf(newline, at + 1)) count++
  return count
}
