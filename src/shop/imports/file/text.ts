/**
 * Decodes a file to text. Its bytes determine the encoding: UTF-8, UTF-16, or Windows-1252, in which older spreadsheets
 * write.
 */

import { isAscii } from 'node:buffer'
import type { Fault } from './rows.ts'

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'

/** The number of bytes that are decoded at a time, and that determine the encoding: as many as a row may have. */
export const blockBytes = 131_072

/**
 * Yields the text of a file in pieces, without its byte order mark. Where a byte can't be decoded it yields a fault,
 * after which the caller stops.
 */
export async function* readText(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string | Fault> {
  let decoder: TextDecoder | undefined
  let isFirst = true
  for await (const block of blocksOf(chunks)) {
    const fault = isFirst ? packedFault(block) : undefined
    if (fault !== undefined) yield { fault }
    if (!decoder) {
      const encoding = (isFirst ? encodingOf(block) : undefined) ?? encodingOfText(block)
      decoder = encoding && new TextDecoder(encoding, { fatal: true })
    }
    for (const piece of decoder ? decode(decoder, block, isFirst) : [block.toString('latin1')]) {
      const otherFile = isFirst && typeof piece === 'string' ? otherFault(piece) : undefined
      yield otherFile === undefined ? piece : { fault: otherFile }
    }
    isFirst = false
  }
  if (decoder) yield* decode(decoder)
}

/** The same bytes in blocks, of which only the last may be shorter: how a file arrives makes no difference. */
async function* blocksOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let block = Buffer.allocUnsafe(blockBytes)
  let filled = 0
  for await (const chunk of chunks) {
    for (let start = 0; start < chunk.length; ) {
      const part = chunk.subarray(start, start + blockBytes - filled)
      block.set(part, filled)
      start += part.length
      filled += part.length
      if (filled < blockBytes) continue
      yield block
      block = Buffer.allocUnsafe(blockBytes)
      filled = 0
    }
  }
  if (filled > 0) yield block.subarray(0, filled)
}

/** The encoding by the byte order mark or, without one, by the positions of zero bytes. */
function encodingOf(bytes: Buffer): Encoding | undefined {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  const sample = bytes.subarray(0, 1_024)
  const zeros = [0, 0]
  for (const [i, byte] of sample.entries()) if (byte === 0) zeros[i % 2] = (zeros[i % 2] ?? 0) + 1
  const [even = 0, odd = 0] = zeros
  // Column names are mostly characters below U+0100, whose high byte in UTF-16 is zero. Other text has no zero bytes.
  const threshold = sample.length / 5
  if (odd > threshold && odd > even * 4) return 'utf-16le'
  if (even > threshold && even > odd * 4) return 'utf-16be'
  return undefined
}

/**
 * The encoding of text that is not UTF-16. Undefined for ASCII, which is the same in both: the first other characters
 * decide. One wrong byte among characters of UTF-8 is a fault of the file, and not another encoding.
 */
function encodingOfText(bytes: Buffer): Encoding | undefined {
  if (isAscii(bytes)) return undefined
  // The last character of a whole block may go on in the next one.
  const text = new TextDecoder().decode(bytes, { stream: bytes.length === blockBytes })
  const wrong = text.split('\ufffd').length - 1
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is the range of ASCII
  const others = text.replace(/[\x00-\x7f]+/g, '').length - wrong
  return wrong > others ? 'windows-1252' : 'utf-8'
}

/** Without `bytes` it is the end of the text. */
function* decode(decoder: TextDecoder, bytes?: Uint8Array, isFirst = false): Generator<string | Fault> {
  let text = ''
  try {
    text = bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode()
  } catch {
    const { encoding } = decoder
    // The text before it, so that the fault has its line. Chunks of UTF-16 may begin within a character.
    if (bytes && (isFirst || encoding === 'utf-8'))
      yield new TextDecoder(encoding).decode(bytes).split('\ufffd', 1)[0] ?? ''
    const name = encoding === 'utf-8' ? 'UTF-8' : 'UTF-16'
    yield { fault: `the text begins as ${name}, and this line is not: save the file as UTF-8` }
    return
  }
  if (text !== '') yield text
}

const packings: readonly { readonly start: string; readonly fault: string }[] = [
  { start: '\x1f\x8b', fault: 'the file is compressed with gzip: unpack it first, for example with gunzip' },
  {
    // .xlsx and .ods are zip archives.
    start: 'PK\x03\x04',
    fault: 'this is a spreadsheet, or a zip archive: save the spreadsheet as CSV, or unpack the archive',
  },
  { start: '\xd0\xcf\x11\xe0', fault: 'this is a spreadsheet: save it as CSV' },
  { start: '%PDF', fault: 'this is a PDF document: save the list as CSV' },
]

/** Why a file is no text in any encoding, by how it begins. */
function packedFault(head: Buffer): string | undefined {
  return packings.find(({ start }) => head.toString('latin1', 0, start.length) === start)?.fault
}

/** Why a text is no list, by how it begins. */
function otherFault(text: string): string | undefined {
  const start = text.slice(0, 4_096)
  if (start.trimStart().startsWith('<')) return 'this is a web page, not a list of animals: choose a CSV file'
  const zeros = start.split('\0').length - 1
  return zeros > start.length / 50 ? 'this is not a list of animals: save the list as CSV' : undefined
}
