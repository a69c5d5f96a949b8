/** Converts a text file in UTF-8 or UTF-16, with or without a byte order mark, to UTF-8. */

type Encoding = 'utf8' | 'utf16le' | 'utf16be'

/** The number of bytes at the beginning of a file that are used to detect its encoding. */
const sampleBytes = 1_024

/** A byte that no UTF-8 text contains (RFC 3629 section 1). */
const invalid = Buffer.from([0xff])

/**
 * Converts UTF-16 to UTF-8 and passes everything else unchanged. The valid text before
 * invalid UTF-16 is converted, and a byte that is invalid in UTF-8 follows it, so that the reader reports the fault.
 */
export async function* toUtf8(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let encoding: Encoding | undefined
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    if (encoding === 'utf8') {
      yield chunk
      continue
    }
    rest = rest.length > 0 ? Buffer.concat([rest, chunk]) : Buffer.from(chunk)
    if (!encoding && rest.length < 4) continue
    encoding ??= encodingOf(rest)
    if (encoding === 'utf8') {
      yield rest
      continue
    }
    const end = completeCharacters(rest, encoding)
    yield decode(rest.subarray(0, end), encoding)
    rest = rest.subarray(end)
  }
  if (rest.length === 0 || encoding === 'utf8') return
  encoding ??= encodingOf(rest)
  yield encoding === 'utf8' ? rest : decode(rest, encoding)
}

/** Detects the encoding by the byte order mark or, without one, by the positions of zero bytes. */
function encodingOf(bytes: Buffer): Encoding {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return 'utf16le'
  if (first === 0xfe && second === 0xff) return 'utf16be'
  const sample = bytes.subarray(0, sampleBytes)
  const zeros = [0, 0]
  for (const [i, byte] of sample.entries()) if (byte === 0) zeros[i % 2] = (zeros[i % 2] ?? 0) + 1
  const [even = 0, odd = 0] = zeros
  // Column names are mostly characters below U+0100, whose high byte in UTF-16 is zero. A UTF-8 file has no zero bytes.
  const threshold = sample.length / 5
  if (odd > threshold && odd > even * 4) return 'utf16le'
  return even > threshold && even > odd * 4 ? 'utf16be' : 'utf8'
}

/** The number of bytes of complete characters: the second half of a surrogate pair may be in the next chunk. */
function completeCharacters(bytes: Buffer, encoding: Encoding): number {
  const end = bytes.length - (bytes.length % 2)
  const high = bytes[encoding === 'utf16le' ? end - 1 : end - 2] ?? 0
  return high >= 0xd8 && high <= 0xdb ? end - 2 : end
}

function decode(bytes: Buffer, encoding: Encoding): Buffer {
  const whole = Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2)))
  const text = (encoding === 'utf16be' ? whole.swap16() : whole).toString('utf16le')
  if (text.isWellFormed() && whole.length === bytes.length) return Buffer.from(text)
  return Buffer.concat([Buffer.from(text.slice(0, wellFormedLength(text))), invalid])
}

/** The length of the text before the first lone surrogate. */
function wellFormedLength(text: string): number {
  let length = 0
  for (const character of text) {
    if (!character.isWellFormed()) break
    length += character.length
  }
  return length
}
