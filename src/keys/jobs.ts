/** The periodic work of keys: when each was last used goes to disk in one write for many requests. */

import type { Writer } from '../database/writer.ts'
import type { Job } from '../lib/scheduler.ts'
import type { Authenticator } from './authenticate.ts'
import type { KeyStore } from './store.ts'

export interface UseNotes {
  readonly authenticator: Authenticator
  readonly keys: KeyStore
  readonly writer: Writer
}

/** Stores when keys were last used; resolves when it is on disk. */
export async function saveUses({ authenticator, keys, writer }: UseNotes): Promise<void> {
  const uses = authenticator.takeUses()
  if (uses.size === 0) return
  await writer.write(() => {
    for (const [keyId, usedAt] of uses) keys.noteUse(keyId, usedAt)
  })
}

export function keyJobs(notes: UseNotes): readonly Job[] {
  return [{ name: 'store when keys were used', everyMs: 10_000, run: () => saveUses(notes) }]
}
