/**
 * The file store: contents on disk by their SHA-256, each once, readable by the owner of the data directory alone. A
 * content that has a name is complete and durable.
 */

import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import type { FileBatch, FileStore } from '../manifest.ts'
import { createBatch } from './batch.ts'
import { createPins, layoutOf } from './layout.ts'
import { removeBatches, sweepContents } from './sweep.ts'
import { storageError } from './system.ts'

/**
 * A file store in `directory`, which it makes when it is first written to. `nowMs` is the time that ages of files are
 * judged by, in Unix milliseconds.
 */
export function createFileStore(directory: string, nowMs: () => number = Date.now): FileStore {
  const layout = layoutOf(resolve(directory))
  const pins = createPins()
  const open = new Set<string>()

  return {
    pathOf: layout.pathOf,
    begin(): FileBatch {
      const name = randomUUID()
      const batch = createBatch(layout, pins, nowMs, name)
      open.add(name)
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
        return await sweepContents(layout, pins, nowMs, isReferenced, signal)
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
  }
}
