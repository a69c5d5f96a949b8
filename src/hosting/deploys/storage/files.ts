/**
 * The file store: contents on disk by their SHA-256, each once, readable by the owner of the data directory alone. A
 * content that has a name is complete and durable.
 */

import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { AppError } from '../../../lib/error.ts'
import type { FileBatch, FileStore } from '../manifest.ts'
import { createBatch } from './batch.ts'
import { createSpaceReserve } from './free-space.ts'
import { createPins, layoutOf } from './layout.ts'
import { removeBatches, sweepContents } from './sweep.ts'
import { stopping, storageError } from './system.ts'

/** A file store in `directory`, which it makes when it is first written to, but not again if it is moved away. */
export function createFileStore(directory: string): FileStore {
  const layout = layoutOf(resolve(directory))
  const pins = createPins()
  const open = new Map<string, FileBatch>()
  const reserve = createSpaceReserve(layout.incoming)
  let isMade = existsSync(layout.directory)
  let isClosed = false

  function assertInPlace(): void {
    if (existsSync(isMade ? layout.directory : dirname(layout.directory))) return
    const message =
      'The directory that holds the files of deploys was moved or removed: put it back. Nothing was changed; try again later.'
    throw new AppError('storage_unavailable', message, { retryAfterSeconds: 60 })
  }

  return {
    pathOf: layout.pathOf,
    begin(): FileBatch {
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
