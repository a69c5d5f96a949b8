/** Lets more writes gather into a transaction while reads outnumber them: each commit costs as much as several reads. */

import type { Clock } from '../../lib/clock.ts'

/** The pause, in milliseconds. */
const pauseMs = 1

/** While fewer transactions than one in this time are committed, in milliseconds, nothing is gained by gathering. */
const busyMs = 20

/** A transaction pays off if so many requests come for each of its writes. */
const requestsPerWrite = 4

/**
 * Returns a function to be called after each transaction with the number of its writes. It returns a promise that is resolved
 * when the next one may begin, or undefined if it may begin at once. `requests` returns the number of all requests so far.
 */
export function createGathering(clock: Pick<Clock, 'monotonic' | 'after'>, requests: () => number) {
  let before = 0
  let beforeMs = 0
  return (writes: number): Promise<void> | undefined => {
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
  }
}
