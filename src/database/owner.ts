/**
 * Gives what root creates to the owner of the directory that it is in. Without this, a command that is run as root
 * would lock out the service, which runs as a user of its own. SQLite does the same for the files that it creates
 * beside a database, not for the database itself.
 */

import { lchownSync, lstatSync, mkdirSync, type Stats, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Gives a file or directory of root's to the owner of its directory. Does nothing if there is no such file, or if
 * the process is not root's.
 */
export function giveToOwner(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found?.uid !== 0 || !isPlain(found)) return
  const { uid, gid } = statSync(dirname(path))
  if (uid === 0) return
  try {
    lchownSync(path, uid, gid)
  } catch {
    // Not root's process. Whether the file can be used shows when it is used.
  }
}

/** The owner of the directory may have put a link there, to be given what it leads to. */
function isPlain(found: Stats): boolean {
  return found.isDirectory() || (found.isFile() && found.nlink === 1)
}

/**
 * Makes a directory, and those it is in, for their owner alone; does nothing if it is there. Throws what the system
 * throws.
 */
export function makeDirectory(path: string): void {
  const first = mkdirSync(path, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  const made = [path]
  while (made[0] !== undefined && made[0].length > first.length) made.unshift(dirname(made[0]))
  for (const directory of made) giveToOwner(directory)
}
