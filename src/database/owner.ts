/**
 * Files that root makes in the service's folder must be the service's, as they are when SQLite makes them, or
 * the next start as the service's own user fails.
 */

import { chownSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Gives what root has made to the owner of the folder that it is in; does nothing if we aren't root. */
export function giveToOwner(path: string): void {
  const { uid, gid } = statSync(dirname(path))
  if (statSync(path).uid !== 0 || uid === 0) return
  try {
    chownSync(path, uid, gid)
  } catch {
    // Root made it at another time. Whether it serves us shows when it is used.
  }
}
