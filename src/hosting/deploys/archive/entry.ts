/** Shared by the readers of zip and tar: the entries that they yield, and how they decompress. */

import type { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { AppError, messageOf } from '../../../lib/error.ts'
import { isSystemError } from '../../../lib/system-error.ts'
import { archiveError } from './names.ts'

/** One file, directory or hard link of an archive. The names are as they stand in the archive, and not judged yet. */
export interface ArchiveEntry {
  readonly kind: 'file' | 'directory' | 'link'
  readonly name: string
  /** The name of the file that a hard link is. */
  readonly target?: string
  /** Unix milliseconds as the archive has it; may be anything, even NaN. */
  readonly modifiedMs: number
  /** Declared size in bytes. The reader rejects an entry with another one. */
  readonly size: number
  /** The content. It can be read until the next entry is requested; the rest is skipped. */
  chunks(): AsyncIterable<Uint8Array>
}

export interface ArchiveLimits {
  /** The most regular files, without those that are left out of a deploy. */
  readonly files: number
  /** The most bytes of all files together after unpacking. */
  readonly bytes: number
}

/** The most entries of an archive for each file that it may have: directories, dotfiles and extended headers count. */
export const entriesPerFile = 4

/**
 * The bytes that a decompressor such as `createGunzip()` makes of others. Ends it when the consumer stops. Throws
 * `invalid_body` if it can't read them; errors of the source are passed on.
 */
export async function* decompressed(source: Readable, decompressor: Transform): AsyncGenerator<Uint8Array> {
  // An error of the source destroys the decompressor with it, so that the loop below throws it.
  const piping = pipeline(source, decompressor).catch(() => {})
  try {
    for await (const chunk of decompressor) yield chunk as Uint8Array
  } catch (cause) {
    throw compressionError(cause)
  } finally {
    decompressor.destroy()
    await piping
  }
}

/** `invalid_body` for what a decompressor throws; anything else as it is. */
export function compressionError(cause: unknown): unknown {
  if (cause instanceof AppError || isSystemError(cause)) return cause
  // The words of zlib; the data within a zip archive has no such header.
  if (messageOf(cause) === 'incorrect header check') {
    return archiveError('it is damaged or no gzip archive; a zip archive is sent as application/zip', cause)
  }
  return archiveError('its compressed data is damaged or truncated', cause)
}
