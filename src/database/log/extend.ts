/**
 * Extends the write-ahead log with zeros before SQLite needs the space. A flush of a file that has grown waits until the file
 * system has recorded the new size as well, and takes about twice as long as a flush of bytes that were overwritten. SQLite
 * ignores what follows the last valid frame. https://sqlite.org/fileformat2.html#the_write_ahead_log
 */

import type { Database } from 'bun:sqlite'
import { fstatSync } from 'node:fs'
import { frameHeaderBytes, headerBytes, writeAt } from './rewrite.ts'

/** The flush of these bytes delays one transaction. */
const extensionBytes = 1_048_576

/** The log is extended when less than this is left. */
const spareBytes = 262_144

/**
 * Returns a function that extends the log, of which SQLite has written so many frames, if little space is left, but not
 * beyond `maximumFrames`. It does nothing if another process writes or the disk is full: commits extend the log themselves then.
 * To be called outside of a transaction.
 */
export function createExtension(
  connection: Database,
  descriptor: number,
  maximumFrames: number,
  sizeOf: (descriptor: number) => number = (one) => fstatSync(one).size,
) {
  const { bytes: pageBytes } = connection
    .query<{ bytes: number }, []>('SELECT page_size AS bytes FROM pragma_page_size')
    .get() ?? { bytes: 0 }
  const bytesOf = (frames: number) => headerBytes + frames * (frameHeaderBytes + pageBytes)
  // Each look at the size would slow the next flush (decision 25).
  let knownBytes = 0
  let knownFrames = 0

  return (frames: number): void => {
    const neededBytes = Math.min(bytesOf(frames) + spareBytes, bytesOf(maximumFrames))
    // A log that has begun anew may have been truncated.
    if (frames < knownFrames) knownBytes = 0
    knownFrames = frames
    if (knownBytes >= neededBytes) return
    const isShort = () => {
      knownBytes = sizeOf(descriptor)
      return knownBytes < neededBytes
    }
    try {
      if (!isShort()) return
      // Nobody may append meanwhile.
      connection.run('BEGIN IMMEDIATE')
      if (isShort()) writeAt(descriptor, knownBytes, Buffer.alloc(extensionBytes))
      knownBytes = sizeOf(descriptor)
    } catch {
    } finally {
      if (connection.inTransaction) connection.run('ROLLBACK')
    }
  }
}
