/**
 * Decodes replies of untrusted servers. Lengths must be exact, names must not loop and the number of records is limited;
 * anything else throws `MalformedMessage`. dns-packet, which encodes the queries, accepts wrong lengths, follows any
 * number of pointers and loses dots inside labels.
 */

import ipaddr from 'ipaddr.js'
import { MalformedMessage, Reader } from './reader.ts'
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
