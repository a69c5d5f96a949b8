/**
 * Decodes a file to text. Its bytes determine the encoding: UTF-8, UTF-16, or by a guess one of those in which older
 * spreadsheets write.
 */

import { isAscii } from 'node:buffer'
import { createEncodingGuess, type Encoding, encodingLabels, type FoundEncoding } from './encoding.ts'
import type { Fault } from './rows.ts'

/** The number of bytes that are decoded at a time, and that determine the encoding: as many as a row may have. */
export const blockBytes = 131_072

export interface TextOptions {
  /** The encoding of a file without a byte order mark; if it is undefined, the bytes determine it. */
  readonly encoding?: Encoding | undefined
  /** Called at the end of the file. */
  readonly onEncoding?: ((encoding: FoundEncoding) => void) | undefined
  /** Gets a spreadsheet, and yields the text of a CSV file with a byte order mark. If it is undefined, a spreadsheet is a fault. */
  readonly openSpreadsheet?: ((chunks: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>) | undefined
}

/**
 * Yields the text of a file in pieces, without its byte order mark. Where a byte can't be decoded it yields a fault,
 * after which the caller stops.
 */
export async function* readText(
  chunks: AsyncIterable<Uint8Array>,
  options: TextOptions = {},
): AsyncGenerator<string | Fault> {
  const blocks = blocksOf(chunks)
  const { value: first } = await blocks.next()
  if (!first) return
  const file = joined(first, blocks)
  const isOpened = options.openSpreadsheet && spreadsheets.some(({ start }) => beginsWith(first, start))
  yield* decodeBlocks(isOpened ? blocksOf(options.openSpreadsheet(file)) : file, options)
}

async function* joined(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield first
  yield* rest
}

async function* decodeBlocks(
  blocks: AsyncIterable<Buffer>,
  { encoding: chosen, onEncoding }: TextOptions,
): AsyncGenerator<string | Fault> {
  let decoder: TextDecoder | undefined
  let isGuessed = false
  const guess = createEncodingGuess()
  let isFirst = true
  try {
    for await (const block of blocks) {
      const fault = isFirst ? packedFault(block) : undefined
      if (fault !== undefined) yield { fault }
      if (isFirst) decoder = decoderOf(encodingOf(block) ?? chosen)
      if (!isAscii(block) && (!decoder || isGuessed)) {
        isGuessed ||= !isUtf8(block)
        if (isGuessed) guess.see(block)
        decoder ??= decoderOf(isGuessed ? guess.best() : 'utf-8')
      }
      for (const piece of decoder ? decode(decoder, block, isFirst) : [block.toString('latin1')]) {
        const otherFile = isFirst && typeof piece === 'string' ? otherFault(piece) : undefined
        yield otherFile === undefined ? piece : { fault: otherFile }
      }
      isFirst = false
    }
    if (decoder) yield* decode(decoder)
  } finally {
    const name = (decoder?.encoding ?? 'utf-8') as Encoding
    onEncoding?.(isGuessed ? guess.found(name) : { name, isGuessed, candidates: [] })
  }
}

const decoderOf = (encoding: Encoding | undefined) => encoding && new TextDecoder(encoding, { fatal: true })

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
  const [first, second, third] = bytes
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
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

/** Whether text is UTF-8: one wrong byte among its characters is a fault of the file, and not another encoding. */
function isUtf8(bytes: Buffer): boolean {
  // The last character of a whole block may go on in the next one.
  const text = new TextDecoder().decode(bytes, { stream: bytes.length === blockBytes })
  const wrong = text.split('\ufffd').length - 1
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is the range of ASCII
  const others = text.replace(/[\x00-\x7f]+/g, '').length - wrong
  return wrong <= others
}

/** Without `bytes` it is the end of the text. */
function* decode(decoder: TextDecoder, bytes?: Uint8Array, isFirst = false): Generator<string | Fault> {
  let text = ''
  try {
    text = bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode()
  } catch {
    const encoding = decoder.encoding as Encoding
    // The text before it, so that the fault has its line. Chunks of UTF-16 may begin within a character.
    if (bytes && (isFirst || !encoding.startsWith('utf-16')))
      yield new TextDecoder(encoding).decode(bytes).split('\ufffd', 1)[0] ?? ''
    yield { fault: `the text begins as ${encodingLabels[encoding]}, and this line is not: save the file as UTF-8` }
    return
  }
  if (text !== '') yield text
}

interface Packing {
  readonly start: string
  readonly fault: string
}

const spreadsheets: readonly Packing[] = [
  {
    // .xlsx and .ods are zip archives.
    start: 'PK\x03\x04',
    fault: 'this is a spreadsheet, or a zip archive: save the spreadsheet as CSV, or unpack the archive',
  },
  { start: '\xd0\xcf\x11\xe0', fault: 'this is a spreadsheet: save it as CSV' },
]

const packings: readonly Packing[] = [
  ...spreadsheets,
  { start: '\x1f\x8b', fault: 'the file is compressed with gzip: unpack it first, for example with gunzip' },
  { start: '%PDF', fault: 'this is a PDF document: save the list as CSV' },
]

const beginsWith = (head: Buffer, start: string): boolean => head.toString('latin1', 0, start.length) === start

/** Why a file is no text in any encoding, by how it begins. */
function packedFault(head: Buffer): string | undefined {
  return packings.find(({ start }) => beginsWith(head, start))?.fault
}

/** Why a text is no list, by how it begins. */
function otherFault(text: string): string | undefined {
  const start = text.slice(0, 4_096)
  if (start.trimStart().startsWith('<')) return 'this is a web page, not a list of animals: choose a CSV file'
  const zeros = start.split('\0').length - 1
  return zeros > start.length / 50 ? 'this is not a list of animals: save the list as CSV' : undefined
}
