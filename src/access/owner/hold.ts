/**
 * The hold of a store that was restored on another machine, while the old machine may still run the same store: no
 * certificate is ordered, and no mail, webhook, heartbeat or copy of a backup is sent, until the owner confirms that
 * this machine now runs the store.
 */

import type { OwnerStore } from './store.ts'

export interface Hold {
  /**
   * Read anew each time, in a few microseconds; the topic `owner` is announced when it ends. Throws if the database
   * cannot be read.
   */
  isOnHold(): boolean
  /** When the store was restored, Unix milliseconds; null if it is not on hold. Throws like `isOnHold`. */
  sinceMs(): number | null
  /** Adds what `confirm` does in its transaction, such as deleting mails from before the restore. */
  onConfirm(act: () => void): void
  /** Ends the hold. To be called in a transaction. */
  confirm(): void
}

export function createHold(owner: Pick<OwnerStore, 'installation' | 'updateInstallation'>): Hold {
  const acts: (() => void)[] = []
  const sinceMs = () => owner.installation().restoredAt
  return {
    isOnHold: () => sinceMs() !== null,
    sinceMs,
    onConfirm: (act) => void acts.push(act),
    confirm() {
      owner.updateInstallation({ restoredAt: null })
      for (const act of acts) act()
    },
  }
}
