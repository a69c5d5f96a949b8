/**
 * Leaves space on the disk for everything else: an upload that would fill it is rejected, and the database can still be
 * written.
 */

import { statfs } from 'node:fs/promises'
import { byteSize } from '../byte-size.ts'
import { AppError } from '../error.ts'

/** The part of the disk that uploads and backups leave free, up to `mostKeptBytes`. */
const keptShare = 0.05
const mostKeptBytes = 256 * 1_048_576

/** The bytes that uploads and backups leave free on a disk of `totalBytes`. */
export const keptBytes = (totalBytes: number): number => Math.min(mostKeptBytes, totalBytes * keptShare)

/**
 * Returns a function to call before bytes are written to the disk of `directory`, which must exist by then. It throws
 * `storage_unavailable` if they would use the last of its space. `ofBatch` counts all bytes of the batch so far.
 */
export function createSpaceReserve(directory: string): (bytes: number, ofBatch: number) => Promise<void> {
  /** Bytes since the last look at the disk. The next look follows after `step` bytes. */
  let unseen = 0
  let step = 0
  return async (bytes, ofBatch) => {
    unseen += bytes
    if (unseen < step) return
    const { bavail, blocks, bsize } = await statfs(directory)
    const kept = keptBytes(blocks * bsize)
    const free = bavail * bsize
    unseen = 0
    step = kept / 16
    if (free - bytes >= kept) return
    // The next bytes look again.
    step = 0
    const needed = `too full for this upload, which needs more than ${byteSize(ofBatch)} beside the ${byteSize(kept)} that stay free for other data`
    const message = `The disk that holds uploaded files is ${free === 0 ? 'full' : needed}. Nothing was changed; free some space on it and try again.`
    throw new AppError('storage_unavailable', message, { retryAfterSeconds: 60 })
  }
}
