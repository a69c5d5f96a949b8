/**
 * Notifies a monitoring service that a backup was made. Without the request, that service reports a machine that is
 * off.
 */

import { messageOf } from '../../../lib/error.ts'
import type { Log } from '../../../lib/log.ts'

/** One each minute: a router that starts again at night takes some. */
const mostAttempts = 10
const timeoutMs = 10_000

/** Without an address nothing is sent. */
export function createHeartbeat(url: string | undefined, log: Log) {
  let attemptsLeft = 0

  return {
    /** A good backup was made. */
    due(): void {
      attemptsLeft = mostAttempts
    },
    /**
     * Fetches the address if it is due, and is to be called every minute, for the next attempt. The last failure is
     * logged. Never rejects.
     */
    async send(signal: AbortSignal): Promise<void> {
      if (url === undefined || attemptsLeft === 0) return
      attemptsLeft--
      const reason = await fetchHeartbeat(url, signal)
      if (reason === undefined) attemptsLeft = 0
      // The rest of the address may be a secret.
      else if (attemptsLeft === 0) log.warn('the heartbeat was not accepted', { host: URL.parse(url)?.host, reason })
    },
  }
}

/** Returns why the address did not accept it; undefined if it did. */
async function fetchHeartbeat(url: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]) })
    // The body is not needed, and could be endless.
    await response.body?.cancel()
    return response.ok ? undefined : `it responded with ${response.status}`
  } catch (error) {
    return messageOf(error)
  }
}
