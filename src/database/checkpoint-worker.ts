/**
 * The thread that moves the write-ahead log into the database file (`log.ts`). It opens the database anew for each
 * request.
 */

import { Database } from 'bun:sqlite'

/** Moves the log that the database `file` has now. Nothing must be written meanwhile. */
export interface MoveRequest {
  readonly file: string
  /** `journal_size_limit`: a log that begins anew is shortened to this size. */
  readonly keptLogBytes: number
}

export interface MoveReply {
  readonly error: string | undefined
}

declare const self: Worker

/** How long a command of another process may keep the write lock, in milliseconds. */
const lockTimeoutMs = 1_000

self.onmessage = ({ data }: MessageEvent<MoveRequest>) => {
  const reply: MoveReply = { error: failureOf(() => move(data)) }
  self.postMessage(reply)
}

function failureOf(work: () => void): string | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    return String(error)
  }
}

function move({ file, keptLogBytes }: MoveRequest): void {
  const connection = new Database(file, { create: false, readwrite: true })
  try {
    connection.run(`PRAGMA busy_timeout = ${lockTimeoutMs}`)
    connection.run('PRAGMA synchronous = FULL')
    connection.run('PRAGMA wal_autocheckpoint = 0')
    connection.run(`PRAGMA journal_size_limit = ${keptLogBytes}`)
    connection.run('PRAGMA wal_checkpoint(PASSIVE)')
    beginAnew(connection)
  } finally {
    connection.close(true)
  }
}

/**
 * The first write after all frames were moved begins the log anew and waits for a flush of its header. This write
 * changes nothing, so that no request waits for that. If somebody reads an old state, it is appended to the log.
 */
function beginAnew(connection: Database): void {
  const write = connection.transaction(() => {
    const row = connection.query<{ user_version: number }, []>('PRAGMA user_version').get()
    connection.run(`PRAGMA user_version = ${row?.user_version ?? 0}`)
  })
  write.immediate()
}
