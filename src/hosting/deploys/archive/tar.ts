/**
 * Reads compressed tar archives as a stream: memory is bounded by a chunk and the headers before one file. Everything
 * that is not a regular file, a directory or a hard link rejects the archive, unless a deploy leaves it out.
 */

import { createReadStream } from 'node:fs'
import { nodeZlib } from '../../../lib/late-modules.ts'
import { createInput, type Input, isZero, padding } from './blocks.ts'
import { type ArchiveEntry, type ArchiveLimits, decompressed, entriesPerFile } from './entry.ts'
import { archiveError, decodeUtf8, entryError, isIgnored } from './names.ts'

/** The most bytes of an extended header. Paths have at most 1,024, but macOS stores attributes of files there. */
const maximumHeaderBytes = 1_048_576
/** How much is read after the end mark, to reach the checksum of gzip: writers fill whole records up with zeros. */
const maximumPaddingBytes = 16 * 1_048_576

const rejectedTypes: ReadonlyMap<string, string> = new Map([
  ['2', 'is a symbolic link'],
  ['3', 'is a device'],
  ['4', 'is a device'],
  ['6', 'is a pipe'],
  ['S', 'is a sparse file; pack it without --sparse'],
])

/**
 * The entries of a tar.gz file in their order, without those that a deploy leaves out. Throws `invalid_body` for
 * archives that are damaged, too large or have anything but files, directories and hard links; errors of reading the
 * file are passed on.
 */
export async function* readTarGz(file: string, limits: ArchiveLimits): AsyncGenerator<ArchiveEntry> {
  const source = createReadStream(file, { highWaterMark: 65_536 })
  const unpacked = decompressed(source, nodeZlib().createGunzip({ chunkSize: 65_536 }))
  const input = createInput(unpacked, truncated)
  try {
    yield* readEntries(input, limits)
  } finally {
    await input.close()
    source.destroy()
  }
}

async function* readEntries(input: Input, limits: ArchiveLimits): AsyncGenerator<ArchiveEntry> {
  let unpacked = 0
  let global: PaxRecords = {}
  let next: PaxRecords = {}
  let isNextExpected = false
  for (let count = 0; ; count++) {
    const block = await input.block()
    if (block === undefined || isZero(block)) break
    if (count > limits.files * entriesPerFile) throw archiveError(`it has more than ${count - 1} entries`)
    const header = readHeader(block)
    const isExtension = 'xgLK'.includes(header.type)
    const entry = isExtension ? header : withRecords(header, { ...global, ...next })
    const { size } = entry
    unpacked += size
    if (unpacked > limits.bytes) throw archiveError(`it has more than ${limits.bytes} bytes when unpacked`)

    if (isExtension) {
      if (size > maximumHeaderBytes) throw archiveError('it has an extended header that is too long')
      const bytes = await input.exactly(size)
      await input.exactly(padding(size).length)
      if (header.type === 'x') next = { ...next, ...readPax(bytes) }
      if (header.type === 'g') global = { ...global, ...globalRecords(readPax(bytes)) }
      if (header.type === 'L') next = { ...next, path: withoutNul(bytes) }
      if (header.type === 'K') next = { ...next, linkPath: withoutNul(bytes) }
      isNextExpected ||= header.type !== 'g'
      continue
    }
    next = {}
    isNextExpected = false
    const content = input.content(size)
    if (!isIgnored(lossy(entry.path))) yield readEntry(entry, content.chunks)
    await content.skip()
  }
  if (isNextExpected) throw truncated()
  if (!(await input.endsWithin(maximumPaddingBytes))) throw archiveError('it continues after its end')
}

/** Throws `invalid_body` for anything but a file, a directory and a hard link. */
function readEntry(
  { path, linkPath, type, modifiedSeconds, size }: TarHeader,
  chunks: ArchiveEntry['chunks'],
): ArchiveEntry {
  const name = nameOf(path)
  const fault = rejectedTypes.get(type)
  if (fault !== undefined) throw entryError(name, fault)
  if (!'0157'.includes(type)) throw entryError(name, 'is neither a file nor a directory')
  const common = { name, modifiedMs: modifiedSeconds * 1000, size, chunks }
  if (type === '1') return { ...common, kind: 'link', target: nameOf(linkPath) }
  // The oldest archives mark directories by the slash alone.
  const kind = type === '5' || name.endsWith('/') ? 'directory' : 'file'
  if (kind === 'directory' && size > 0) throw entryError(name, 'is a directory that has content')
  return { ...common, kind }
}

/** A header for all files that follow may set their time. A common name or size would be an attack. */
function globalRecords({ path, linkPath, size, ...records }: PaxRecords): PaxRecords {
  if ((path ?? linkPath ?? size) !== undefined) throw archiveError('it gives all files one name or size')
  return records
}

/** A header with the records of the extended headers before it. Links have no content, whatever size they name. */
function withRecords(header: TarHeader, records: PaxRecords): TarHeader {
  return { ...header, ...records, ...('12'.includes(header.type) ? { size: 0 } : {}) }
}

function withoutNul(bytes: Buffer): Buffer {
  const end = bytes.indexOf(0)
  return end === -1 ? bytes : bytes.subarray(0, end)
}

function truncated() {
  return archiveError('it is truncated')
}

interface TarHeader {
  /** The name as bytes, and for a link that of its target; a pax or GNU header before this one may replace them. */
  readonly path: Uint8Array
  readonly linkPath: Uint8Array
  readonly size: number
  readonly modifiedSeconds: number
  /** The type flag: one character, `0` for regular files. */
  readonly type: string
}

/** Reads a block of 512 bytes. Throws `invalid_body` if it is not a header. */
function readHeader(block: Buffer): TarHeader {
  if (!hasChecksum(block)) throw archiveError('it is damaged or no tar archive (a header has a wrong checksum)')
  const magic = block.toString('latin1', 257, 263)
  // GNU keeps times where POSIX has the prefix.
  const prefix = magic === 'ustar\0' ? field(block, 345, 155) : Buffer.alloc(0)
  const end = field(block, 0, 100)
  const path = prefix.length > 0 ? Buffer.concat([prefix, Buffer.from('/'), end]) : end
  const linkPath = field(block, 157, 100)
  const flag = block.toString('latin1', 156, 157)
  const type = flag === '\0' ? '0' : flag
  const size = readNumber(block, 124, 12)
  if (size === undefined) throw entryError(lossy(path), 'has a size that is no number of bytes')
  return { path, linkPath, size, modifiedSeconds: readNumber(block, 136, 12) ?? 0, type }
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
interface PaxRecords {
  readonly path?: Uint8Array
  readonly linkPath?: Uint8Array
  readonly size?: number
  readonly modifiedSeconds?: number
}

/**
 * Reads the records `LENGTH KEY=VALUE\n` of a pax header. Throws `invalid_body` for damaged ones and for sparse files.
 */
function readPax(bytes: Buffer): PaxRecords {
  const records: { -readonly [key in keyof PaxRecords]: PaxRecords[key] } = {}
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
    if (key === 'linkpath') records.linkPath = value
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
function nameOf(bytes: Uint8Array): string {
  const name = decodeUtf8(bytes)
  if (name === undefined) throw entryError(lossy(bytes), 'has a name that is not UTF-8')
  return name
}

function lossy(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8')
}
