/** The periodic jobs of API keys. */

import type { Writer } from '../../database/writer.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Job } from '../../lib/scheduler.ts'
import type { EventWriter } from '../events/log.ts'
import { expiringMs } from './rules.ts'
import { toKey } from './schemas.ts'
import type { KeyStore } from './store.ts'

/** The most keys for which one transaction writes events. */
const keysAtATime = 100

interface KeyJobParts {
  readonly keys: KeyStore
  readonly events: EventWriter
  readonly writer: Writer
  readonly clock: Pick<Clock, 'now'>
}

export function keyJobs(parts: KeyJobParts): readonly Job[] {
  return [
    { name: 'store last uses of keys', everyMs: 10_000, run: () => saveUses(parts) },
    // The first run is soon after the start, the others are an hour apart.
    { name: 'tell keys that expire', everyMs: 60_000, idleMs: () => 3_600_000, run: () => reportExpiring(parts) },
  ]
}

/** Stores the times at which keys were last used; resolves when they are on disk. */
export async function saveUses({ keys, writer }: Pick<KeyJobParts, 'keys' | 'writer'>): Promise<void> {
  const uses = keys.unsavedUses()
  if (uses.length === 0) return
  await writer.write(() => {
    for (const [keyId, usedAt] of uses) keys.saveLastUse(keyId, usedAt)
  })
  keys.markUsesSaved(uses)
}

/** Writes one event for each key that expires soon, and another if it is given another expiry. */
async function reportExpiring({ keys, events, writer, clock }: KeyJobParts): Promise<void> {
  const find = () => keys.expiringUnreported(clock.now(), clock.now() + expiringMs, keysAtATime)
  while (find().length > 0) {
    await writer.write(() => {
      for (const key of find()) {
        keys.update(key.id, { reportedExpiry: key.expiresAt })
        events.write('key.expiring', key.accountId, toKey(key))
      }
    })
  }
}
