/** The size of a directory. It is read file by file in the background, because there may be many. */

import { lstat, opendir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../lib/clock.ts'
import { codeOf } from '../../lib/system-error.ts'

/** How long a result is used, in milliseconds. */
const keptMs = 10_000

/**
 * Returns a function that resolves to the size of the files below `path` in bytes. Files that vanish meanwhile do not
 * count.
 */
export function createFolderSize(path: string, clock: Pick<Clock, 'monotonic'>): () => Promise<number> {
  let result: Promise<number> | undefined
  let finishedMs = Number.NEGATIVE_INFINITY
  let isReading = false

  return () => {
    if (!result || (!isReading && clock.monotonic() - finishedMs >= keptMs)) {
      isReading = true
      result = sizeOf(path).finally(() => {
        isReading = false
        finishedMs = clock.monotonic()
      })
    }
    return result
  }
}

/**
 * `seen` has the files with several names that were counted: contents that backups share with the store are one file.
 */
async function sizeOf(path: string, seen = new Set<number>()): Promise<number> {
  let bytes = 0
  try {
    for await (const entry of await opendir(path)) {
      const inner = join(path, entry.name)
      if (entry.isDirectory()) bytes += await sizeOf(inner, seen)
      else if (entry.isFile())
        bytes += await lstat(inner).then(
          ({ size, nlink, ino }) => {
            if (nlink > 1 && seen.has(ino)) return 0
            if (nlink > 1) seen.add(ino)
            return size
          },
          () => 0,
        )
    }
  } catch (error) {
    // Directories of other users, such as `lost+found`, are left out too.
    if (!['ENOENT', 'ENOTDIR', 'EACCES'].includes(codeOf(error))) throw error
  }
  return bytes
}
