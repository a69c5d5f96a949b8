/** Headers of tar archives: POSIX.1-2017 pax and ustar, GNU and the old V7 format. */

import { archiveError, decodeUtf8, entryError } from './names.ts'

export interface TarHeader {
  /** The name as bytes; a pax or GNU header before this one may replace it. */
  readonly name: Uint8Array
  readonly size: number
  readonly modifiedSeconds: number
  /** The type flag: one character, `0` for regular files. */
  readonly type: string
}

/** Reads a block of 512 bytes. Throws `invalid_body` if it is not a header. */
export function readHeader(block: Buffer): TarHeader {
  if (!hasChecksum(block)) throw archiveError('it is damaged or no tar archive (a header has a wrong checksum)')
  const magic = block.toString('latin1', 257, 263)
  // GNU keeps times where POSIX has the prefix.
  const prefix = magic === 'ustar\0' ? field(block, 345, 155) : Buffer.alloc(0)
  const end = field(block, 0, 100)
  const name = prefix.length > 0 ? Buffer.concat([prefix, Buffer.from('/'), end]) : end
  const flag = block.toString('latin1', 156, 157)
  const type = flag === '\0' ? '0' : flag
  const size = readNumber(block, 124, 12)
  if (size === undefined) throw entryError(lossy(name), 'has a size that is no number of bytes')
  return { name, size, modifiedSeconds: readNumber(block, 136, 12) ?? 0, type }
}

function hasChecksum(block: Buffer): boolean {
  const declared = readNumber(block, 148, 8)
  let unsigned = 0
  let signed = 0
  for (let at = 0; at < 512; at++) {
    const byte = at >= 148 && at < 156 ? 32 : (block[at] ?? 0)
    unsigned += byte
    signed += byte > 127 ? byte - 256 : byte
  }
  // Old systems summed signed characters.
  return declared === unsigned || declared === signed
}

/** A text field: up to the first NUL. */
function field(block: Buffer, start: number, length: number): Buffer {
  const bytes = block.subarray(start, start + length)
  const end = bytes.indexOf(0)
  return end === -1 ? bytes : bytes.subarray(0, end)
}

/** An octal number, or GNU's base 256; undefined for anything else, and for what is negative or above 2^53-1. */
function readNumber(block: Buffer, start: number, length: number): number | undefined {
  const bytes = block.subarray(start, start + length)
  const first = bytes[0] ?? 0
  if (first === 0x80) {
    let value = 0
    for (const byte of bytes.subarray(1)) value = value * 256 + byte
    return Number.isSafeInteger(value) ? value : undefined
  }
  const text = bytes.toString('latin1').replace(/\0.*$/s, '').trim()
  if (text === '') return 0
  return /^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : undefined
}

/** The records of a pax header that decide how a file is read. */
export interface PaxRecords {
  readonly path?: Uint8Array
  readonly size?: number
  readonly modifiedSeconds?: number
}

/** Reads the records `LENGTH KEY=VALUE\n` of a pax header. Throws `invalid_body` for damaged ones and for sparse files. */
export function readPax(bytes: Buffer): PaxRecords {
  const records: { path?: Uint8Array; size?: number; modifiedSeconds?: number } = {}
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at)
    const digits = space === -1 || space - at > 10 ? '' : bytes.toString('latin1', at, space)
    const end = at + Number(digits)
    const equals = bytes.indexOf(0x3d, space)
    if (!/^[1-9]\d*$/.test(digits) || equals === -1 || end > bytes.length || equals >= end || bytes[end - 1] !== 0x0a) {
      throw archiveError('it is damaged (an extended header cannot be read)')
    }
    const key = bytes.toString('utf8', space + 1, equals)
    const value = bytes.subarray(equals + 1, end - 1)
    if (key === 'path') records.path = value
    if (key === 'size') records.size = paxSize(value)
    if (key === 'mtime') records.modifiedSeconds = Number(value.toString('latin1'))
    if (key.startsWith('GNU.sparse.')) throw archiveError('it contains a sparse file; pack it without --sparse')
    at = end
  }
  return records
}

function paxSize(value: Buffer): number {
  const text = value.toString('latin1')
  const size = Number(text)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(size)) {
    throw archiveError('it is damaged (an extended header has a size that is no number of bytes)')
  }
  return size
}

/** A name as text. Throws `invalid_body` if it is not UTF-8. */
export function nameOf(bytes: Uint8Array): string {
  const name = decodeUtf8(bytes)
  if (name === undefined) throw entryError(lossy(bytes), 'has a name that is not UTF-8')
  return name
}

function lossy(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8')
}
