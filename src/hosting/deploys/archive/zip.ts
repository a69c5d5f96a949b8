/**
 * Reads zip archives by their central directory alone: the headers before each content, which other programs believe,
 * give nothing but the place where the content begins. No byte of the file belongs to two entries.
 */

import { type FileHandle, open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Entry, getFileNameLowLevel, ZipFile } from 'yauzl'
import { AppError, messageOf } from '../../../lib/error.ts'
import { nodeZlib } from '../../../lib/late-modules.ts'
import { isSystemError } from '../../../lib/system-error.ts'
import { type ArchiveEntry, type ArchiveLimits, compressionError, decompressed, entriesPerFile } from './entry.ts'
import { archiveError, decodeUtf8, entryError, isIgnored } from './names.ts'

/** Contents up to this size are decompressed at once, which is much faster than a stream for each. */
const smallBytes = 1_048_576

const fileType = 0o170000
const regular = 0o100000
const directory = 0o040000
const symbolicLink = 0o120000

/** The kept part of an entry. The `Entry` of yauzl also has extra fields, of which an archive may have millions. */
interface Located extends Omit<ArchiveEntry, 'chunks'> {
  readonly isCompressed: boolean
  /** Where the content begins in the file, compressed or not, and the bytes that it has there. */
  readonly start: number
  readonly storedSize: number
  readonly checksum: number
}

/**
 * The entries of a zip file by their position in it, without those that a deploy leaves out. Zeros behind the end of
 * the archive are cut off the file. Throws `invalid_body` for archives that are damaged, too large, encrypted or have
 * anything but files and directories; errors of reading the file are passed on.
 */
export async function* readZip(file: string, limits: ArchiveLimits): AsyncGenerator<ArchiveEntry> {
  // Loaded here, because a start does not need it.
  const yauzl = await import('yauzl')
  await cutZeros(file)
  const zip = await yauzl.openPromise(file, { decodeStrings: false, autoClose: false }).catch((error) => {
    throw formatError(error)
  })
  try {
    const entries = await readDirectory(zip, limits, yauzl.getFileNameLowLevel)
    const handle = await open(file)
    try {
      await assertDirectoryEnds(handle, Number(zip.readEntryCursor))
      for (const located of entries) yield archiveEntry(handle, located)
    } finally {
      await handle.close()
    }
  } finally {
    zip.close()
  }
}

/**
 * Zeros behind the end of an archive, which programs that write whole blocks leave there, are cut off up to this many
 * bytes.
 */
const maximumZeros = 1_048_576
/** The end record without its comment, the place of the comment's length in it, and the longest comment. */
const [endBytes, commentLengthAt, maximumComment] = [22, 20, 65_535] as const

async function cutZeros(file: string): Promise<void> {
  const handle = await open(file, 'r+')
  try {
    const { size } = await handle.stat()
    const start = Math.max(0, size - endBytes - maximumComment - maximumZeros)
    const { buffer } = await handle.read(Buffer.alloc(size - start), 0, size - start, start)
    const at = buffer.lastIndexOf('PK\x05\x06', 'latin1')
    if (at === -1 || at + endBytes > buffer.length) return
    const end = at + endBytes + buffer.readUInt16LE(at + commentLengthAt)
    if (end < buffer.length && buffer.subarray(end).every((byte) => byte === 0)) await handle.truncate(start + end)
  } finally {
    await handle.close()
  }
}

/** What may follow the directory: the end record, that of zip64 before it, or a signature. */
const endSignatures: readonly number[] = [0x06054b50, 0x06064b50, 0x05054b50]

/**
 * Throws `invalid_body` if the end record, which counts the entries, does not count all: the rest would be lost
 * unnoticed.
 */
async function assertDirectoryEnds(handle: FileHandle, end: number): Promise<void> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, end)
  if (bytesRead < 4 || !endSignatures.includes(buffer.readUInt32LE())) {
    throw archiveError('its end record names another number of entries than its directory has')
  }
}

type DecodeName = typeof getFileNameLowLevel

async function readDirectory(zip: ZipFile, limits: ArchiveLimits, decodeName: DecodeName): Promise<readonly Located[]> {
  const most = limits.files * entriesPerFile
  if (zip.entryCount > most) throw archiveError(`it has more than ${most} entries`)
  // The type declarations call it a boolean.
  const directoryStart = Number(zip.readEntryCursor)
  const located = new Map<number, Located>()
  let unpacked = 0
  let hasSlash = false
  try {
    for await (const entry of zip.eachEntry()) {
      const name = nameOf(entry, decodeName)
      hasSlash ||= name.includes('/')
      if (isIgnored(withSlashes(name))) continue
      assertReadable(entry, name)
      unpacked += entry.uncompressedSize
      if (unpacked > limits.bytes) throw archiveError(`it has more than ${limits.bytes} bytes when unpacked`)
      const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true })
      const offset = entry.relativeOffsetOfLocalHeader
      if (located.has(offset)) throw entryError(name, 'overlaps another entry')
      located.set(offset, locatedEntry(entry, name, fileDataStart))
    }
  } catch (error) {
    throw formatError(error)
  }
  const sorted = await byPosition(located, directoryStart)
  return hasSlash ? sorted : sorted.map((one) => ({ ...one, name: withSlashes(one.name) }))
}

/** A name of an archive without any `/`: PowerShell 5 separates by backslashes. */
const withSlashes = (name: string) => name.replaceAll('\\', '/')

