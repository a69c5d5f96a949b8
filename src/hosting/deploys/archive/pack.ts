/**
 * Packs a folder of this machine as the archive of a deploy, a compressed tar archive (POSIX pax), while it is read.
 * All limits are checked before the first content is read.
 */

import { constants, type Dirent, lstatSync } from 'node:fs'
import { open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isStoreSecret } from '../../../database/environment.ts'
import { AppError } from '../../../lib/error.ts'
import { nodeZlib } from '../../../lib/late-modules.ts'
import { systemReason } from '../../../lib/system-error.ts'
import { blockBytes, padding } from './blocks.ts'
import { type ArchiveEntry, type ArchiveLimits, entriesPerFile } from './entry.ts'
import { isLeftOut, storeAdvice } from './names.ts'
import { withoutStore } from './unpack.ts'

/** The files of a folder, before any of them is read. */
export interface Folder {
  /** Relative to the folder, with `/` between their parts. */
  readonly names: readonly string[]
  readonly bytes: number
  /** The files in the order of their names. `onBytes` is called with the number of bytes that were read. */
  entries(onBytes: (bytes: number) => void): AsyncGenerator<ArchiveEntry>
}

interface FoundFile {
  /** Relative to the folder, with `/` between its parts. */
  readonly name: string
  readonly path: string
  readonly size: number
  readonly modifiedMs: number
}

const chunkBytes = 262_144

/**
 * Finds the files of a folder; those that a deploy leaves out are not looked at. Throws `invalid_body` with the path
 * for links, devices and unreadable files, and for a folder with too many files or bytes, or with none.
 */
export async function readFolder(folder: string, limits: ArchiveLimits): Promise<Folder> {
  const isFolder = await stat(folder).then(
    (found) => found.isDirectory(),
    (cause) => {
      throw unreadable(folder, cause)
    },
  )
  if (!isFolder) throw rejected(`${folder} is not a folder.`)
  const files = await findFiles(folder, limits)
  if (files.length === 0) {
    throw rejected(`${folder} has no files to deploy. Files and folders that begin with a dot are left out.`)
  }
  return {
    names: files.map(({ name }) => name),
    bytes: files.reduce((sum, { size }) => sum + size, 0),
    async *entries(onBytes) {
      for (const file of files) yield entryOf(file, onBytes)
    },
  }
}

async function findFiles(folder: string, limits: ArchiveLimits): Promise<FoundFile[]> {
  const files: FoundFile[] = []
  let bytes = 0
  let looked = 0
  const waiting = ['']
  for (let parent = waiting.pop(); parent !== undefined; parent = waiting.pop()) {
    const directory = join(folder, parent)
    const entries: Dirent[] = await readdir(directory, { withFileTypes: true }).catch((cause) => {
      throw unreadable(directory, cause)
    })
    for (const entry of entries) {
      if (++looked > limits.files * entriesPerFile) {
        throw rejected(`${folder} has more than ${limits.files * entriesPerFile} entries.`)
      }
      const name = parent === '' ? entry.name : `${parent}/${entry.name}`
      if (isHidden(name, entry)) continue
      const path = join(folder, name)
      if (isStoreSecret(path)) throw rejected(`${path} is a secret of a store${storeAdvice}.`)
      const found = lstatOf(path)
      if (found.isSymbolicLink()) throw rejected(`${path} is a symbolic link. Replace it by a copy of its target.`)
      // As in an archive that tar makes. A running service has one beside its database, which is rejected in better
      // words.
      if (found.isSocket()) continue
      if (found.isDirectory()) waiting.push(name)
      else if (!found.isFile()) throw rejected(`${path} is neither a file nor a folder. Remove it.`)
      else {
        files.push({ name, path, size: found.size, modifiedMs: found.mtimeMs })
        bytes += found.size
        if (files.length > limits.files) throw rejected(`${folder} has more than ${limits.files} files.`)
        if (bytes > limits.bytes) throw rejected(`${folder} has more than ${limits.bytes} bytes.`)
      }
    }
  }
  return files.sort((a, b) => (a.name < b.name ? -1 : 1))
}

