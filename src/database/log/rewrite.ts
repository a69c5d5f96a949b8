/** Writes the frames of a write-ahead log again. https://sqlite.org/fileformat2.html#the_write_ahead_log */

import { readSync, writeSync } from 'node:fs'

export const headerBytes = 32
export const frameHeaderBytes = 24
/** The last bit tells the byte order of the checksums. */
const magic = 0x377f0682

/**
 * Reads the valid frames of a log, which the system still has in memory after it has failed to write them, and writes the
 * same bytes again, so that the next flush writes them to the disk. Throws if they are less than `frames`, the number that
 * SQLite knows. No process may write to the log meanwhile.
 */
export function rewrite(descriptor: number, frames: number): void {
  const header = read(descriptor, 0, headerBytes)
  const first = header.length === headerBytes ? header.readUInt32BE(0) : 0
  let valid = 0
  if ((first & ~1) >>> 0 === magic) {
    const isBigEndian = (first & 1) === 1
    const frameBytes = frameHeaderBytes + header.readUInt32BE(8)
    const salts = header.subarray(16, 24)
    const sums = new Uint32Array(2)
    addTo(sums, header.subarray(0, 24), isBigEndian)
    writeAt(descriptor, 0, header)
    for (;;) {
      const at = headerBytes + valid * frameBytes
      const frame = read(descriptor, at, frameBytes)
      if (frame.length < frameBytes || !frame.subarray(8, 16).equals(salts)) break
      addTo(sums, frame.subarray(0, 8), isBigEndian)
      addTo(sums, frame.subarray(frameHeaderBytes), isBigEndian)
      if (frame.readUInt32BE(16) !== sums[0] || frame.readUInt32BE(20) !== sums[1]) break
      writeAt(descriptor, at, frame)
      valid++
    }
  }
  if (valid < frames) throw new Error(`only ${valid} of ${frames} frames in the log of the database are intact`)
}

/** Adds bytes, a multiple of eight, to a checksum. https://sqlite.org/fileformat2.html#checksum_algorithm */
function addTo(sums: Uint32Array, bytes: Buffer, isBigEndian: boolean): void {
  let [a, b] = [sums[0] as number, sums[1] as number]
  for (let i = 0; i < bytes.length; i += 8) {
    a = (a + (isBigEndian ? bytes.readUInt32BE(i) : bytes.readUInt32LE(i)) + b) >>> 0
    b = (b + (isBigEndian ? bytes.readUInt32BE(i + 4) : bytes.readUInt32LE(i + 4)) + a) >>> 0
  }
  sums[0] = a
  sums[1] = b
}

/** Less than `bytes` at the end of the file. */
function read(descriptor: number, at: number, bytes: number): Buffer {
  const buffer = Buffer.allocUnsafe(bytes)
  return buffer.subarray(0, readSync(descriptor, buffer, 0, bytes, at))
}

export function writeAt(descriptor: number, at: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done, bytes.length - done, at + done)
}
