/** Replaces a file as a whole. */

import { chmodSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { giveToOwner } from './file-owner.ts'
import { flush } from './flush.ts'

/**
 * Gives a file a new content and mode, by default for its owner alone. It has its old or its new content at every
 * moment, also after a loss of power. Throws the error of the system; nothing is changed then.
 */
export function replaceFile(path: string, content: string, mode = 0o600): void {
  // Another process may replace it, too.
  const incoming = `${path}.${crypto.randomUUID()}`
  try {
    writeFileSync(incoming, content, { flag: 'wx', mode: 0o600, flush: true })
    chmodSync(incoming, mode)
    giveToOwner(incoming)
    renameSync(incoming, path)
    flush(dirname(path))
  } catch (error) {
    rmSync(incoming, { force: true })
    throw error
  }
}
