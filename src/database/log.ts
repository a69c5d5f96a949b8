/**
 * SQLite's write-ahead log as the server uses it. Commits return before the log is on disk (`synchronous=NORMAL`); the
 * writer then waits for `flush` before it reports a change as saved. The flush runs on another thread, unless one
 * client sends requests alone and the disk is fast. A separate thread moves the log into the file, because copying and
 * flushing thousands of pages would block the event loop. https://sqlite.org/wal.html
 */

import { closeSync, fdatasync, fdatasyncSync, openSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { systemClock } from '../lib/clock.ts'
import type { Log as Logger } from '../lib/log.ts'
import type { MoveReply, MoveRequest } from './checkpoint-worker.ts'
import { keptLogBytes, type OpenDatabase } from './open.ts'

export interface WriteAheadLog {
  /**
   * To be called before each transaction. The first call moves the log of earlier runs into the file and flushes both:
   * a flush that failed in an earlier run may have left pages that the system shows, but has not written, and a loss of
   * power would end the log there. Throws the error of SQLite, `SQLITE_BUSY` if another process uses the log; the next
   * call tries again.
   */
  prepare(): void
  /**
   * Calls `done`, without an error if every commit so far is on disk, possibly before it returns. `writes` is the
   * number of writes in the transaction. Only one flush runs at a time. After an error nothing may be written.
   */
  flush(writes: number, done: (error: Error | undefined) => void): void
  /**
   * Resolves when a flush has failed. The process has to stop then: the next start moves the log into the file
   * (`prepare`).
   */
  readonly failed: Promise<void>
  /** Whether a flush has failed. */
  hasFailed(): boolean
  /**
   * To be called after each transaction. Returns a promise while nothing may be written, because the log is being moved
   * into the file.
   */
  moveIfLong(): Promise<void> | undefined
  close(): Promise<void>
}

/** For a database whose commits SQLite flushes itself, or that is in memory. */
export const noLog: WriteAheadLog = {
  prepare() {},
  flush: (_, done) => done(undefined),
  failed: new Promise(() => {}),
  hasFailed: () => false,
  moveIfLong: () => undefined,
  async close() {},
}

/** The log is moved when it has this many frames, 16 MiB. */
const longFrames = 4_000

/** While the log cannot begin anew, it is moved after this many further frames, 4 MiB. */
const fewFrames = 1_000

const frameBytes = 4_120

/** One client sends requests alone if this many transactions in a row had one request, one write and a short flush. */
const aloneTransactions = 8

/** A flush that takes at most this long, in milliseconds, may block the event loop. */
const shortFlushMs = 1

export interface LogOptions {
  /**
   * Called when a reader of an old state keeps the log from beginning anew while the disk runs low on space: on a full
   * disk the log can't be moved, because the file may have to grow.
   */
  readonly onLowSpace?: () => void
  /** The number of all requests so far. */
  readonly requests?: () => number
  /** The clock in milliseconds by which flushes are measured. */
  readonly monotonic?: () => number
}

/**
 * Takes over the flushing of commits from SQLite, except where SQLite has to flush them itself: in memory, where there
 * is no log, and on a disk that was full or read-only when the database was opened.
 */
export function openLog(
  { connection, mode, isReadOnly, files: { file } }: OpenDatabase,
  logger: Pick<Logger, 'warn'>,
  { onLowSpace = () => {}, requests = () => 0, monotonic = systemClock.monotonic }: LogOptions = {},
): WriteAheadLog {
  if (file === '') return noLog
  let isPrepared = false

  function prepare(): void {
    if (isPrepared) return
    const result = connection.query<{ busy: number }, []>('PRAGMA wal_checkpoint(TRUNCATE)').get()
    if (result?.busy) throw Object.assign(new Error('another process uses the log'), { code: 'SQLITE_BUSY' })
    isPrepared = true
  }

  if (mode !== 'shared' || isReadOnly) return { ...noLog, prepare }
  const descriptor = openSync(`${file}-wal`, 'r+')
  connection.run('PRAGMA synchronous = NORMAL')
  connection.run('PRAGMA wal_autocheckpoint = 0')
  const position = connection.prepare<{ log: number }, []>('PRAGMA wal_checkpoint(NOOP)')
  const failed = Promise.withResolvers<void>()
  let hasFailed = false
  /** The number of the latest transactions in a row with one request, one write and a short flush. */
  let alone = 0
  let counted = 0
  let thread: MovingThread | undefined
  let moving: Promise<void> | undefined
  /** The log is moved from here on. While somebody reads an old state, it can't begin anew, and grows. */
  let nextFrames = longFrames

  /** 0 if the log can't be read, which the next transaction reports. */
  function countFrames(): number {
    try {
      return position.get()?.log ?? 0
    } catch {
      return 0
    }
  }

  async function move(): Promise<void> {
    try {
      thread ??= startThread()
      await thread.move({ file, keptLogBytes })
    } catch (error) {
      // A fault of the disk shows in the flushes, too. The log keeps its frames.
      logger.warn(
        'the log of the database could not be moved into the file: the next attempt is made when the log has grown',
        {
          error,
        },
      )
      thread?.end()
      thread = undefined
    }
    const left = countFrames()
    const isNew = left < longFrames
    nextFrames = isNew ? longFrames : left + fewFrames
    if (!isNew && freeBytes(file) < 2 * left * frameBytes) onLowSpace()
  }

  return {
    prepare,
    flush(writes, done) {
      const startedMs = monotonic()
      const isAlone = writes === 1 && requests() - counted === 1
      counted = requests()
      const finish = (error: unknown) => {
        const isShort = monotonic() - startedMs <= shortFlushMs
        alone = isAlone && isShort ? alone + 1 : 0
        if (error) {
          hasFailed = true
          failed.resolve()
        }
        done((error ?? undefined) as Error | undefined)
      }
      // The way to another thread and back takes half as long as the flush, and no other request waits for this one.
      if (isAlone && alone >= aloneTransactions) finish(failureOf(() => fdatasyncSync(descriptor)))
      else fdatasync(descriptor, finish)
    },
    failed: failed.promise,
    hasFailed: () => hasFailed,
    moveIfLong() {
      moving = countFrames() >= nextFrames ? move() : undefined
      return moving
    },
    async close() {
      await moving
      thread?.end()
      // SQLite has no locks on the log, which closing a descriptor would release.
      closeSync(descriptor)
    },
  }
}

function failureOf(work: () => void): unknown {
  try {
    work()
    return undefined
  } catch (error) {
    return error
  }
}

/** The free bytes on the disk of a file; infinite if the system does not report them. */
function freeBytes(file: string): number {
  try {
    const { bavail, bsize } = statfsSync(dirname(file))
    return bavail * bsize
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

/**
 * The address of the thread's module, which `scripts/build.sh` adds to the executable. There, `import.meta.url` is a
 * path on the machine that built it, and only this relative path finds the module
 * (https://bun.sh/docs/bundler/executables#worker).
 */
function workerAddress(): string {
  const isExecutable = Bun.main.includes('$bunfs')
  return isExecutable ? './database/checkpoint-worker.ts' : new URL('./checkpoint-worker.ts', import.meta.url).href
}

type MovingThread = ReturnType<typeof startThread>

function startThread() {
  const thread = new Worker(workerAddress(), { smol: true })
  return {
    /** Rejects with the reason if the log was not moved. */
    move(request: MoveRequest): Promise<void> {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      thread.onmessage = ({ data }: MessageEvent<MoveReply>) => {
        if (data.error === undefined) resolve()
        else reject(new Error(data.error))
      }
      thread.onerror = (event) => reject(event.error ?? new Error(event.message))
      thread.postMessage(request)
      return promise
    },
    end: () => thread.terminate(),
  }
}
