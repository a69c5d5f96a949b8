/**
 * Unpacks the archive of a deploy. It is all or nothing: an archive that breaks one rule is rejected whole, and since
 * its files are in a batch that is then closed without a commit, nothing of it is left.
 */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { databaseHeaderBytes, isStoreHeader, isStoreSecret } from '../../../database/environment.ts'
import type { ContentBatch } from '../../../lib/contents/batch.ts'
import { AppError } from '../../../lib/error.ts'
import { isSystemError, systemReason } from '../../../lib/system-error.ts'
import { contentTypeOf, isReserved, type Manifest, type SiteFile } from '../manifest.ts'
import { type ArchiveEntry, type ArchiveLimits, entriesPerFile } from './entry.ts'
import {
  archiveError,
  createNameIndex,
  createTopFolder,
  entryError,
  isIgnored,
  partsOf,
  shown,
  storeAdvice,
} from './names.ts'
import { readTarGz } from './tar.ts'
import { readZip } from './zip.ts'

/** The media types of archives, by the reader of each. */
const readers = { 'application/gzip': readTarGz, 'application/zip': readZip } as const
export type ArchiveType = keyof typeof readers
export const archiveTypes = Object.keys(readers) as readonly ArchiveType[]

/** The most bytes of an archive. */
export const maximumArchiveBytes = 100 * 1_048_576
/** The most that an archive may unpack to. */
export const archiveLimits: ArchiveLimits = { files: 20_000, bytes: 500 * 1_048_576 }

export interface UnpackOptions {
  /** Where the contents are stored. It is neither committed nor closed here. */
  readonly batch: Pick<ContentBatch, 'add'>
  /** Unix milliseconds. No file is newer. */
  readonly nowMs: number
  readonly limits?: ArchiveLimits
}

/**
 * Reads an archive on disk and adds its files to the batch. Throws `invalid_body`, with the entry that is at fault,
 * also for an archive with the database of a store, and `storage_unavailable`. Names are in NFC; `__MACOSX`, dotfiles
 * outside of `.well-known/`, what the service serves itself (`isReserved`) and a single top folder are left out.
 */
export async function unpack(archive: string, type: ArchiveType, options: UnpackOptions): Promise<Manifest> {
  const { limits = archiveLimits } = options
  return await unpackEntries(readers[type](archive, limits), options)
}

/** Like `unpack` for entries that are read already. */
export async function unpackEntries(
  entries: AsyncIterable<ArchiveEntry>,
  { batch, nowMs, limits = archiveLimits }: UnpackOptions,
): Promise<Manifest> {
  const names = createNameIndex(limits.files * entriesPerFile)
  const topFolder = createTopFolder()
  const found = new Map<string, SiteFile>()
  let bytes = 0
  let charactersInTurn = 0
  try {
    for await (const entry of entries) {
      charactersInTurn += entry.name.length
      if (charactersInTurn > charactersPerTurn) {
        // Nothing else lets requests in between where many entries have no content.
        await nextTurn()
        charactersInTurn = 0
      }
      const parts = partsOf(entry.name)
      if (entry.kind === 'directory') continue
      if (parts.length === 0) throw entryError(entry.name, 'is a file without a name')
      const path = parts.join('/')
      names.add(parts)
      topFolder.add(parts)
      if (found.size === limits.files) throw archiveError(`it has more than ${limits.files} files`)
      const { hash, size } = entry.kind === 'link' ? targetOf(entry, found) : await batch.add(withoutStore(entry))
      bytes += size
      // The reader has counted each content once.
      if (bytes > limits.bytes) throw archiveError(`it has more than ${limits.bytes} bytes when unpacked`)
      const contentType = contentTypeOf(parts.at(-1) ?? '')
      found.set(path, { path, hash, size, contentType, modifiedMs: modifiedOf(entry, nowMs) })
    }
  } catch (cause) {
    if (cause instanceof AppError || !isSystemError(cause)) throw cause
    throw new AppError('storage_unavailable', `The archive can't be read: ${systemReason(cause)}.`, { cause })
  }
  if (found.size === 0) throw archiveError('it has no files to serve')
  return siteOf([...found.values()], topFolder.exists())
}

/** The file that a hard link is. Throws `invalid_body` unless it comes before the link and is part of the deploy. */
function targetOf({ name, target = '' }: ArchiveEntry, found: ReadonlyMap<string, SiteFile>): SiteFile {
  const file = found.get(partsOf(target).join('/'))
  if (file) return file
  const reason = isIgnored(target) ? 'which is left out' : 'which is no earlier file of the archive'
  throw entryError(name, `is a hard link to "${shown(target)}", ${reason}; pack it with --hard-dereference`)
}

/** Characters of names that are examined between two turns of the event loop: about a millisecond. */
const charactersPerTurn = 5_000
/** Files that are looked at once more between two turns: 20,000 would hold up requests for tens of milliseconds. */
const filesPerTurn = 500

async function siteOf(found: readonly SiteFile[], isFolder: boolean): Promise<Manifest> {
  const manifest: SiteFile[] = []
  for (const [at, file] of found.entries()) {
    const path = isFolder ? file.path.slice(file.path.indexOf('/') + 1) : file.path
    if (!isReserved(path)) manifest.push({ ...file, path })
    if (at % filesPerTurn === 0) await nextTurn()
  }
  if (manifest.length === 0) throw archiveError('it has no files to serve')
  return manifest
}

/**
 * The content of an entry. Reading it throws `invalid_body` if it is the database of a store, whatever its name, or
 * lies where a store has its secrets: a deploy of the data directory, or of a folder that contains it, would publish
 * keys and customers.
 */
export async function* withoutStore({ name, chunks }: ArchiveEntry): AsyncGenerator<Uint8Array> {
  if (isStoreSecret(name)) throw entryError(name, `is a secret of a store${storeAdvice}`)
  let start: Buffer | undefined = Buffer.alloc(0)
  for await (const chunk of chunks()) {
    if (start) {
      start = Buffer.concat([start, chunk.subarray(0, databaseHeaderBytes)])
      if (isStoreHeader(start)) throw entryError(name, `is the database of a store, or a backup of one,${storeAdvice}`)
      if (start.length >= databaseHeaderBytes) start = undefined
    }
    yield chunk
  }
}

/**
 * Whole seconds between 1970 and now: HTTP dates have no fractions, and a future one would be wrong (RFC 9110,
 * 8.8.2.1).
 */
function modifiedOf({ modifiedMs }: ArchiveEntry, nowMs: number): number {
  const seconds = Math.floor(Math.min(Math.max(modifiedMs || 0, 0), nowMs) / 1000)
  return seconds * 1000
}
