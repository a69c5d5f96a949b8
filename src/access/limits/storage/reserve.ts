/**
 * A file beside the database that stores counts and bans while the database cannot. Its blocks are written when it is
 * created, and overwriting them needs no free space on the disk. Its two halves are written in turn, so that a crash in the
 * middle of a write leaves the content of the write before.
 */

import {
  closeSync,
  constants,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  openSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs'
import { giveToOwner } from '../../../database/owner.ts'
import { condensed, decode, encode, encodedBytes, headerBytes, type ReserveContent } from './reserve-format.ts'

/** The size of each half, enough for the counts of about 40,000 accounts. */
export const halfBytes = 1_048_576

/** The most bytes that `getRandomValues` fills at once. */
const randomAtOnce = 65_536

export class Reserve {
  readonly path: string
  readonly #file: number
  #sequence = 0
  #content: ReserveContent | undefined

  /** Opens the file at `path` and creates it if necessary. Throws the system's error if that fails. */
  constructor(path: string) {
    this.path = path
    this.#file = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600)
    giveToOwner(path)
    const halves = [0, 1].map((half) => decode(this.#read(half)))
    const newest = halves.reduce((a, b) => (b && (!a || b.sequence > a.sequence) ? b : a))
    this.#sequence = newest?.sequence ?? 0
    this.#content = newest?.content
  }

  /** The counts and bans that the database could not store; undefined if there are none. */
  get content(): ReserveContent | undefined {
    return this.#content
  }

  /** Reserves the space on the disk. Throws the system's error if there is none. */
  allocate(): void {
    const { size } = fstatSync(this.#file)
    if (size >= 2 * halfBytes) return
    // Random bytes, because a file system with compression would reserve too little for zeros.
    const bytes = Buffer.allocUnsafe(2 * halfBytes - size)
    for (let at = 0; at < bytes.length; at += randomAtOnce)
      crypto.getRandomValues(bytes.subarray(at, at + randomAtOnce))
    this.#writeAt(size, bytes)
    fsyncSync(this.#file)
  }

  /**
   * Replaces the content. It survives the end of this process at once, and a power cut soon afterwards, at the latest when
   * `flush` has returned. Returns whether all of it fits; if not, windows are left out. Throws an error whose message is
   * the reason if the file cannot be written.
   */
  write(content: ReserveContent): boolean {
    const inode = statSync(this.path, { throwIfNoEntry: false })?.ino
    if (inode !== fstatSync(this.#file).ino) throw new Error('it was moved, removed or replaced')
    this.#sequence++
    const isKept = [content, condensed(content)].some((candidate) => this.#put(candidate))
    if (!isKept && !this.#put({ ...content, seconds: [] })) throw new Error('it is too small')
    this.#content = content
    // Without waiting: a failure shows in `flush`.
    fdatasync(this.#file, () => {})
    return isKept
  }

  /** Removes the content; to be called when the database has it. */
  clear(): void {
    if (this.#content === undefined) return
    this.#sequence++
    this.#put(undefined)
    this.#content = undefined
  }

  /** Waits until the content has reached the disk. */
  flush(): void {
    fdatasyncSync(this.#file)
  }

  close(): void {
    closeSync(this.#file)
  }

  #put(content: ReserveContent | undefined): boolean {
    const bytes = encode(this.#sequence, content)
    if (bytes.length > halfBytes) return false
    this.#writeAt((this.#sequence % 2) * halfBytes, bytes)
    return true
  }

  #read(half: number): Buffer {
    const header = this.#readAt(half * halfBytes, headerBytes)
    // Usually it is empty, and few of its bytes have to be read.
    return this.#readAt(half * halfBytes, Math.min(encodedBytes(header), halfBytes))
  }

  #readAt(position: number, length: number): Buffer {
    const bytes = Buffer.alloc(length)
    return bytes.subarray(0, readSync(this.#file, bytes, 0, length, position))
  }

  #writeAt(position: number, bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) {
      at += writeSync(this.#file, bytes, at, bytes.length - at, position + at)
    }
  }
}
