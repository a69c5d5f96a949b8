/**
 * The pace of transactions follows the load: a client that writes alone does not wait for another thread, and while reads
 * outnumber writes, more writes gather into a transaction, because each commit costs as much as several reads.
 */

import type { Clock } from '../../lib/clock.ts'

/** The pause in which writes gather, in milliseconds. A longer one makes reads faster, and these writes as much slower. */
const pauseMs = 3

/** Transactions that are further apart than this, in milliseconds, gain nothing by gathering. */
const busyMs = 20

/** A transaction pays off if so many requests come for each of its writes. */
const requestsPerWrite = 4

/** A client writes alone if this many transactions in turn had one write and one request. A job writes without a request. */
const aloneTransactions = 8

/** A flush that is expected to take at most this long, in milliseconds, may block the event loop. */
const shortFlushMs = 1

export type Pace = ReturnType<typeof createPace>

/** `requests` returns the number of all requests so far. */
export function createPace(clock: Pick<Clock, 'monotonic' | 'after'>, requests: () => number) {
  /** The number of requests before the last flush, and since the flush before that. */
  let counted = 0
  let newRequests = 0
  /** When the last flush began and ended, and the milliseconds between its end and that of the one before. */
  let startedMs = 0
  let endedMs = 0
  let elapsedMs = 0
  let lastFlushMs = Number.POSITIVE_INFINITY
  /** The last transactions in turn that had one write and one request. */
  let alone = 0

  // A clock that a test has stopped must not stop the writer.
  const isBusy = () => elapsedMs > 0 && elapsedMs < busyMs

  return {
    /** Whether transactions follow one another closely. */
    isBusy,
    /**
     * To be called before the flush of a transaction with so many writes. Returns whether it should run in the event loop:
     * the last flush was short, and one client writes alone.
     */
    flushesInLoop(writes: number): boolean {
      startedMs = clock.monotonic()
      const now = requests()
      newRequests = now - counted
      counted = now
      alone = writes === 1 && newRequests === 1 ? alone + 1 : 0
      return alone >= aloneTransactions && lastFlushMs <= shortFlushMs
    },
    /** To be called after the flush. */
    flushed(): void {
      const nowMs = clock.monotonic()
      lastFlushMs = nowMs - startedMs
      elapsedMs = nowMs - endedMs
      endedMs = nowMs
    },
    /**
     * To be called at the end of a transaction with so many flushed writes, unless the writer waits for something else.
     * Returns a promise that is resolved when the next one may begin, or undefined if it may begin at once.
     */
    gather(writes: number): Promise<void> | undefined {
      const isReading = writes > 0 && isBusy() && newRequests >= requestsPerWrite * writes
      if (!isReading) return undefined
      const { promise, resolve } = Promise.withResolvers<void>()
      clock.after(pauseMs, resolve)
      return promise
    },
  }
}
