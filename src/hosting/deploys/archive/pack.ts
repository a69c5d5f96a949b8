/**
 * Packs a folder of this machine as the archive of a deploy, a compressed tar archive (POSIX pax), while it is read.
 */

import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { nodeZlib } from '../../../lib/late-modules.ts'
import type { ArchiveEntry } from './entry.ts'
import { withoutStore } from './unpack.ts'

/** The folder in the archive that has everything: the single top folder of an archive is left out of its deploy. */
export const topFolder = 'site'

export const blockBytes = 512
/** Most files of a website are compressed already or small: more effort would not pay. */
const level = 1

/**
 * The bytes of the archive. Throws what reading the entries throws, and `invalid_body` for the database of a store,
 * before any of its content is packed.
 */
export async function* packTarGz(entries: AsyncIterable<ArchiveEntry>): AsyncGenerator<Uint8Array> {
  const gzip = nodeZlib().createGzip({ level })
  // An error of the source destroys the compressor with it, so that the loop below throws it.
  const piping = pipeline(Readable.from(tarOf(entries)), gzip).catch(() => {})
  try {
    for await (const chunk of gzip) yield chunk as Uint8Array
  } finally {
    gzip.destroy()
    await piping
  }
}

async function* tarOf(entries: AsyncIterable<ArchiveEntry>): AsyncGenerator<Uint8Array> {
  for await (const entry of entries) {
    const { size, modifiedMs } = entry
    const path = `${topFolder}/${entry.name}`
    yield* longName(path)
    yield header(path, size, modifiedMs, '0')
    yield* withoutStore(entry)
    yield padding(size)
  }
  yield Buffer.alloc(2 * blockBytes)
}

/** The extended header for a name that the header itself can't have. */
function* longName(path: string): Generator<Uint8Array> {
  if (path.length <= 100 && /^[\x20-\x7e]+$/.test(path)) return
  const rest = Buffer.byteLength(` path=${path}\n`)
  // Its length counts its own digits.
  const length = [1, 2, 3, 4].map((digits) => rest + digits).find((sum, at) => String(sum).length === at + 1)
  const record = Buffer.from(`${length} path=${path}\n`)
  yield header('pax', record.length, 0, 'x')
  yield record
  yield padding(record.length)
}

/**
 * The header of an entry: of a regular file, or `x` of an extended header. The name has at most 100 bytes, the size is
 * less than 64 GiB.
 */
export function header(name: string, size: number, modifiedMs: number, type: '0' | 'x', mode = 0o644): Buffer {
  const block = Buffer.alloc(blockBytes)
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`
  block.write(name, 0, 100)
  block.write(octal(mode, 7), 100)
  block.write(octal(0, 7), 108)
  block.write(octal(0, 7), 116)
  block.write(octal(size, 11), 124)
  block.write(octal(Math.min(Math.max(Math.floor(modifiedMs / 1_000), 0), 0o77777777777), 11), 136)
  block.write('        ', 148)
  block.write(type, 156)
  block.write('ustar\x0000', 257)
  const checksum = block.reduce((sum, byte) => sum + byte, 0)
  block.write(`${checksum.toString(8).padStart(6, '0')}\0 `, 148)
  return block
}

/** The zeros between a content and the next header. */
export const padding = (size: number) => Buffer.alloc((blockBytes - (size % blockBytes)) % blockBytes)
