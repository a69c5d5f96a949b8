/**
 * Moves the write-ahead log into the database file from a thread of its own, because copying and flushing thousands of pages
 * would block the event loop; an import of another process can leave a log of hundreds of megabytes. The thread starts when the
 * log has grown for the first time. If it fails, SQLite moves the log in commits. https://sqlite.org/wal.html#ckpt
 */

import type { Database } from 'bun:sqlite'
import { statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Log } from '../../lib/log.ts'
import { keptLogBytes } from '../open.ts'
import type { WorkerReply, WorkerRequest, WorkerStart } from './checkpoint-worker.ts'
import { createExtension } from './extend.ts'

/** The frames of the log with which the thread is started. */
const startFrames = 500

/** The frames of the log that are moved at a time, 63 MiB: moving fewer at a time delays writes more often. */
const moveFrames = 16_000

/** Where the disk has little space, and while the log could not begin anew, it is moved after so many further frames, 4 MiB. */
const fewFrames = 1_000

const frameBytes = 4_120

/** A disk has little space if this log, and the file that grows by it, may not fit, in bytes. */
const littleSpace = 2 * moveFrames * frameBytes

/** The number of transactions after which the frames are counted again. */
const countEvery = 8

type State =
  | 'idle'
  /** The thread moves frames while others are written. */
  | 'moving'
  /** All but the newest frames are moved: the next pause moves these, so that the log begins anew. */
  | 'moved'

/**
 * `descriptor` is one of the log, `file` the path of the database. `onCramped` is called when somebody reads an old state, and
 * the disk has less space left than moving the log may need: once the disk is full, the log can't be moved any more.
 */
export function createCheckpoints(
  connection: Database,
  file: string,
  descriptor: number,
  log: Pick<Log, 'warn'>,
  onCramped: () => void,
) {
  const extend = createExtension(connection, descriptor, moveFrames)
  const position = connection.prepare<{ log: number; checkpointed: number }, []>('PRAGMA wal_checkpoint(NOOP)')
  // Now, because another file may be there when the thread starts.
  const { dev, ino } = statSync(file)
  let worker: ReturnType<typeof startWorker> | undefined
  let isBroken = false
  let state: State = 'idle'
  let transactions = 0
  /** The log is moved from here on. While another process reads an old state, it can't begin anew, and grows. */
  let nextFrames = moveFrames
  /** The space on the disk is looked at from here on. */
  let nextLookFrames = fewFrames

  const frames = () => position.get()?.log ?? 0

  /** Like `frames`; 0 if the log can't be read, which the next transaction reports. */
  function framesOrNone(): number {
    try {
      return frames()
    } catch {
      return 0
    }
  }

  connection.run('PRAGMA wal_autocheckpoint = 0')

  function fail(error: unknown): void {
    log.warn('the log of the database is moved into the file by commits, which may delay requests', { error })
    isBroken = true
    connection.run('PRAGMA wal_autocheckpoint = 1000')
  }

  function start(): void {
    try {
      worker = startWorker({ file, identity: `${dev} ${ino}`, keptLogBytes }, fail)
    } catch (error) {
      fail(error)
    }
  }

  async function move(request: WorkerRequest): Promise<void> {
    await worker?.send(request).catch(() => undefined)
  }

  return {
    frames,
    /**
     * To be called after each transaction. Returns a promise while nothing may be written. The log is only extended if it `isGrowing`
     * fast: space that waits for long leaves the system's memory, and a frame that fills half a page would have to read it.
     */
    rest(isGrowing: boolean): Promise<void> | undefined {
      if (isBroken || state === 'moving' || (state === 'idle' && ++transactions % countEvery > 0)) return undefined
      const size = framesOrNone()
      if (isGrowing) extend(size)
      if (!worker) {
        if (size >= startFrames) start()
        return undefined
      }
      if (state === 'moved') {
        state = 'moving'
        return move('restart').then(() => {
          state = 'idle'
          const left = framesOrNone()
          const isNew = left < fewFrames
          nextLookFrames = isNew ? fewFrames : left + fewFrames
          nextFrames = isNew ? moveFrames : nextLookFrames
          if (!isNew && freeBytes(file) < left * frameBytes) onCramped()
        })
      }
      if (size >= nextLookFrames) {
        nextLookFrames = size + fewFrames
        if (freeBytes(file) < littleSpace) nextFrames = size
      }
      if (size >= nextFrames) {
        state = 'moving'
        void move('move').then(() => {
          state = 'moved'
        })
      }
      return undefined
    },
    async close(): Promise<void> {
      await worker?.close()
    },
  }
}

/** The free bytes on the disk of a file; all of them if the system does not tell. */
function freeBytes(file: string): number {
  try {
    const { bavail, bsize } = statfsSync(dirname(file))
    return bavail * bsize
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

function startWorker(start: WorkerStart, onError: (error: unknown) => void) {
  const thread = new Worker(new URL('./checkpoint-worker.ts', import.meta.url).href, { smol: true, ref: false })
  const ready = Promise.withResolvers<void>()
  // A failure is reported by `onError`.
  ready.promise.catch(() => undefined)
  /** The request in progress. */
  let running: PromiseWithResolvers<void> | undefined
  let isOver = false
  const failed = (error: unknown) => {
    isOver = true
    ready.reject(error)
    running?.reject(error)
    onError(error)
  }
  thread.addEventListener('error', (event) => failed(event.error ?? event.message))
  thread.addEventListener('message', ({ data }: MessageEvent<WorkerReply>) => {
    if (data.kind === 'failed') failed(new Error(data.message))
    else if (data.kind === 'ready') ready.resolve()
    else {
      const done = running
      running = undefined
      done?.resolve()
    }
  })
  thread.postMessage(start)

  async function send(request: WorkerRequest): Promise<void> {
    if (isOver) return
    await running?.promise.catch(() => undefined)
    running = Promise.withResolvers()
    const { promise } = running
    thread.postMessage(request)
    await promise
  }

  return {
    send,
    async close(): Promise<void> {
      // Otherwise the process exits when it waits for nothing but the thread, before the database is closed.
      ;(thread as Worker & Pick<Bun.Worker, 'ref'>).ref()
      await ready.promise.catch(() => undefined)
      await send('close').catch(() => undefined)
      thread.terminate()
    },
  }
}
