/** Copying and flushing files so that they survive a power cut, and wording the errors of it. */

import { closeSync, existsSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs'
import { AppError } from '../../lib/error.ts'
import { systemReason } from '../../lib/system-error.ts'

const chunkBytes = 1024 * 1024

/** Calls `take` with the first `bytes` of an open file, piece by piece. A piece is valid until the next call. */
export function readPieces(file: number, bytes: number, take: (piece: Uint8Array) => void): void {
  const buffer = Buffer.allocUnsafe(chunkBytes)
  for (let position = 0; position < bytes; ) {
    const length = readSync(file, buffer, 0, Math.min(chunkBytes, bytes - position), position)
    if (length === 0) return
    take(buffer.subarray(0, length))
    position += length
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
  const file = openSync(from, 'r')
  try {
    copyTo(path, file)
  } finally {
    closeSync(file)
  }
}

/** Writes all of a piece at the present position. */
export function writeFully(file: number, piece: Uint8Array): void {
  // A disk that fills up may accept part of a write before it rejects the next one.
  for (let done = 0; done < piece.length; ) done += writeSync(file, piece, done)
}

/** The first of the paths with the numbers 1, 2, 3 and so on at which there is no file. */
export function firstFree(pathOf: (number: number) => string): string {
  let number = 1
  while (existsSync(pathOf(number))) number++
  return pathOf(number)
}

/** Flushes a file's content, or the names in a directory, to the disk. */
export function flush(path: string): void {
  const file = openSync(path, 'r')
  try {
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
  const place = 'path' in cause && /^its? /.test(reason) ? `${String(cause.path)} can't be used: ` : ''
  return new AppError('storage_unavailable', `${what}: ${place}${reason}.`, { cause })
}
