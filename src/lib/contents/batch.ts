/** Adds contents to the store: they are written to a directory of the batch, then renamed to their hashes. */

import { existsSync } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { giveToOwner, makeDirectory } from '../file-owner.ts'
import { isIntact, type StoredContent } from './content.ts'
import { forEach, stopping, storageError, syncPath, writeAll } from './disk.ts'
import type { createSpaceReserve } from './free-space.ts'
import type { Layout } from './layout.ts'

/**
 * Contents that become part of the store together. Until `close`, no sweep deletes them. The order of use: `add` for
 * every content, `commit`, write to the database what refers to them, `close`.
 */
export interface ContentBatch {
  /** A path for one temporary file, such as an upload. `close` deletes it. */
  readonly temporaryPath: string
  /**
   * To be called before bytes are written to the temporary file. Throws `storage_unavailable` if the disk is nearly
   * full.
   */
  reserve(bytes: number): Promise<void>
  /** Stores one content outside of the store's names. Throws `storage_unavailable` if the disk is full or fails. */
  add(chunks: Chunks): Promise<StoredContent>
  /**
   * Makes every added content durable under its hash. Throws `storage_unavailable`. A later sweep deletes the contents
   * of a failed commit, and those to which nothing refers.
   */
  commit(): Promise<void>
  /** Deletes what was added and not committed, and lets sweeps delete the rest. Never throws; may be called again. */
  close(): Promise<void>
}

/** The bytes of a file in order. */
export type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/** Contents up to this size are hashed before they are written, because many are in the store already. */
const bufferedBytes = 1_048_576
/** How many files are synchronized with the disk at once: a journal gathers those that wait. */
const syncedAtOnce = 16

/** The contents that open batches use. A content is counted once for each batch. */
export function createPins() {
  const counts = new Map<string, number>()
  return {
    has: (hash: string) => counts.has(hash),
    add(hash: string): void {
      counts.set(hash, (counts.get(hash) ?? 0) + 1)
    },
    remove(hash: string): void {
      const count = (counts.get(hash) ?? 0) - 1
      if (count > 0) counts.set(hash, count)
      else counts.delete(hash)
    },
  }
}
export type Pins = ReturnType<typeof createPins>

/** Starts a batch in the directory `name` of the incoming ones. Throws `storage_unavailable`. */
export function createBatch(
  {
    layout,
    pins,
    ...parts
  }: {
    readonly layout: Layout
    readonly pins: Pins
    readonly reserve: ReturnType<typeof createSpaceReserve>
  },
  name: string,
): ContentBatch {
  const directory = join(layout.incoming, name)
  makeIncoming(directory)
  /** The path in the batch of each content that the store does not have yet, or not undamaged. */
  const staged = new Map<string, string>()
  const pinned = new Set<string>()
  let count = 0
  let isClosed = false
  let bytes = 0

  function reserve(more: number): Promise<void> {
    bytes += more
    return parts.reserve(more, bytes)
  }

  function pin(hash: string): void {
    if (isClosed) throw stopping()
    if (pinned.has(hash)) return
    pinned.add(hash)
    pins.add(hash)
  }

  async function writeNew(write: (handle: FileHandle) => Promise<void>): Promise<string> {
    const path = join(directory, String(count++))
    const handle = await open(path, 'wx', 0o600)
    try {
      giveToOwner(path)
      await write(handle)
    } finally {
      await handle.close()
    }
    return path
  }

  async function addBuffered(chunks: readonly Uint8Array[], size: number): Promise<StoredContent> {
    const hasher = new Bun.CryptoHasher('sha256')
    for (const chunk of chunks) hasher.update(chunk)
    const hash = hasher.digest('hex')
    pin(hash)
    if (!staged.has(hash) && !(await isIntact(layout.pathOf(hash), { hash, size }))) {
      const path = await writeNew(async (handle) => {
        await reserve(size)
        for (const chunk of chunks) await writeAll(handle, chunk)
      })
      staged.set(hash, path)
    }
    return { hash, size }
  }

  async function addStreamed(first: readonly Uint8Array[], rest: AsyncIterable<Uint8Array>): Promise<StoredContent> {
    const hasher = new Bun.CryptoHasher('sha256')
    let size = 0
    const path = await writeNew(async (handle) => {
      const write = async (chunk: Uint8Array) => {
        hasher.update(chunk)
        size += chunk.byteLength
        await reserve(chunk.byteLength)
        await writeAll(handle, chunk)
      }
      for (const chunk of first) await write(chunk)
      for await (const chunk of rest) await write(chunk)
    })
    const hash = hasher.digest('hex')
    pin(hash)
    if (staged.has(hash) || (await isIntact(layout.pathOf(hash), { hash, size }))) await rm(path)
    else staged.set(hash, path)
    return { hash, size }
  }

  async function commit(): Promise<void> {
    await forEach(staged.values(), syncedAtOnce, syncPath)
    // Including contents that existed: another batch may have renamed them and not synchronized the directory yet.
    const prefixes = new Set<string>()
    for (const hash of pinned) prefixes.add(hash.slice(0, 2))
    const directories = [...prefixes].map(layout.directoryOf)
    await forEach(directories, 1, async (path) => {
      if (!existsSync(path)) makeDirectory(path)
      // A first deploy makes 256 directories.
      await nextTurn()
    })
    await forEach([...staged], syncedAtOnce, async ([hash, path]) => {
      await rename(path, layout.pathOf(hash))
      staged.delete(hash)
    })
    await forEach(directories, syncedAtOnce, syncPath)
    await syncPath(layout.directory)
  }

  return {
    temporaryPath: join(directory, 'temporary'),
    reserve,
    async add(chunks: Chunks): Promise<StoredContent> {
      try {
        const { buffered, size, rest } = await readAhead(chunks)
        return await (rest ? addStreamed(buffered, rest) : addBuffered(buffered, size))
      } catch (error) {
        throw isClosed ? stopping() : storageError(error)
      }
    },
    async commit(): Promise<void> {
      try {
        if (isClosed) throw stopping()
        await commit()
      } catch (error) {
        throw storageError(error)
      }
    },
    async close(): Promise<void> {
      if (isClosed) return
      isClosed = true
      let unpinned = 0
      for (const hash of pinned) {
        pins.remove(hash)
        if (++unpinned % 5_000 === 0) await nextTurn()
      }
      // A directory that can't be deleted now is deleted when the service starts.
      await rm(directory, { recursive: true, force: true }).catch(() => {})
    },
  }
}

function makeIncoming(directory: string): void {
  try {
    makeDirectory(directory)
  } catch (error) {
    throw storageError(error)
  }
}

/** Reads up to `bufferedBytes`. `rest` has what follows, undefined if that was all. */
async function readAhead(chunks: Chunks) {
  const buffered: Uint8Array[] = []
  let size = 0
  const iterator = toAsync(chunks)
  for (;;) {
    const { value, done } = await iterator.next()
    if (done) return { buffered, size, rest: undefined }
    buffered.push(value)
    size += value.byteLength
    if (size > bufferedBytes) return { buffered, size, rest: iterator }
  }
}

async function* toAsync(chunks: Chunks): AsyncGenerator<Uint8Array> {
  yield* chunks
}
