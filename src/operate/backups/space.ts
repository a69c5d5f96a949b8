/** The space that a backup needs. It is checked first, so that no backup takes the last of the disk from the store. */

import { statfsSync } from 'node:fs'
import { byteSize } from '../../lib/byte-size.ts'
import { keptBytes } from '../../lib/contents/free-space.ts'
import { AppError } from '../../lib/error.ts'

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
