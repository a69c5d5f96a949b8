/**
 * Caches records and pages in the form in which they are sent, because producing a page costs ten times as much as sending
 * it. A change clears what it can touch: a page is determined by the records of a span of ids. What was read during an
 * uncommitted change, and pages of a search that ran out of time, are not cached.
 */

import type { Announcements, IdSpan, Topic } from '../database/announcements.ts'
import type { CacheCounts } from '../lib/cache-counts.ts'
import type { Written } from './page.ts'

/** A record or a page in the form in which it is sent. */
export interface Representation extends Written {
  /** The headers of the response except those of admission. Made for every response, they would be a sixth of its work. */
  readonly headers: Headers
}

/** The maximum of characters and of entries in each half of a cache. The entries bound the time of an invalidation. */
const maximumCharacters = 8 * 1024 * 1024
const maximumEntries = 4_096

/**
 * Creates a cache. A change of the first of `topics` removes the representations whose span of ids it touches; a change of
 * another removes all.
 */
export function createRepresentationCache(announcements: Announcements, topics: readonly Topic[], counts: CacheCounts) {
  /** Those that new records, whose ids are higher than all before, can touch. */
  const open = new Entries()
  const closed = new Entries()

  announcements.subscribe(topics, (announced, idsOf) => {
    const [topic, other] = announced
    const ids = topic !== undefined && topic === topics[0] && other === undefined ? idsOf(topic) : undefined
    open.remove(ids)
    closed.remove(ids)
  })

  /** A read inside of a transaction may contain changes that are rolled back later. */
  const isChanging = () => topics.some(announcements.isChanging)

  return {
    find(key: string): Representation | undefined {
      const cached = isChanging() ? undefined : (closed.get(key) ?? open.get(key))
      if (cached) counts.hits++
      else counts.misses++
      return cached
    },
    /** To be called with what was read since `find` returned undefined, in the same turn of the event loop. */
    add(key: string, made: Representation): void {
      if (isChanging() || made.isPartial) return
      const entries = made.ids.to === Number.POSITIVE_INFINITY ? open : closed
      entries.set(key, made)
    },
  }
}

/** Two generations of entries: when the younger one is full, the older one is dropped. An entry that is used becomes young. */
class Entries {
  #young = new Map<string, Representation>()
  #old = new Map<string, Representation>()
  #characters = 0
  /** No span of an entry ends later. */
  #highestId = 0

  get(key: string): Representation | undefined {
    const young = this.#young.get(key)
    if (young) return young
    const old = this.#old.get(key)
    if (old) {
      this.#old.delete(key)
      this.set(key, old)
    }
    return old
  }

  set(key: string, value: Representation): void {
    this.#characters += value.body.length + key.length
    if (this.#characters > maximumCharacters || this.#young.size >= maximumEntries) {
      this.#old = this.#young
      this.#young = new Map()
      this.#characters = value.body.length + key.length
    }
    this.#young.set(key, value)
    this.#highestId = Math.max(this.#highestId, value.ids.to)
  }

  /** Removes the entries that a change of these records touches, or all. */
  remove(ids: IdSpan | undefined): void {
    if (ids === undefined) {
      this.#young.clear()
      this.#old.clear()
      this.#characters = 0
      this.#highestId = 0
    } else if (ids.from <= this.#highestId) {
      removeTouched(this.#young, ids)
      removeTouched(this.#old, ids)
    }
  }
}

function removeTouched(entries: Map<string, Representation>, { from, to }: IdSpan): void {
  for (const [key, { ids }] of entries) if (ids.from <= to && from <= ids.to) entries.delete(key)
}
