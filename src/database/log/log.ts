/**
 * SQLite's write-ahead log as the server uses it. Commits return before the log is on disk (`synchronous=NORMAL`); the
 * writer then waits for `flush`, which runs on another thread, before it reports a change as saved. Reads and the event
 * loop do not wait for the disk, unless a single client writes, nobody else sends requests, and the disk is fast.
 * https://sqlite.org/wal.html
 */

import { closeSync, fdatasync, fdatasyncSync, fstatSync, openSync, statSync } from 'node:fs'
import type { Log as Logger } from '../../lib/log.ts'
import type { OpenDatabase } from '../open.ts'
import { createCheckpoints } from './checkpoints.ts'
import type { Pace } from './pace.ts'
import { rewrite } from './rewrite.ts'

export interface WriteAheadLog {
  /**
   * Calls `done`, without an error if every commit so far is on disk, possibly before it returns. `writes` is the number of
   * writes in the transaction. Only one flush runs at a time.
   */
  flush(writes: number, done: (error: Error | undefined) => void): void
  /**
   * Calls `begin`, which takes the write lock. After a failed flush the system may have discarded what it could not write,
   * and would report the next flush as successful: the log is then written again first. Throws if that fails; the
   * transaction must be rolled back then.
   */
  begin(begin: () => void): void
  /**
   * To be called after a flush, with the number of its writes, or after a commit that is not flushed, with 0. Returns a
   * promise while nothing may be written: while the log is moved into the file, or more writes gather.
   */
  rest(writes: number): Promise<void> | undefined
  close(): Promise<void>
}

/**
 * Takes over the flushing of commits from SQLite. Returns undefined if SQLite has to flush them itself: in memory, where
 * there is no log; on a disk that is full or read-only; and if the log can't be opened. `onCramped` ends reads of old states, as
 * far as it can: the log of a disk that gets full waits for them.
 */
export function openLog(
  { connection, mode, isReadOnly, files: { file } }: OpenDatabase,
  logger: Pick<Logger, 'warn'>,
  pace?: Pace,
  onCramped: () => void = () => {},
): WriteAheadLog | undefined {
  if (mode !== 'shared' || isReadOnly || file === '') return undefined
  const path = `${file}-wal`
  let descriptor: number
  try {
    descriptor = openSync(path, 'r+')
    if (fstatSync(descriptor).ino !== statSync(path).ino) throw new Error('it was replaced')
  } catch (error) {
    logger.warn('the log of the database cannot be opened: changes are flushed more slowly', { path, error })
    return undefined
  }
  connection.run('PRAGMA synchronous = NORMAL')
  const checkpoints = createCheckpoints(connection, file, descriptor, logger, onCramped)
  let isSound = true

  return {
    flush(writes, done) {
      const finish = (error: Error | null) => {
        pace?.flushed()
        if (error) isSound = false
        done(error ?? undefined)
      }
      if (pace?.flushesInLoop(writes)) finish(failureOf(() => fdatasyncSync(descriptor)))
      else fdatasync(descriptor, finish)
    },
    begin(begin) {
      if (isSound) {
        begin()
        return
      }
      const frames = checkpoints.frames()
      begin()
      rewrite(descriptor, frames)
      fdatasyncSync(descriptor)
      isSound = true
    },
    rest: (writes) => (isSound ? (checkpoints.rest(pace?.isBusy() ?? true) ?? pace?.gather(writes)) : undefined),
    async close() {
      await checkpoints.close()
      connection.run('PRAGMA synchronous = FULL')
      // SQLite has no locks on the log, which closing a descriptor would release.
      closeSync(descriptor)
    },
  }
}

function failureOf(work: () => void): Error | null {
  try {
    work()
    return null
  } catch (error) {
    return error as Error
  }
}
