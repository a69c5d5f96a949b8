/** Deletes contents that no deploy refers to any more. */

import { type Dirent, statSync } from 'node:fs'
import { readdir, rename, rm, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Removed } from '../manifest.ts'
import type { BatchUser, Layout, Pins } from './layout.ts'

/** A deploy of another process, whose open batches are not known here, may still refer to a content of this age. */
const keptMs = 3_600_000
/** How many files are looked at between two turns of the event loop. */
const step = 50

/** The work of `FileStore.sweep`; throws errors of the system as they are. */
export async function sweepContents(
  layout: Layout,
  pins: Pins,
  nowMs: () => number,
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
      if (hash === undefined) await tidy(join(layout.shelf(shelf.name), name))
      else if (!pins.has(hash) && !isReferenced(hash)) {
        const size = await removeOld(layout.pathOf(hash), nowMs() - keptMs)
        if (size !== undefined) {
          files++
          bytes += size
        }
      }
      if (++looked % step === 0) await nextTurn()
    }
  }
  return { files, bytes }
}

const suffix = '.removed'

/**
 * Deletes a file unless it was used after `beforeMs`; returns its size if so. Moving it away first makes this safe
 * beside deploys, also of other processes: they see it missing, and store it again, or its new time is seen here, and it is
 * moved back.
 */
async function removeOld(path: string, beforeMs: number): Promise<number | undefined> {
  const moved = path + suffix
  try {
    if ((await stat(path)).mtimeMs >= beforeMs) return undefined
    await rename(path, moved)
    const { mtimeMs, size } = await stat(moved)
    if (mtimeMs >= beforeMs) {
      await rename(moved, path)
      return undefined
    }
    await unlink(moved)
    return size
  } catch (error) {
    ignoreMissing(error)
    return undefined
  }
}

/**
 * Moves a file back that a killed sweep had moved away, on which the next sweep decides. Deletes the file that a killed restore
 * was writing: a server and a restore never run at once.
 */
async function tidy(path: string): Promise<void> {
  try {
    if (path.endsWith(suffix)) await rename(path, path.slice(0, -suffix.length))
    else if (path.endsWith('.unfinished')) await unlink(path)
  } catch (error) {
    ignoreMissing(error)
  }
}

/** Another process may sweep the same store. */
function ignoreMissing(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
}

/** Deletes the directories of batches that are not open. Those of commands may be open in another process. */
export async function removeBatches(layout: Layout, isOpen: (name: string) => boolean, nowMs: number): Promise<void> {
  for (const { name } of await entriesOf(layout.incoming)) {
    const path = join(layout.incoming, name)
    const isUsed = isOpen(name) || (name.startsWith(command) && isYoung(path, nowMs - keptMs))
    if (!isUsed) await rm(path, { recursive: true, force: true })
  }
}

const command: `${BatchUser}-` = 'command-'

/** Whether something was written after `sinceMs`: a file to the directory, or to its temporary file. */
function isYoung(path: string, sinceMs: number): boolean {
  const times = [path, join(path, 'temporary')].map((one) => statSync(one, { throwIfNoEntry: false })?.mtimeMs ?? 0)
  return Math.max(...times) > sinceMs
}

async function entriesOf(directory: string): Promise<Dirent[]> {
  try {
    return await readdir(directory, { withFileTypes: true })
  } catch (error) {
    ignoreMissing(error)
    return []
  }
}