function isHidden(name: string, entry: Dirent): boolean {
  const parts = name.split('/')
  // `.well-known` is left out where it is a file.
  return isLeftOut(entry.isDirectory() ? [...parts, 'file'] : parts)
}

function lstatOf(path: string) {
  try {
    return lstatSync(path)
  } catch (cause) {
    if (path.includes('\uFFFD')) throw rejected(`${path} has a name that is not UTF-8. Rename it.`)
    throw unreadable(path, cause)
  }
}

function entryOf({ name, path, size, modifiedMs }: FoundFile, onBytes: (bytes: number) => void): ArchiveEntry {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    // A link that has taken the place of the file is not followed.
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch((cause) => {
      throw unreadable(path, cause)
    })
    try {
      let read = 0
      for (;;) {
        const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, null)
        read += bytesRead
        if (read > size || (bytesRead === 0 && read < size)) {
          throw rejected(`${path} changed while it was read. Try again.`)
        }
        if (bytesRead === 0) return
        onBytes(bytesRead)
        yield buffer.subarray(0, bytesRead)
      }
    } finally {
      await handle.close()
    }
  }
  return { kind: 'file', name, modifiedMs, size, chunks }
}

function unreadable(path: string, cause: unknown): AppError {
  return new AppError('invalid_body', `${path} can't be read: ${systemReason(cause)}.`, { cause })
}

function rejected(message: string): AppError {
  return new AppError('invalid_body', message)
}

/** The folder in the archive that has everything: the single top folder of an archive is left out of its deploy. */
export const topFolder = 'site'

/** Most files of a website are compressed already or small: more effort would not pay. */
const level = 1

/**
 * The bytes of the archive. Throws what reading the entries throws, and `invalid_body` for the database of a store,
 * before any of its content is packed.
 */
export async function* packTarGz(entries: AsyncIterable<ArchiveEntry>): AsyncGenerator<Uint8Array> {
  const gzip = nodeZlib().createGzip({ level })
  // An error of the source destroys the compressor with it, so that the loop below throws it.
  const piping = pipeline(Readable.from(tarOf(entries)), gzip).catch(() => {})
  try {
    for await (const chunk of gzip) yield chunk as Uint8Array
  } finally {
    gzip.destroy()
    await piping
  }
}

async function* tarOf(entries: AsyncIterable<ArchiveEntry>): AsyncGenerator<Uint8Array> {
  for await (const entry of entries) {
    const { size, modifiedMs } = entry
    const path = `${topFolder}/${entry.name}`
    yield* longName(path)
    yield header(path, size, modifiedMs, '0')
    yield* withoutStore(entry)
    yield padding(size)
  }
  yield Buffer.alloc(2 * blockBytes)
}

/** The extended header for a name that the header itself can't have. */
function* longName(path: string): Generator<Uint8Array> {
  if (path.length <= 100 && /^[\x20-\x7e]+$/.test(path)) return
  const rest = Buffer.byteLength(` path=${path}\n`)
  // Its length counts its own digits.
  const length = [1, 2, 3, 4].map((digits) => rest + digits).find((sum, at) => String(sum).length === at + 1)
  const record = Buffer.from(`${length} path=${path}\n`)
  yield header('pax', record.length, 0, 'x')
  yield record
  yield padding(record.length)
}

/**
 * The header of an entry: of a regular file, or `x` of an extended header. The name has at most 100 bytes, the size is
 * less than 64 GiB.
 */
export function header(name: string, size: number, modifiedMs: number, type: '0' | 'x', mode = 0o644): Buffer {
  const block = Buffer.alloc(blockBytes)
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`
  block.write(name, 0, 100)
  block.write(octal(mode, 7), 100)
  block.write(octal(0, 7), 108)
  block.write(octal(0, 7), 116)
  block.write(octal(size, 11), 124)
  block.write(octal(Math.min(Math.max(Math.floor(modifiedMs / 1_000), 0), 0o77777777777), 11), 136)
  block.write('        ', 148)
  block.write(type, 156)
  block.write('ustar\x0000', 257)
  const checksum = block.reduce((sum, byte) => sum + byte, 0)
  block.write(`${checksum.toString(8).padStart(6, '0')}\0 `, 148)
  return block
}
