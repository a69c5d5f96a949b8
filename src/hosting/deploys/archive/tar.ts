/**
 * Reads compressed tar archives as a stream: memory is bounded by a chunk and the headers before one file. Everything
 * that is not a regular file or a directory rejects the archive.
 */

import { createReadStream } from 'node:fs'
import { nodeZlib } from '../../../lib/node/modules.ts'
import { type ArchiveEntry, type ArchiveLimits, decompressed, entriesPerFile } from './entry.ts'
import { archiveError, entryError } from './names.ts'
import { nameOf, type PaxRecords, readHeader, readPax } from './tar-header.ts'

const blockBytes = 512
/** The most bytes of an extended header. Paths have at most 1,024, but macOS stores attributes of files there. */
const maximumHeaderBytes = 1_048_576
/** How much is read after the end mark, to reach the checksum of gzip: writers fill whole records up with zeros. */
const maximumPaddingBytes = 16 * 1_048_576

const rejectedTypes: ReadonlyMap<string, string> = new Map([
  ['1', 'is a hard link'],
  ['2', 'is a symbolic link'],
  ['3', 'is a device'],
  ['4', 'is a device'],
  ['6', 'is a pipe'],
  ['S', 'is a sparse file; pack it without --sparse'],
])

/**
 * The entries of a tar.gz file in their order. Throws `invalid_body` for archives that are damaged, too large or hold
 * anything but files and directories; errors of reading the file are passed on.
 */
export async function* readTarGz(file: string, limits: ArchiveLimits): AsyncGenerator<ArchiveEntry> {
  const source = createReadStream(file, { highWaterMark: 65_536 })
  const input = createInput(decompressed(source, nodeZlib().createGunzip({ chunkSize: 65_536 })))
  try {
    yield* readEntries(input, limits)
  } finally {
    await input.close()
    source.destroy()
  }
}

async function* readEntries(input: Input, limits: ArchiveLimits): AsyncGenerator<ArchiveEntry> {
  let unpacked = 0
  let global: PaxRecords = {}
  let next: PaxRecords = {}
  let isNextExpected = false
  for (let count = 0; ; count++) {
    const block = await input.block()
    if (block === undefined || isZero(block)) break
    if (count > limits.files * entriesPerFile) throw archiveError(`it has more than ${count - 1} entries`)
    const header = readHeader(block)
    const isExtension = 'xgLK'.includes(header.type)
    const size = isExtension ? header.size : (next.size ?? global.size ?? header.size)
    unpacked += size
    if (unpacked > limits.bytes) throw archiveError(`it has more than ${limits.bytes} bytes when unpacked`)

    if (isExtension) {
      const bytes = await input.bytes(size)
      if (header.type === 'x') next = { ...next, ...readPax(bytes) }
      if (header.type === 'g') global = { ...global, ...globalRecords(readPax(bytes)) }
      if (header.type === 'L') next = { ...next, path: withoutNul(bytes) }
      isNextExpected ||= header.type !== 'g'
      continue
    }
    const name = nameOf(next.path ?? header.name)
    const fault = rejectedTypes.get(header.type)
    if (fault !== undefined) throw entryError(name, fault)
    if (!'057'.includes(header.type)) throw entryError(name, 'is neither a file nor a directory')
    const modifiedMs = (next.modifiedSeconds ?? global.modifiedSeconds ?? header.modifiedSeconds) * 1000
    next = {}
    isNextExpected = false
    // The oldest archives mark directories by the slash alone.
    const kind = header.type === '5' || name.endsWith('/') ? 'directory' : 'file'
    if (kind === 'directory' && size > 0) throw entryError(name, 'is a directory with a content')
    const content = input.content(size)
    yield { kind, name, modifiedMs, size, chunks: content.chunks }
    await content.skip()
  }
  if (isNextExpected) throw truncated()
  await input.drain(maximumPaddingBytes)
}

/** A header for all files that follow may set their time. A common name or size would be an attack. */
function globalRecords({ path, size, ...records }: PaxRecords): PaxRecords {
  if (path !== undefined || size !== undefined) throw archiveError('it gives all files one name or size')
  return records
}

function withoutNul(bytes: Buffer): Buffer {
  const end = bytes.indexOf(0)
  return end === -1 ? bytes : bytes.subarray(0, end)
}

function isZero(block: Buffer): boolean {
  return block.every((byte) => byte === 0)
}

function truncated() {
  return archiveError('it is truncated')
}

type Input = ReturnType<typeof createInput>

/** Reads blocks and contents from chunks of any size. */
function createInput(chunks: AsyncGenerator<Uint8Array>) {
  let rest: Buffer = Buffer.alloc(0)

  /** Whether there are more bytes; fills `rest` if so. */
  async function fill(): Promise<boolean> {
    while (rest.length === 0) {
      const { value, done } = await chunks.next()
      if (done) return false
      rest = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    }
    return true
  }
  function take(most: number): Buffer {
    const taken = rest.subarray(0, most)
    rest = rest.subarray(taken.length)
    return taken
  }
  async function exactly(size: number): Promise<Buffer> {
    if (rest.length >= size) return take(size)
    const parts: Buffer[] = []
    for (let missing = size; missing > 0; ) {
      if (!(await fill())) throw truncated()
      const part = take(missing)
      parts.push(part)
      missing -= part.length
    }
    return Buffer.concat(parts)
  }
  const padding = (size: number) => (blockBytes - (size % blockBytes)) % blockBytes

  return {
    /** The next block; undefined at the end. */
    async block(): Promise<Buffer | undefined> {
      return (await fill()) ? exactly(blockBytes) : undefined
    },
    async bytes(size: number): Promise<Buffer> {
      if (size > maximumHeaderBytes) throw archiveError('it has an extended header that is too long')
      const bytes = await exactly(size)
      await exactly(padding(size))
      return bytes
    },
    /** The content of a file; `skip` reads what is left of it. */
    content(size: number) {
      let missing = size
      async function* chunksOfContent(): AsyncGenerator<Uint8Array> {
        while (missing > 0) {
          if (!(await fill())) throw truncated()
          const part = take(missing)
          missing -= part.length
          yield part
        }
      }
      return {
        chunks: chunksOfContent,
        async skip(): Promise<void> {
          for await (const _ of chunksOfContent());
          await exactly(padding(size))
        },
      }
    },
    /** Reads what follows the end mark, so that the checksum of the compression is verified. */
    async drain(most: number): Promise<void> {
      for (let read = rest.length; ; ) {
        const { value, done } = await chunks.next()
        if (done) return
        read += value.byteLength
        if (read > most) throw archiveError('it continues after its end')
      }
    },
    close: async () => {
      await chunks.return(undefined)
    },
  }
}
