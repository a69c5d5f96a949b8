/**
 * The bytes of stored files as bodies of responses. Small files that are requested often are kept in memory, up to a
 * number of bytes for all sites together: this doubles the requests per second for a file of 10 kB.
 */

import { LRUCache } from 'lru-cache'
import type { StoredContent } from '../../lib/contents/content.ts'
import type { ContentStore } from '../../lib/contents/store.ts'

export interface Contents {
  /**
   * The bytes. Rejects if the file is not on disk, cannot be read or was changed: a file that is kept in memory must
   * have its hash, a larger one its size.
   */
  read(content: StoredContent): Blob | Promise<Blob>
  /** Whether the bytes are sent from disk every time: `read` returns a `Bun.file` of them. */
  isOnDisk(content: StoredContent): boolean
}

export interface ContentLimits {
  /** The most bytes that are kept in memory. */
  readonly memoryBytes: number
  /** The size of the largest file that is kept in memory. */
  readonly fileBytes: number
}

const defaultLimits: ContentLimits = { memoryBytes: 64 * 1024 * 1024, fileBytes: 256 * 1024 }

/** The estimated memory of an entry beside its bytes. */
const entryBytes = 500

export function createContents(
  files: Pick<ContentStore, 'pathOf'>,
  { memoryBytes, fileBytes }: ContentLimits = defaultLimits,
): Contents {
  const inMemory = new LRUCache<string, Blob>({
    maxSize: memoryBytes,
    sizeCalculation: (blob) => blob.size + entryBytes,
  })

  async function load({ hash, size }: StoredContent): Promise<Blob> {
    const file = Bun.file(files.pathOf(hash))
    if (size > fileBytes) {
      if ((await file.stat()).size !== size) throw damaged()
      return file
    }
    const bytes = await file.bytes()
    if (new Bun.CryptoHasher('sha256').update(bytes).digest('hex') !== hash) throw damaged()
    const blob = new Blob([bytes])
    inMemory.set(hash, blob)
    return blob
  }

  return {
    read: (content) => inMemory.get(content.hash) ?? load(content),
    isOnDisk: ({ size }) => size > fileBytes,
  }
}

function damaged(): Error {
  return new Error('its bytes are not those that were stored')
}
