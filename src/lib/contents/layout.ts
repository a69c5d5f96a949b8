/** The paths of a content store: `ab/cdef…` by hash, and `incoming/` for batches that are not committed. */

import { join } from 'node:path'

const hashPattern = /^[0-9a-f]{64}$/

/** The paths of a store in an absolute `directory`. */
export function layoutOf(directory: string) {
  return {
    directory,
    incoming: join(directory, 'incoming'),
    /** The directory of the hashes that begin with these two digits. */
    directoryOf: (prefix: string) => join(directory, prefix),
    /** Throws a `TypeError` for a text that is not a SHA-256, which would name a file outside of the store. */
    pathOf(hash: string): string {
      if (!hashPattern.test(hash)) throw new TypeError(`not a SHA-256 in hexadecimal digits: ${JSON.stringify(hash)}`)
      return join(directory, hash.slice(0, 2), hash.slice(2))
    },
    /** The hash of a file by its directory and name; undefined for files that are not the store's. */
    hashAt(prefix: string, name: string): string | undefined {
      return hashPattern.test(prefix + name) && prefix.length === 2 ? prefix + name : undefined
    },
  }
}
export type Layout = ReturnType<typeof layoutOf>
