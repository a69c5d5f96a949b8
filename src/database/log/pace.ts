/**
 * The pace of transactions follows the load: a client that writes alone does not wait for another thread, and while reads
 * outnumber writes, more writes gather into a transaction, because each commit costs as much as several reads.
 */

import type { Clock } from '../../lib/clock.ts'

/** The pause in which writes gather, in milliseconds. */
const pauseMs = 1

/** While fewer transactions than one in this time are committed, in milliseconds, nothing is gained by gathering. */
const busyMs = 20

/** A transaction pays off if so many requests come for each of its writes. */
const requestsPerWrite = 4

/** A client writes alone if this many transactions in turn had one write and one request. A job writes without a request. */
const aloneTransactions = 8

/** A flush that is expected to take at most this long, in milliseconds, may block the event loop. */
const shortFlushMs = 1

export type Pace = ReturnType<typeof createPace>

/** `requests` returns the number of all requests so far. The functions are to be called for each transaction, in their order. */
export function createPace(clock: Pick<Clock, 'monotonic' | 'after'>, requests: () => number) {
  /** The requests and the time at the end of the transaction before. */
  let before = 0
  let beforeMs = 0
  let flushStartedMs = 0
  let lastFlushMs = Number.POSITIVE_INFINITY
  /** The last transactions in turn that had one write and one request. */
  let alone = 0

  return {
    /**
     * To be called before the flush of a transaction with so many writes. Returns whether it should run in the event loop:
     * the last flush was short, and one client writes alone.
     */
    flushesInLoop(writes: number): boolean {
      flushStartedMs = clock.monotonic()
      alone = writes === 1 && requests() - before === 1 ? alone + 1 : 0
      return alone >= aloneTransactions && lastFlushMs <= shortFlushMs
    },
    /** To be called after the flush. */
    flushed(): void {
      lastFlushMs = clock.monotonic() - flushStartedMs
    },
    /**
     * To be called at the end of a transaction. Returns a promise that is resolved when the next one may begin, or undefined
     * if it may begin at once.
     */
    gather(writes: number): Promise<void> | undefined {
      const [now, nowMs] = [requests(), clock.monotonic()]
      const elapsedMs = nowMs - beforeMs
      // A clock that a test has stopped must not stop the writer.
      const isBusy = elapsedMs > 0 && elapsedMs < busyMs
      const isReading = isBusy && now - before >= requestsPerWrite * writes
      before = now
      beforeMs = nowMs
      if (!isReading) return undefined
      const { promise, resolve } = Promise.withResolvers<void>()
      clock.after(pauseMs, resolve)
      return promise
    },
  }
}
