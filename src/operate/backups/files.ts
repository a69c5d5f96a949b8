/**
 * Copies and flushes files so that they survive a loss of power, if the disk has the space for them, and puts the errors
 * of that into words.
 */

import {
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  lstatSync,
  openSync,
  readSync,
  rmSync,
  statfsSync,
  writeSync,
} from 'node:fs'
import { byteSize } from '../../lib/byte-size.ts'
import { keptBytes } from '../../lib/contents/free-space.ts'
import { AppError } from '../../lib/error.ts'
import { giveToOwner } from '../../lib/file-owner.ts'
import { isSystemError, systemReason } from '../../lib/system-error.ts'

const chunkBytes = 262_144

/**
 * Throws `storage_unavailable` with a message that begins with `what` if the disk of `directory` has no space for
 * `bytes` beside what stays free for the store.
 */
export function assertSpace(directory: string, bytes: number, what: string): void {
  const { bavail, blocks, bsize } = statfsSync(directory)
  const [free, kept] = [bavail * bsize, keptBytes(blocks * bsize)]
  if (free - bytes >= kept) return
  const needed = `${byteSize(bytes)} beside the ${byteSize(kept)} that stay free for the store are needed`
  const message = `${what}: ${needed} on the disk of ${directory}, which has ${byteSize(free)}. Free some space on it, then try again.`
  throw new AppError('storage_unavailable', message, { retryAfterSeconds: 60 })
}

/** Calls `take` with the first `bytes` of an open file, piece by piece. A piece is valid until the next call. */
function readPieces(file: number, bytes: number, take: (piece: Uint8Array) => void): void {
  const buffer = Buffer.allocUnsafe(chunkBytes)
  for (let position = 0; position < bytes; ) {
    const length = readSync(file, buffer, 0, Math.min(chunkBytes, bytes - position), position)
    if (length === 0) return
    take(buffer.subarray(0, length))
    position += length
  }
}

/** Opens a file for reading while `use` runs. */
export function withFile<T>(path: string, use: (file: number) => T): T {
  const file = openSync(path, 'r')
  try {
    return use(file)
  } finally {
    closeSync(file)
  }
}

/** The SHA-256 of the first `bytes` of an open file, in hexadecimal digits. */
export function sumOf(file: number, bytes = Number.POSITIVE_INFINITY): string {
  const hash = new Bun.CryptoHasher('sha256')
  readPieces(file, bytes, (piece) => hash.update(piece))
  return hash.digest('hex')
}

/** The SHA-256 of a regular file in hexadecimal digits; undefined if there is none, or if it cannot be read. */
export function hashOf(path: string): string | undefined {
  try {
    if (!lstatSync(path, { throwIfNoEntry: false })?.isFile()) return undefined
    return withFile(path, (file) => sumOf(file))
  } catch (error) {
    if (isSystemError(error)) return undefined
    throw error
  }
}

/** Copies an open file to a new one at `path`, for its owner alone. */
export function copyTo(path: string, file: number): void {
  const target = openSync(path, 'wx', 0o600)
  try {
    readPieces(file, Number.POSITIVE_INFINITY, (piece) => writeFully(target, piece))
    fsyncSync(target)
  } finally {
    closeSync(target)
  }
}

/** Like `copyTo`, for the file at `from`. */
export function copyFileTo(path: string, from: string): void {
  withFile(from, (file) => copyTo(path, file))
}

/** Writes all of a piece at the present position. */
export function writeFully(file: number, piece: Uint8Array): void {
  // A disk that fills up may accept part of a write before it rejects the next one.
  for (let done = 0; done < piece.length; ) done += writeSync(file, piece, done)
}

/** Writes a new file and flushes it to the disk; none is left if that fails. */
export async function save(path: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  rmSync(path, { force: true })
  try {
    const file = openSync(path, 'wx', 0o600)
    try {
      giveToOwner(path)
      for await (const chunk of content) writeFully(file, chunk)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
  } catch (error) {
    rmSync(path, { force: true })
    throw error
  }
}

/** A content as it is. Throws what `fault` returns at its end if it has another SHA-256. */
export async function* checked(
  content: AsyncIterable<Uint8Array>,
  sha256: string,
  fault: () => Error,
): AsyncGenerator<Uint8Array, void> {
  const hash = new Bun.CryptoHasher('sha256')
  for await (const chunk of content) {
    hash.update(chunk)
    yield chunk
  }
  if (hash.digest('hex') !== sha256) throw fault()
}

/** The first of the paths with the numbers 1, 2, 3 and so on at which there is no file. */
export function firstFree(pathOf: (number: number) => string): string {
  let number = 1
  while (existsSync(pathOf(number))) number++
  return pathOf(number)
}

/** After each piece, the commits of the store have the disk for themselves for so many milliseconds. */
const pauseMs = 4

/**
 * Flushes a large file's content to the disk, a piece at a time: behind a single flush, a commit of the store waits
 * until all of the file is written. Each piece is written again, since no other call of Node flushes a part of a file.
 */
export function flushInPieces(path: string): void {
  const file = openSync(path, constants.O_RDWR | constants.O_DSYNC)
  try {
    // Reading does not move the position at which is written.
    readPieces(file, Number.POSITIVE_INFINITY, (piece) => {
      writeFully(file, piece)
      Bun.sleepSync(pauseMs)
    })
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/**
 * Turns an error of the system or of SQLite into `storage_unavailable` with one line that begins with `what`. Returns
 * any other error as it is.
 */
export function explained(what: string, cause: unknown): unknown {
  if (cause instanceof AppError || !(cause instanceof Error) || !('code' in cause)) return cause
  const reason = systemReason(cause)
  // Some reasons are about a file: "its permissions forbid it".
  const place = 'path' in cause && /^(its?|there is) /.test(reason) ? `${String(cause.path)} can't be used: ` : ''
  return new AppError('storage_unavailable', `${what}: ${place}${reason}.`, { cause })
}
