/**
 * Reads a folder of this machine as the entries of an archive. All limits are checked before the first content is read.
 */

import { constants, type Dirent, lstatSync } from 'node:fs'
import { open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isStoreSecret } from '../../../database/environment.ts'
import { AppError } from '../../../lib/error.ts'
import { systemReason } from '../../../lib/system-error.ts'
import { type ArchiveEntry, type ArchiveLimits, entriesPerFile } from './entry.ts'
import { isLeftOut, storeAdvice } from './names.ts'

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
