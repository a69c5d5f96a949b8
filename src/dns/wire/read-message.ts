/**
 * Decodes replies of untrusted servers. Lengths must be exact, names must not loop and the number of records is
 * limited; anything else throws `MalformedMessage`. dns-packet, which encodes the queries, accepts wrong lengths,
 * follows any number of pointers and loses dots inside labels.
 */

import ipaddr from 'ipaddr.js'
import { type CaaProperty, type DnsRecord, type Reply, rcodeName, typeName } from './record.ts'

const maximumRecords = 400
const classInternet = 1
const optionExtendedError = 15

export interface Header {
  readonly id: number
  readonly isResponse: boolean
  readonly opcode: number
  readonly questions: number
}

export interface Question {
  /** In the case as received. */
  readonly name: string
  readonly type: number
  readonly class: number
}

export interface Message extends Header {
  readonly question: Question | undefined
  readonly reply: Reply
}

/** The header, which decides whether the rest is decoded; undefined if the message is shorter. */
export function readHeader(bytes: Uint8Array): Header | undefined {
  if (bytes.length < 12) return undefined
  const reader = new Reader(bytes)
  const id = reader.uint16()
  const flags = reader.uint16()
  return { id, isResponse: flags >= 0x8000, opcode: (flags >> 11) & 0xf, questions: reader.uint16() }
}

/** The question of a message; undefined unless it has exactly one valid question. */
export function readQuestion(bytes: Uint8Array): Question | undefined {
  if (readHeader(bytes)?.questions !== 1) return undefined
  const reader = new Reader(bytes)
  try {
    reader.offset = 12
    return { name: reader.nameAsSent(), type: reader.uint16(), class: reader.uint16() }
  } catch {
    return undefined
  }
}

/** Throws `MalformedMessage`. */
export function readReply(bytes: Uint8Array): Reply {
  const reader = new Reader(bytes)
  reader.offset = 2
  const flags = reader.uint16()
  const [questions, ...counts] = [reader.uint16(), reader.uint16(), reader.uint16(), reader.uint16()]
  if (counts.reduce((sum, count) => sum + count, 0) > maximumRecords) throw new MalformedMessage('too many records')
  for (let i = 0; i < (questions ?? 0); i++) {
    reader.name()
    reader.octets(4)
  }
  const extended: ExtendedErrors = { codes: [], rcodeBits: 0 }
  const [answers = [], authorities = [], additionals = []] = counts.map((count) => readSection(reader, count, extended))
  if (!reader.atEnd) throw new MalformedMessage('octets after the last record')
  return {
    kind: 'reply',
    rcode: rcodeName((extended.rcodeBits << 4) | (flags & 0xf)),
    authoritative: (flags & 0x0400) !== 0,
    truncated: (flags & 0x0200) !== 0,
    answers,
    authorities,
    additionals,
    extendedErrors: extended.codes,
  }
}

interface ExtendedErrors {
  readonly codes: number[]
  rcodeBits: number
}

function readSection(reader: Reader, count: number, extended: ExtendedErrors): DnsRecord[] {
  const records: DnsRecord[] = []
  for (let i = 0; i < count; i++) {
    const name = reader.name()
    const type = typeName(reader.uint16())
    const recordClass = reader.uint16()
    const ttl = reader.uint32()
    const length = reader.uint16()
    const end = reader.offset + length
    if (type === 'OPT') {
      extended.rcodeBits = ttl >>> 24
      readOptions(reader, end, extended)
    } else {
      const data = readData(reader, type, length)
      // RFC 2181, section 8: a TTL with the highest bit set is treated as zero.
      if (recordClass === classInternet) records.push({ name, type, ttl: ttl >= 0x8000_0000 ? 0 : ttl, ...data })
    }
    if (reader.offset !== end) throw new MalformedMessage('wrong data length')
  }
  return records
}

function readOptions(reader: Reader, end: number, extended: ExtendedErrors): void {
  while (reader.offset < end) {
    const code = reader.uint16()
    const data = reader.octets(reader.uint16())
    if (code === optionExtendedError && data.length >= 2) extended.codes.push(((data[0] ?? 0) << 8) | (data[1] ?? 0))
  }
}

