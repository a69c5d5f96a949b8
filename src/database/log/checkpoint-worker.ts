/** The thread of `checkpoints.ts`, with a connection of its own. */

import { Database } from 'bun:sqlite'
import { statSync } from 'node:fs'
import { hasMoved } from '../opening/moved.ts'

/**
 * `move` moves the frames that the log has. `restart` does the same and, if no process uses any of them, begins the log
 * anew: its next frames overwrite the old ones. Nothing must be written meanwhile.
 */
export type WorkerRequest = 'move' | 'restart' | 'close'

export type WorkerReply =
  | { readonly kind: 'ready' }
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly message: string }

export interface WorkerStart {
  readonly file: string
  /** Device and inode of the file. */
  readonly identity: string
  /** `journal_size_limit`. */
  readonly keptLogBytes: number
}

declare const self: Worker

let connection: Database | undefined

self.onmessage = ({ data }: MessageEvent<WorkerStart | WorkerRequest>) => {
  try {
    if (typeof data === 'object') reply(open(data))
    else reply(perform(data))
  } catch (error) {
    // A fault of the disk shows in the server's own flush. The log keeps its frames, and the next request tries again.
    reply(connection ? { kind: 'done' } : { kind: 'failed', message: String(error) })
  }
}

function reply(message: WorkerReply): void {
  self.postMessage(message)
}

function open({ file, identity, keptLogBytes }: WorkerStart): WorkerReply {
  const opened = new Database(file, { create: false, readwrite: true })
  const { dev, ino } = statSync(file)
  if (`${dev} ${ino}` !== identity || hasMoved(opened)) throw new Error('the file was replaced')
  opened.run('PRAGMA busy_timeout = 0')
  opened.run('PRAGMA synchronous = FULL')
  opened.run('PRAGMA wal_autocheckpoint = 0')
  opened.run(`PRAGMA journal_size_limit = ${keptLogBytes}`)
  connection = opened
  return { kind: 'ready' }
}

function perform(request: WorkerRequest): WorkerReply {
  if (request === 'close') connection?.close(true)
  else {
    const moved = connection
      ?.query<{ busy: number; log: number; checkpointed: number }, []>('PRAGMA wal_checkpoint(PASSIVE)')
      .get()
    if (request === 'restart' && moved?.log === moved?.checkpointed) beginAnew()
  }
  return { kind: 'done' }
}

/** The first write to a moved log begins it anew and waits for a flush of its header. This write changes nothing. */
function beginAnew(): void {
  if (!connection) return
  connection.run('BEGIN IMMEDIATE')
  try {
    const { version } = connection
      .query<{ version: number }, []>('SELECT user_version AS version FROM pragma_user_version')
      .get() ?? { version: 0 }
    connection.run(`PRAGMA user_version = ${version}`)
    connection.run('COMMIT')
  } catch (error) {
    connection.run('ROLLBACK')
    throw error
  }
}
