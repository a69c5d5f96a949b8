/** Writes an upload to disk while it arrives. */

import { open, rm } from 'node:fs/promises'
import { AppError } from '../../lib/error.ts'
import { storageError, writeAll } from './system.ts'

/**
 * Writes the chunks to a new file, readable by its owner alone, and returns its size in bytes. Throws
 * `payload_too_large` beyond `maximumBytes`, what `reserve` throws, which is called before bytes are written,
 * `storage_unavailable` if the disk is full or fails, and `invalid_body` if
 * the sender goes away; no file is left then. The file is temporary: it is not synchronized with the disk.
 */
export async function saveUpload(
  chunks: AsyncIterable<Uint8Array>,
  file: string,
  maximumBytes: number,
  reserve: (bytes: number) => Promise<void> = async () => {},
): Promise<number> {
  try {
    const handle = await open(file, 'wx', 0o600)
    try {
      let size = 0
      for await (const chunk of arriving(chunks)) {
        size += chunk.byteLength
        if (size > maximumBytes) {
          throw new AppError('payload_too_large', `The body has more than ${maximumBytes} bytes.`)
        }
        await reserve(chunk.byteLength)
        await writeAll(handle, chunk)
      }
      return size
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

/** The chunks, with an error for the client where the connection ends before the body. */
async function* arriving(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]()
  let isEnded = false
  try {
    for (;;) {
      const { value, done } = await iterator.next().catch((cause) => {
        isEnded = true
        if (cause instanceof AppError) throw cause
        throw new AppError('invalid_body', 'The body did not arrive whole.', { cause })
      })
      if (done) {
        isEnded = true
        return
      }
      yield value
    }
  } finally {
    if (!isEnded) await iterator.return?.()
  }
}