function readData(reader: Reader, type: string, length: number): Pick<DnsRecord, 'value' | 'minimum' | 'caa'> {
  const end = reader.offset + length
  switch (type) {
    case 'A':
    case 'AAAA':
      if (length !== (type === 'A' ? 4 : 16)) throw new MalformedMessage('wrong address length')
      return { value: ipaddr.fromByteArray([...reader.octets(length)]).toString() }
    case 'CNAME':
    case 'DNAME':
    case 'NS':
    case 'PTR':
      return { value: reader.name() }
    case 'MX':
      return { value: `${reader.uint16()} ${reader.name()}` }
    case 'TXT':
      return { value: readText(reader, end) }
    case 'SOA':
      return readSoa(reader)
    case 'CAA':
      return readCaa(reader, length)
    default:
      return { value: `\\# ${length} ${Buffer.from(reader.octets(length)).toString('hex')}`.trim() }
  }
}

/** The strings of a TXT record, concatenated (as RFC 7208, section 3.3, for example, requires). */
function readText(reader: Reader, end: number): string {
  const parts: Uint8Array[] = []
  while (reader.offset < end) parts.push(reader.octets(reader.octet()))
  return Buffer.concat(parts).toString('utf8')
}

function readSoa(reader: Reader): Pick<DnsRecord, 'value' | 'minimum'> {
  const names = `${reader.name()} ${reader.name()}`
  const numbers = [1, 2, 3, 4, 5].map(() => reader.uint32())
  return { value: `${names} ${numbers.join(' ')}`, minimum: numbers[4] ?? 0 }
}

function readCaa(reader: Reader, length: number): { value: string; caa: CaaProperty } {
  const flags = reader.octet()
  const tagLength = reader.octet()
  if (tagLength === 0 || tagLength + 2 > length) throw new MalformedMessage('wrong CAA tag length')
  const tag = reader.text(tagLength).toLowerCase()
  const value = reader.text(length - 2 - tagLength)
  return { value: `${flags} ${tag} ${JSON.stringify(value)}`, caa: { flags, tag, value } }
}

/** A message that violates RFC 1035. */
export class MalformedMessage extends Error {
  override readonly name = 'MalformedMessage'
}

// A name has at most 127 labels, and so needs at most as many pointers.
const maximumPointers = 127
const maximumNameOctets = 255

/** Reads octets and domain names of one message. No read can go beyond its end. */
class Reader {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  offset = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  get atEnd(): boolean {
    return this.offset === this.#bytes.length
  }

  octet(): number {
    return this.octets(1)[0] ?? 0
  }

  uint16(): number {
    const at = this.#advance(2)
    return this.#view.getUint16(at)
  }

  uint32(): number {
    const at = this.#advance(4)
    return this.#view.getUint32(at)
  }

  octets(length: number): Uint8Array {
    const at = this.#advance(length)
    return this.#bytes.subarray(at, at + length)
  }

  /** Octets as text: UTF-8 if they are valid UTF-8. */
  text(length: number): string {
    return new TextDecoder().decode(this.octets(length))
  }

  /** A name, compressed or not (RFC 1035, section 4.1.4), in the form of zone files without the final dot. */
  name(): string {
    return this.nameAsSent().replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  }

  /** Like `name`, in the case of the message. */
  nameAsSent(): string {
    const labels: string[] = []
    let octets = 1
    let pointers = 0
    let resumeAt: number | undefined
    let segmentStart = this.offset
    for (let length = this.octet(); length !== 0; length = this.octet()) {
      if (length >= 0xc0) {
        const target = ((length & 0x3f) << 8) | this.octet()
        resumeAt ??= this.offset
        pointers += 1
        // A pointer must point to an earlier place than the labels before it, which excludes loops.
        if (target >= segmentStart || pointers > maximumPointers) throw new MalformedMessage('bad pointer')
        segmentStart = target
        this.offset = target
        continue
      }
      if (length > 63) throw new MalformedMessage('bad label')
      octets += length + 1
      if (octets > maximumNameOctets) throw new MalformedMessage('name too long')
      labels.push(escapeLabel(this.octets(length)))
    }
    if (resumeAt !== undefined) this.offset = resumeAt
    return labels.join('.')
  }

  #advance(length: number): number {
    const at = this.offset
    if (at + length > this.#bytes.length) throw new MalformedMessage('message ends early')
    this.offset = at + length
    return at
  }
}

/** Escapes dots and spaces inside a label, which otherwise look like its end. */
function escapeLabel(octets: Uint8Array): string {
  let label = ''
  for (const octet of octets) {
    const character = String.fromCharCode(octet)
    label += /[\w*/+:=@~-]/.test(character) ? character : `\\${String(octet).padStart(3, '0')}`
  }
  return label
}
