/**
 * Says what has changed in the database, once it is on disk. Stores declare a topic inside the transaction in
 * which they change it; the writer announces it after the commit and before it resolves the writes, so that a
 * client that has its response never reads a cached state from before. Nothing is announced of a transaction
 * that failed or of a savepoint that was rolled back. Commits of other processes announce every topic
 * (`changes.ts`), as SQLite tells that they happened and not what they changed.
 */

import type { Log } from '../lib/log.ts'

export const topics = ['pets', 'categories', 'orders', 'accounts', 'keys', 'bans', 'audit'] as const
export type Topic = (typeof topics)[number]

/** To be called in the transaction that changes what `topic` names. */
export type Declare = (topic: Topic) => void

/** For stores in a process without subscribers, such as a command. */
export const declareNothing: Declare = () => {}

/** Called synchronously after the commit with those announced topics that it has subscribed to. */
export type Listener = (announced: readonly Topic[]) => void

export interface Announcements {
  readonly declare: Declare
  /** Whether `topic` is declared and neither announced nor discarded: reads may then show what is not on disk. */
  isChanging(topic: Topic): boolean
  /** Calls `listener` once for each commit that changed any of `subscribed`. Returns the function that ends this. */
  subscribe(subscribed: readonly Topic[], listener: Listener): () => void
  /** For whoever runs the transactions. */
  readonly transaction: TransactionAnnouncements
}

export interface TransactionAnnouncements {
  /** The savepoint was released: what it declared now belongs to the transaction. */
  keep(): void
  /** The savepoint was rolled back: what it declared is dropped. */
  discard(): void
  /** The transaction was rolled back or its commit failed: everything declared is dropped. */
  discardAll(): void
  /** The commit is on disk: announces what was kept. */
  announce(): void
  /** Announces every topic, for commits of other processes. */
  announceAll(): void
}

export function createAnnouncements(log: Log): Announcements {
  const subscriptions = new Set<{ readonly subscribed: readonly Topic[]; readonly listener: Listener }>()
  const declared = new Set<Topic>()
  const kept = new Set<Topic>()

  function publish(announced: ReadonlySet<Topic>): void {
    for (const { subscribed, listener } of subscriptions) {
      const relevant = subscribed.filter((topic) => announced.has(topic))
      if (relevant.length === 0) continue
      try {
        listener(relevant)
      } catch (error) {
        // The change is on disk: neither its writer nor the other subscribers may suffer.
        log.error('a subscriber could not follow a change of the database', { topics: relevant.join(' '), error })
      }
    }
  }

  return {
    declare(topic) {
      if (!kept.has(topic)) declared.add(topic)
    },
    isChanging: (topic) => declared.has(topic) || kept.has(topic),
    subscribe(subscribed, listener) {
      const subscription = { subscribed, listener }
      subscriptions.add(subscription)
      return () => void subscriptions.delete(subscription)
    },
    transaction: {
      keep() {
        if (declared.size === 0) return
        for (const topic of declared) kept.add(topic)
        declared.clear()
      },
      discard: () => declared.clear(),
      discardAll() {
        declared.clear()
        kept.clear()
      },
      announce() {
        if (kept.size === 0) return
        const announced = new Set(kept)
        kept.clear()
        publish(announced)
      },
      announceAll: () => publish(new Set(topics)),
    },
  }
}
