/** Errors of the disk that has the contents, and writes that survive a power failure. */

import { type FileHandle, open } from 'node:fs/promises'
import { AppError } from '../error.ts'
import { codeOf, isSystemError, systemReason } from '../system-error.ts'

/** `storage_unavailable` for an error of the system; anything else as it is. */
export function storageError(cause: unknown): unknown {
  if (!isSystemError(cause)) return cause
  const message = isFull(cause)
    ? 'The disk that holds uploaded files is full. Nothing was changed; free some space on it and try again.'
    : `Uploaded files can't be stored: ${systemReason(cause)}. Nothing was changed; try again later.`
  return new AppError('storage_unavailable', message, { cause, retryAfterSeconds: 60 })
}

function isFull(error: unknown): boolean {
  return /^(ENOSPC|EDQUOT)$/.test(codeOf(error))
}

/** The error of work that the stop of the service interrupts. */
export function stopping(): AppError {
  return new AppError('storage_unavailable', 'The service is stopping. Nothing was changed; try again later.', {
    retryAfterSeconds: 5,
  })
}

/** Writes all of a buffer; a write to a nearly full disk may take a part of it. */
export async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.byteLength; ) at += (await handle.write(bytes, at, bytes.byteLength - at)).bytesWritten
}

/** Waits until a file or a directory is on disk. */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Runs `work` for each item, several at once. After an error no further ones are started. */
export async function forEach<T>(items: Iterable<T>, atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  const iterator = items[Symbol.iterator]()
  let failed = false
  const worker = async () => {
    for (let next = iterator.next(); !next.done && !failed; next = iterator.next()) await work(next.value)
  }
  const results = await Promise.allSettled(
    Array.from({ length: atOnce }, () =>
      worker().catch((error) => {
        failed = true
        throw error
      }),
    ),
  )
  for (const result of results) if (result.status === 'rejected') throw result.reason
}
