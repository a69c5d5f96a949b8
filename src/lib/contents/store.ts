/**
 * The content store: files on disk by the SHA-256 of their bytes, each once, and readable only by the owner of the data
 * directory. A content that has a name is complete and durable. The store does not know what refers to a content.
 */

import { type Dirent, existsSync, statSync, unlinkSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../error.ts'
import { codeOf } from '../system-error.ts'
import { type ContentBatch, createBatch, createPins, type Pins } from './batch.ts'
import { stopping, storageError } from './disk.ts'
import { createSpaceReserve } from './free-space.ts'
import { type Layout, layoutOf } from './layout.ts'

/** Content-addressed files on disk. */
export interface ContentStore {
  /** The absolute path of a stored content, for `Bun.file`. Throws a `TypeError` for a text that is not a SHA-256. */
  pathOf(hash: string): string
  /** Starts a batch of new files. It must be closed, even after an error. */
  begin(): ContentBatch
  /**
   * Deletes contents that `isReferenced` denies. Contents of open batches are kept.
   * Works in small steps; `signal` ends it between two. Throws `storage_unavailable` if the disk fails.
   */
  sweep(isReferenced: (hash: string) => boolean, signal?: AbortSignal): Promise<Removed>
  /** Deletes the batches that killed processes left behind. Throws `storage_unavailable`. */
  removeAbandoned(): Promise<void>
  /** Closes all batches, so that the work on them ends with `storage_unavailable`. */
  close(): Promise<void>
}

/** The files that a sweep deleted. */
export interface Removed {
  readonly files: number
  readonly bytes: number
}

/** A store in `directory`, which the first write creates. It is not created again if it is moved away. */
export function createContentStore(directory: string): ContentStore {
  const layout = layoutOf(resolve(directory))
  const pins = createPins()
  const open = new Map<string, ContentBatch>()
  const reserve = createSpaceReserve(layout.incoming)
  let isMade = existsSync(layout.directory)
  let isClosed = false

  function assertInPlace(): void {
    if (existsSync(isMade ? layout.directory : dirname(layout.directory))) return
    const message =
      'The directory that holds uploaded files was moved or removed: put it back. Nothing was changed; try again later.'
    throw new AppError('storage_unavailable', message, { retryAfterSeconds: 60 })
  }

  return {
    pathOf: layout.pathOf,
    begin(): ContentBatch {
      if (isClosed) throw stopping()
      assertInPlace()
      const name = crypto.randomUUID()
      const batch = createBatch({ layout, pins, reserve }, name)
      isMade = true
      open.set(name, batch)
      return {
        ...batch,
        async close(): Promise<void> {
          await batch.close()
          open.delete(name)
        },
      }
    },
    async sweep(isReferenced, signal) {
      try {
        return await sweepContents(layout, pins, isReferenced, signal)
      } catch (error) {
        throw storageError(error)
      }
    },
    async removeAbandoned() {
      try {
        await removeBatches(layout, (name) => open.has(name))
      } catch (error) {
        throw storageError(error)
      }
    },
    async close() {
      isClosed = true
      await Promise.all([...open.values()].map((batch) => batch.close()))
    },
  }
}

/** How many files are looked at between two turns of the event loop. */
const step = 50

/** Deletes contents that are not referenced. Throws errors of the system as they are. */
async function sweepContents(
  layout: Layout,
  pins: Pins,
  isReferenced: (hash: string) => boolean,
  signal?: AbortSignal,
): Promise<Removed> {
  let files = 0
  let bytes = 0
  let looked = 0
  for (const prefix of await entriesOf(layout.directory)) {
    if (!prefix.isDirectory() || prefix.name.length !== 2) continue
    for (const { name } of await entriesOf(layout.directoryOf(prefix.name))) {
      if (signal?.aborted) return { files, bytes }
      const hash = layout.hashAt(prefix.name, name)
      // A killed restore was writing it: a server and a restore never run at once.
      if (name.endsWith('.unfinished')) unlinkSync(join(layout.directoryOf(prefix.name), name))
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
async function removeBatches(layout: Layout, isOpen: (name: string) => boolean): Promise<void> {
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
