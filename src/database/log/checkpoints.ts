/**
 * Moves the write-ahead log into the database file from a thread of its own, because copying and flushing thousands of pages
 * would block the event loop. The thread starts when the log has grown for the first time; until then, and if it fails,
 * SQLite does it in a commit. https://sqlite.org/wal.html#ckpt
 */

import type { Database } from 'bun:sqlite'
import { statSync } from 'node:fs'
import type { Log } from '../../lib/log.ts'
import type { WorkerReply, WorkerRequest } from './checkpoint-worker.ts'

/** The frames of the log with which the thread is started; fewer than those with which SQLite itself acts. */
const startFrames = 500

/** The frames of the log that are moved at a time, 8 MiB. */
const moveFrames = 2_000

type State =
  | 'idle'
  /** The thread moves frames while others are written. */
  | 'moving'
  /** All but the newest frames are moved: the next pause moves these, so that the log begins anew. */
  | 'moved'

export function createCheckpoints(connection: Database, file: string, log: Pick<Log, 'warn'>) {
  const position = connection.prepare<{ log: number; checkpointed: number }, []>('PRAGMA wal_checkpoint(NOOP)')
  let worker: ReturnType<typeof startWorker> | undefined
  let isBroken = false
  let state: State = 'idle'
  /** If another process reads an old state, the log can't begin anew and grows; moving is tried again from here on. */
  let nextFrames = moveFrames

  const frames = () => position.get()?.log ?? 0

  function fail(error: unknown): void {
    log.warn('the log of the database is moved into the file by commits, which may delay requests', { error })
    isBroken = true
    connection.run('PRAGMA wal_autocheckpoint = 1000')
  }

  function start(): void {
    try {
      worker = startWorker(file, fail)
      worker.ready.then(() => {
        if (!isBroken) connection.run('PRAGMA wal_autocheckpoint = 0')
      }, fail)
    } catch (error) {
      fail(error)
    }
  }

  async function move(request: WorkerRequest): Promise<void> {
    await worker?.send(request).catch(() => undefined)
  }

  return {
    frames,
    rest(): Promise<void> | undefined {
      if (isBroken || state === 'moving') return undefined
      const size = frames()
      if (!worker) {
        if (size >= startFrames) start()
        return undefined
      }
      if (state === 'moved') {
        state = 'moving'
        return move('restart').then(() => {
          state = 'idle'
          const left = frames()
          nextFrames = left < moveFrames ? moveFrames : left + moveFrames
        })
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
      if (!isBroken) connection.run('PRAGMA wal_autocheckpoint = 1000')
    },
  }
}

function startWorker(file: string, onError: (error: unknown) => void) {
  const { dev, ino } = statSync(file)
  const thread = new Worker(new URL('./checkpoint-worker.ts', import.meta.url).href, { smol: true, ref: false })
  const ready = Promise.withResolvers<void>()
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
  thread.postMessage({ file, identity: `${dev} ${ino}` })

  async function send(request: WorkerRequest): Promise<void> {
    if (isOver) return
    await running?.promise.catch(() => undefined)
    running = Promise.withResolvers()
    const { promise } = running
    thread.postMessage(request)
    await promise
  }

  return {
    ready: ready.promise,
    send,
    async close(): Promise<void> {
      await ready.promise.catch(() => undefined)
      await send('close').catch(() => undefined)
      thread.terminate()
    },
  }
}
