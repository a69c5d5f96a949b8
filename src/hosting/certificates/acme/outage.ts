/** Notices when an authority that could not be reached replies again: the orders that failed meanwhile need not wait on. */

import type { Clock } from '../../../lib/clock.ts'
import type { AcmeClient } from './client.ts'
import { AcmeUnavailable } from './problem.ts'

/** How often an authority that can't be reached is tried, in milliseconds. */
const everyMs = 10 * 60_000

export interface OutageWatch {
  /** Fetches the directory, as the client does, and notes whether that succeeds. */
  directory: AcmeClient['directory']
  /**
   * When an outage began that is over now, in Unix milliseconds; once for each. Tries the authority if it is time to.
   */
  ended(signal: AbortSignal): Promise<number | undefined>
}

export function watchOutages(client: AcmeClient, clock: Pick<Clock, 'now' | 'monotonic'>): OutageWatch {
  let sinceMs: number | undefined
  let isOver = false
  let triedMs = Number.NEGATIVE_INFINITY

  async function directory(signal: AbortSignal) {
    try {
      const found = await client.directory(signal)
      isOver = true
      return found
    } catch (error) {
      if (error instanceof AcmeUnavailable) {
        sinceMs ??= clock.now()
        isOver = false
      }
      throw error
    }
  }

  return {
    directory,
    async ended(signal) {
      if (sinceMs === undefined) return undefined
      if (!isOver && clock.monotonic() - triedMs >= everyMs) {
        triedMs = clock.monotonic()
        await directory(signal).catch(() => {})
      }
      if (!isOver) return undefined
      const begunMs = sinceMs
      sinceMs = undefined
      return begunMs
    },
  }
}
