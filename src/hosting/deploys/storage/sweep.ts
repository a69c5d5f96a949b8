/** Deletes contents that no deploy refers to any more. */

import { type Dirent, statSync, unlinkSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { codeOf } from '../../../lib/system-error.ts'
import type { Removed } from '../manifest.ts'
import type { Layout, Pins } from './layout.ts'

/** How many files are looked at between two turns of the event loop. */
const step = 50

/** The work of `FileStore.sweep`; throws errors of the system as they are. */
export async function sweepContents(
  layout: Layout,
  pins: Pins,
  isReferenced: (hash: string) => boolean,
  signal?: AbortSignal,
): Promise<Removed> {
  let files = 0
  let bytes = 0
  let looked = 0
  for (const shelf of await entriesOf(layout.directory)) {
    if (!shelf.isDirectory() || shelf.name.length !== 2) continue
    for (const { name } of await entriesOf(layout.shelf(shelf.name))) {
      if (signal?.aborted) return { files, bytes }
      const hash = layout.hashAt(shelf.name, name)
      // A killed restore was writing it: a server and a restore never run at once.
      if (name.endsWith('.unfinished')) unlinkSync(join(layout.shelf(shelf.name), name))
      else if (hash !== undefined && !pins.has(hash) && !isReferenced(hash)) {
        // Without a turn of the event loop in between, in which a batch could begin to use the content.
        const path = layout.pathOf(hash)
        bytes += statSync(path).size
        unlinkSync(path)
        files++
      }
      if (++looked % step === 0) await nextTurn()
    }
  }
  return { files, bytes }
}

/** Deletes the directories of batches that are not open. */
export async function removeBatches(layout: Layout, isOpen: (name: string) => boolean): Promise<void> {
  for (const { name } of await entriesOf(layout.incoming)) {
    if (!isOpen(name)) await rm(join(layout.incoming, name), { recursive: true, force: true })
  }
}

async function entriesOf(directory: string): Promise<Dirent[]> {
  try {
    return await readdir(directory, { withFileTypes: true })
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
}
