/**
 * Changes the owner of files that root creates to the owner of their directory. Otherwise a command that is run as root
 * would lock out the service, which runs as another user. SQLite does the same for the files that it creates beside a
 * database, but not for the database itself.
 */

import { lchownSync, lstatSync, mkdirSync, type Stats, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Changes the owner of a file or directory from root to the owner of its parent directory. Does nothing if it does not
 * exist, or if the process does not run as root.
 */
export function giveToOwner(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found?.uid !== 0 || !isPlain(found)) return
  const { uid, gid } = statSync(dirname(path))
  if (uid === 0) return
  try {
    lchownSync(path, uid, gid)
  } catch {
    // The process does not run as root. If the file can't be used, opening it fails with the reason.
  }
}

/** The owner of the directory could place a link there, in order to become the owner of its target. */
function isPlain(found: Stats): boolean {
  return found.isDirectory() || found.isSocket() || (found.isFile() && found.nlink === 1)
}

/**
 * Creates a directory and its missing parents, readable by their owner alone. Returns the first that it created, or
 * undefined if the directory exists. Throws the error of the system.
 */
export function makeDirectory(path: string): string | undefined {
  const first = mkdirSync(path, { recursive: true, mode: 0o700 })
  if (first === undefined) return undefined
  const created = [path]
  while (created[0] !== undefined && created[0].length > first.length) created.unshift(dirname(created[0]))
  for (const directory of created) giveToOwner(directory)
  return first
}
