/** Tells a service that watches from elsewhere that a backup was made: when it hears nothing, the machine is off, or worse. */

import { messageOf } from '../../../lib/error.ts'
import type { Log } from '../../../lib/log.ts'

const attempts = 3
const timeoutMs = 10_000

/** Fetches the address, up to three times; a failure is logged. Ends when `signal` is aborted. Never rejects. */
export async function sendHeartbeat(url: string, log: Log, signal: AbortSignal): Promise<void> {
  let reason = ''
  for (let attempt = 0; attempt < attempts && !signal.aborted; attempt++) {
    try {
      const response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]) })
      // Nobody needs the body, which could be endless.
      await response.body?.cancel()
      if (response.ok) return
      reason = `it responded with ${response.status}`
    } catch (error) {
      reason = messageOf(error)
    }
  }
  // The rest of the address may be a secret.
  if (!signal.aborted) log.warn('the heartbeat was not accepted', { host: URL.parse(url)?.host, reason })
}
