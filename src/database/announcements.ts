/**
 * Announces changes of the database once they are committed. A store declares a topic inside the transaction in which
 * it changes it. The writer announces the topic after the commit and before it resolves the writes, so that a client
 * that has its response never reads an older cached state. Nothing is announced of a transaction that failed or of a
 * savepoint that was rolled back. There is one writer: commits of other programs, such as sqlite3, are not announced.
 */

import type { Log } from '../lib/log.ts'

export const topics = [
  'pets',
  'profiles',
  'categories',
  'settings',
  'orders',
  'projects',
  'website',
  'domains',
  // Which domains are served, and where the others redirect: most changes of domains are results of checks, and change
  // neither.
  'routing',
  'deploys',
  'imports',
  'accounts',
  'keys',
  'bans',
  'audit',
  'certificates',
  'owner',
  'mail',
  'backups',
  'webhooks',
] as const
export type Topic = (typeof topics)[number]

/** Ids from `from` to `to`, both included. */
export interface IdSpan {
  readonly from: number
  readonly to: number
}

export const anyId: IdSpan = { from: 0, to: Number.POSITIVE_INFINITY }

/** Called in the transaction that changes records of `topic`: the record `id`, or any of them. */
export type Declare = (topic: Topic, id?: number) => void

/** For stores without subscribers, as in tests. */
export const declareNothing: Declare = () => {}

/**
 * Called synchronously after the commit with those announced topics that it has subscribed to. `idsOf` returns the ids
 * of the changed records of an announced topic.
 */
export type Listener = (announced: readonly Topic[], idsOf: (topic: Topic) => IdSpan) => void

export interface Announcements {
  readonly declare: Declare
  /**
   * Whether `topic` is declared and neither announced nor discarded. Reads may then see a state that is rolled back
   * later.
   */
  isChanging(topic: Topic): boolean
  /** Calls `listener` once for each commit that changed any of `subscribed`. Returns a function that unsubscribes. */
  subscribe(subscribed: readonly Topic[], listener: Listener): () => void
  /**
   * Calls `listener` whenever every commit so far is on disk: later than `subscribe` does, and whatever has changed.
   */
  onFlushed(listener: () => void): void
  /** For the code that runs the transactions. */
  readonly transaction: TransactionAnnouncements
}

export interface TransactionAnnouncements {
  /** The savepoint was released: its topics now belong to the transaction. */
  keep(): void
  /** The savepoint was rolled back: its topics are discarded. */
  discard(): void
  /** The transaction was rolled back or its commit failed: all topics are discarded. */
  discardAll(): void
  /** The transaction has committed: announces the topics that were kept. */
  announce(): void
  /** Every commit so far is on disk. */
  flushed(): void
}

export function createAnnouncements(log: Log): Announcements {
  const subscriptions = new Set<{ readonly subscribed: readonly Topic[]; readonly listener: Listener }>()
  const flushListeners: (() => void)[] = []
  const declared = new Map<Topic, IdSpan>()
  const kept = new Map<Topic, IdSpan>()

  function publish(announced: ReadonlyMap<Topic, IdSpan>): void {
    const idsOf = (topic: Topic) => announced.get(topic) ?? anyId
    for (const { subscribed, listener } of subscriptions) {
      const relevant = subscribed.filter((topic) => announced.has(topic))
      if (relevant.length === 0) continue
      try {
        listener(relevant, idsOf)
      } catch (error) {
        // The change is committed: the error must affect neither the write nor the other subscribers.
        log.error('a subscriber failed to process a change of the database', { topics: relevant.join(' '), error })
      }
    }
  }

  return {
    declare(topic, id) {
      add(declared, topic, id === undefined ? anyId : { from: id, to: id })
    },
    isChanging: (topic) => declared.has(topic) || kept.has(topic),
    subscribe(subscribed, listener) {
      const subscription = { subscribed, listener }
      subscriptions.add(subscription)
      return () => void subscriptions.delete(subscription)
    },
    onFlushed: (listener) => void flushListeners.push(listener),
    transaction: {
      keep() {
        if (declared.size === 0) return
        for (const [topic, ids] of declared) add(kept, topic, ids)
        declared.clear()
      },
      discard: () => declared.clear(),
      discardAll() {
        declared.clear()
        kept.clear()
      },
      announce() {
        if (kept.size === 0) return
        const announced = new Map(kept)
        kept.clear()
        publish(announced)
      },
      flushed() {
        try {
          for (const listener of flushListeners) listener()
        } catch (error) {
          log.error('a listener failed when a change of the database was on disk', { error })
        }
      },
    },
  }
}

function add(spans: Map<Topic, IdSpan>, topic: Topic, { from, to }: IdSpan): void {
  const known = spans.get(topic)
  spans.set(topic, known ? { from: Math.min(known.from, from), to: Math.max(known.to, to) } : { from, to })
}
