/** A stored content, and whether its file still has the bytes that its name promises: disks lose and change bytes. */

import { open } from 'node:fs/promises'
import { isSystemError } from '../system-error.ts'

/** Its SHA-256 in 64 lower-case hexadecimal digits, and its size in bytes. */
export interface StoredContent {
  readonly hash: string
  readonly size: number
}

/** Bytes that are read and hashed between two turns of the event loop. */
const pieceBytes = 262_144

/** Reads the file at `path` and compares its hash. A file that is missing or cannot be read is not intact. */
export async function isIntact(path: string, { hash, size }: StoredContent): Promise<boolean> {
  try {
    const handle = await open(path, 'r')
    try {
      if ((await handle.stat()).size !== size) return false
      const hasher = new Bun.CryptoHasher('sha256')
      const buffer = Buffer.allocUnsafe(Math.min(size, pieceBytes))
      for (let at = 0; at < size; ) {
        const { bytesRead } = await handle.read(buffer, 0, buffer.length, at)
        if (bytesRead === 0) return false
        hasher.update(buffer.subarray(0, bytesRead))
        at += bytesRead
      }
      return hasher.digest('hex') === hash
    } finally {
      await handle.close()
    }
  } catch (error) {
    if (isSystemError(error)) return false
    throw error
  }
}