/** The entries by their position. Throws `invalid_body` if two overlap, or one and the directory of the archive. */
async function byPosition(located: ReadonlyMap<number, Located>, directoryStart: number): Promise<readonly Located[]> {
  // Numbers alone: with a comparison function, 80,000 mixed entries would hold up requests for tens of milliseconds.
  const offsets = Float64Array.from(located.keys()).sort()
  const sorted: Located[] = []
  let end = 0
  for (const offset of offsets) {
    const one = located.get(offset) as Located
    if (offset < end) throw entryError(one.name, 'overlaps another entry')
    end = one.start + one.storedSize
    if (end > directoryStart) throw entryError(one.name, 'overlaps the directory of the archive')
    if (sorted.push(one) % 5_000 === 0) await nextTurn()
  }
  return sorted
}

/** yauzl throws plain errors for what it can't read. */
function formatError(error: unknown): unknown {
  if (error instanceof AppError || isSystemError(error)) return error
  if (messageOf(error).startsWith('strong encryption')) return archiveError('it is encrypted', error)
  return archiveError('it is damaged or no zip archive', error)
}

/** Throws `invalid_body` unless the entry is a file or directory that can be decompressed. */
function assertReadable(entry: Entry, name: string): void {
  // Bit 0: encrypted; 6: strongly encrypted; 13: the directory is encrypted.
  if (entry.generalPurposeBitFlag & 0x2041) throw entryError(name, 'is encrypted')
  if (entry.compressionMethod !== 0 && entry.compressionMethod !== 8) {
    throw entryError(name, `is compressed by method ${entry.compressionMethod}; use deflate`)
  }
  const type = (entry.externalFileAttributes >>> 16) & fileType
  if (type === symbolicLink) throw entryError(name, 'is a symbolic link')
  if (type !== 0 && type !== regular && type !== directory) throw entryError(name, 'is neither a file nor a directory')
  if (isDirectory(entry, name) && entry.uncompressedSize > 0) throw entryError(name, 'is a directory that has content')
}

function isDirectory(entry: Entry, name: string): boolean {
  return /[/\\]$/.test(name) || ((entry.externalFileAttributes >>> 16) & fileType) === directory
}

/**
 * The name as UTF-8, which many programs write without saying so. A name in ASCII may stand in for one in an extra
 * field (0x7075, APPNOTE 4.6.9); any other is in the code page 437 of the format.
 */
function nameOf({ fileNameRaw, generalPurposeBitFlag, extraFields }: Entry, decodeName: DecodeName): string {
  const name = decodeUtf8(fileNameRaw)
  if (name !== undefined && name.length < fileNameRaw.length) return name
  if (name === undefined && generalPurposeBitFlag & 0x800)
    throw entryError(fileNameRaw.toString('utf8'), 'has a name that is not UTF-8')
  // `true`: a backslash is kept, and judged with the rest of the name.
  return decodeName(generalPurposeBitFlag, fileNameRaw, extraFields, true)
}

function locatedEntry(entry: Entry, name: string, start: number): Located {
  return {
    kind: isDirectory(entry, name) ? 'directory' : 'file',
    name,
    // The format has local times without a zone.
    modifiedMs: entry.getLastModDate({ timezone: 'UTC' }).getTime(),
    size: entry.uncompressedSize,
    isCompressed: entry.compressionMethod !== 0,
    start,
    storedSize: entry.compressedSize,
    checksum: entry.crc32,
  }
}

function archiveEntry(handle: FileHandle, located: Located): ArchiveEntry {
  const { kind, name, modifiedMs, size } = located
  return { kind, name, modifiedMs, size, chunks: () => verified(contentOf(handle, located), located) }
}

function contentOf(handle: FileHandle, { start, storedSize, size, isCompressed }: Located): AsyncIterable<Uint8Array> {
  const stored = storedBytes(handle, start, storedSize)
  if (!isCompressed) return stored
  const isSmall = storedSize <= smallBytes && size <= smallBytes
  return isSmall
    ? inflated(stored, size)
    : decompressed(Readable.from(stored, { objectMode: false }), nodeZlib().createInflateRaw({ chunkSize: 65_536 }))
}

async function* storedBytes(handle: FileHandle, start: number, size: number): AsyncGenerator<Uint8Array> {
  for (let at = start; at < start + size; ) {
    const buffer = Buffer.allocUnsafe(Math.min(65_536, start + size - at))
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, at)
    if (bytesRead === 0) throw archiveError('it is truncated')
    at += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

async function* inflated(stored: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of stored) chunks.push(chunk)
  try {
    // One byte more than declared shows that the size is wrong.
    yield await promisify(nodeZlib().inflateRaw)(Buffer.concat(chunks), { maxOutputLength: size + 1 })
  } catch (error) {
    throw compressionError(error)
  }
}

/** The content, with an error instead of its end unless size and checksum are as declared. */
async function* verified(
  chunks: AsyncIterable<Uint8Array>,
  { name, size: declared, checksum: expected }: Located,
): AsyncGenerator<Uint8Array> {
  let size = 0
  let checksum = 0
  for await (const chunk of chunks) {
    size += chunk.byteLength
    if (size > declared) throw entryError(name, 'is larger than the archive declares')
    checksum = nodeZlib().crc32(chunk, checksum)
    yield chunk
  }
  if (size < declared) throw entryError(name, 'is smaller than the archive declares')
  if (checksum !== expected) throw entryError(name, 'is damaged (its checksum is wrong)')
}
