/**
 * Reads the server name and the protocols of a ClientHello (RFC 8446 section 4.1.2) from the first bytes of a
 * connection. The bytes are those of strangers: every length is checked, and nothing is copied before the message is
 * complete.
 */

export interface ClientHello {
  /** The server name (RFC 6066 section 3) in lower case, without final dot; undefined if there is none. */
  readonly serverName: string | undefined
  /** The names of the protocols (RFC 7301); undefined if the client has sent no such extension. */
  readonly protocols: readonly string[] | undefined
}

/** `incomplete`: more bytes are needed. `invalid`: this is not a ClientHello, or it is malformed or too long. */
export type HelloResult = ClientHello | 'incomplete' | 'invalid'

/** The maximum length of a ClientHello with its record headers. With post-quantum keys it has about 2 kB. */
export const maximumHelloBytes = 16_384

/** Clients use one record, or a few to get past middleboxes. */
const maximumRecords = 16

const recordHeaderBytes = 5
const messageHeaderBytes = 4
const handshakeRecord = 22
const clientHelloMessage = 1
const serverNameExtension = 0
const protocolsExtension = 16

/** Reads a ClientHello from all bytes that a connection has sent so far. */
export function readClientHello(bytes: Buffer): HelloResult {
  const message = handshakeMessage(bytes)
  if (typeof message === 'string') return message
  try {
    return parse(new Reader(message))
  } catch (error) {
    if (error instanceof RangeError) return 'invalid'
    throw error
  }
}

/** Joins the payloads of the records that the message is spread over. */
function handshakeMessage(bytes: Buffer): Buffer | 'incomplete' | 'invalid' {
  const fragments: Buffer[] = []
  let gathered = 0
  let wanted = messageHeaderBytes
  for (let at = 0; gathered < wanted; ) {
    if (at < bytes.length && bytes[at] !== handshakeRecord) return 'invalid'
    if (at + 1 < bytes.length && bytes[at + 1] !== 3) return 'invalid'
    if (at + recordHeaderBytes > bytes.length) return 'incomplete'
    const length = bytes.readUInt16BE(at + 3)
    if (length === 0 || length > maximumHelloBytes || fragments.length === maximumRecords) return 'invalid'
    const fragment = bytes.subarray(at + recordHeaderBytes, at + recordHeaderBytes + length)
    fragments.push(fragment)
    gathered += fragment.length
    at += recordHeaderBytes + length
    if (wanted === messageHeaderBytes && gathered >= messageHeaderBytes) {
      const header = fragments.length === 1 ? fragment : Buffer.concat(fragments)
      if (header[0] !== clientHelloMessage) return 'invalid'
      wanted += header.readUIntBE(1, 3)
      if (wanted > maximumHelloBytes) return 'invalid'
    }
    if (at > bytes.length && gathered < wanted) return 'incomplete'
  }
  const whole = fragments.length === 1 ? fragments[0] : undefined
  return (whole ?? Buffer.concat(fragments)).subarray(messageHeaderBytes, wanted)
}

function parse(hello: Reader): ClientHello {
  // The version and the random value.
  hello.skip(2 + 32)
  hello.vector(1)
  hello.vector(2)
  hello.vector(1)
  let serverName: string | undefined
  let protocols: string[] | undefined
  const extensions = hello.isAtEnd ? undefined : hello.vector(2)
  while (extensions !== undefined && !extensions.isAtEnd) {
    const type = extensions.number(2)
    const content = extensions.vector(2)
    if (type === serverNameExtension) serverName = nameOf(content)
    if (type === protocolsExtension) protocols = protocolsOf(content)
  }
  return { serverName, protocols }
}

function nameOf(content: Reader): string | undefined {
  const names = content.vector(2)
  while (!names.isAtEnd) {
    const isHostName = names.number(1) === 0
    const name = names.vector(2).text()
    if (isHostName) return name.toLowerCase().replace(/\.$/, '')
  }
  return undefined
}

function protocolsOf(content: Reader): string[] {
  const names: string[] = []
  const list = content.vector(2)
  while (!list.isAtEnd) names.push(list.vector(1).text())
  return names
}

/** Throws `RangeError` where a length leads beyond the end. */
class Reader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length
  }

  skip(length: number): void {
    if (this.#at + length > this.#bytes.length) throw new RangeError('a length leads beyond the end')
    this.#at += length
  }

  number(size: 1 | 2): number {
    const at = this.#at
    this.skip(size)
    return this.#bytes.readUIntBE(at, size)
  }

  /** The content of a vector whose length has `size` bytes. */
  vector(size: 1 | 2): Reader {
    const length = this.number(size)
    const at = this.#at
    this.skip(length)
    return new Reader(this.#bytes.subarray(at, at + length))
  }

  text(): string {
    return this.#bytes.toString('latin1')
  }
}
