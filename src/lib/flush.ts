/** Makes files and their names survive a loss of power. */

import { closeSync, fsyncSync, openSync } from 'node:fs'

/** Flushes a file's content, or the names in a directory, to the disk. Throws the error of the system. */
export function flush(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
