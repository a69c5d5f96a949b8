/** Writes an upload to disk while it arrives. */

import { open, rm } from 'node:fs/promises'
import { storageError, writeAll } from './disk.ts'

/**
 * Writes the chunks to a new file, readable by its owner alone. Throws what `reserve` throws, which is called before
 * bytes are written, what reading the chunks throws, and `storage_unavailable` if the disk is full or fails; no file is
 * left then. The file is temporary: it is not synchronized with the disk.
 */
export async function saveUpload(
  chunks: AsyncIterable<Uint8Array>,
  file: string,
  reserve: (bytes: number) => Promise<void>,
): Promise<void> {
  try {
    const handle = await open(file, 'wx', 0o600)
    try {
      for await (const chunk of chunks) {
        await reserve(chunk.byteLength)
        await writeAll(handle, chunk)
      }
    } catch (error) {
      await rm(file, { force: true })
      throw error
    } finally {
      await handle.close()
    }
  } catch (error) {
    throw storageError(error)
  }
}
