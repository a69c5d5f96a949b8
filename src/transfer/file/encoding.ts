/** From the bytes of a text file to UTF-8, whether that is UTF-8 or UTF-16, with a byte order mark or without. */

type Encoding = 'utf8' | 'utf16le' | 'utf16be'

/** How much of a file is looked at for its encoding. */
const sampleBytes = 1_024

/** A byte that occurs in no text in UTF-8 (RFC 3629 section 1). */
const invalid = Buffer.from([0xff])

/**
 * Turns UTF-16 into UTF-8 and leaves everything else as it is. What is not UTF-16 after all becomes a byte that is not
 * UTF-8, behind the text before it.
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

/** What the byte order mark says or, without one, where the zero bytes of the first characters are. */
function encodingOf(bytes: Buffer): Encoding {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return 'utf16le'
  if (first === 0xfe && second === 0xff) return 'utf16be'
  const sample = bytes.subarray(0, sampleBytes)
  const zeros = [0, 0]
  for (const [i, byte] of sample.entries()) if (byte === 0) zeros[i % 2] = (zeros[i % 2] ?? 0) + 1
  const [even = 0, odd = 0] = zeros
  // Column names are mostly of the first 256 characters, whose higher byte is zero. No text in UTF-8 has zeros.
  const most = sample.length / 5
  if (odd > most && odd > even * 4) return 'utf16le'
  return even > most && even > odd * 4 ? 'utf16be' : 'utf8'
}

/** How many bytes end with a whole character: the second half of a pair may be in the next chunk. */
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

/** Where the first half of a pair that lacks the other one is. */
function wellFormedLength(text: string): number {
  let length = 0
  for (const character of text) {
    if (!character.isWellFormed()) break
    length += character.length
  }
  return length
}
