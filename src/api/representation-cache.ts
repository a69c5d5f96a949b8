/**
 * Caches records and pages in the form in which they are sent, because producing a page costs ten times as much as
 * sending it. A change removes what it can affect: a page is determined by the records of a span of ids. What was read
 * during an uncommitted change, pages of a search that ran out of time, and pages that are not sorted by ids are not
 * cached.
 */

import type { Announcements, IdSpan, Topic } from '../database/announcements.ts'
import type { CacheCounts } from '../lib/cache-counts.ts'
import type { Serialized } from './page.ts'

/** A record or a page in the form in which it is sent. */
export interface Representation extends Serialized {
  /**
   * The headers of the response except those of admission. Made for every response, they would be a sixth of its work.
   */
  readonly headers: Headers
}

/**
 * The maximum of characters and of entries in each of the two parts of a cache. The entries bound the time of an
 * invalidation.
 */
const maximumCharacters = 16 * 1024 * 1024
const maximumEntries = 8_192

/**
 * Creates a cache. A change of the first of `topics` removes the representations whose span of ids it affects; a change
 * of another removes all.
 */
export function createRepresentationCache(announcements: Announcements, topics: readonly Topic[], counts: CacheCounts) {
  /** Those that new records, whose ids are higher than all others, can affect. */
  const open = new Entries()
  const closed = new Entries()
  /** No span of an entry in `closed` ends later. */
  let highestId = 0

  announcements.subscribe(topics, (announced, idsOf) => {
    const [topic, other] = announced
    const ids = topic !== undefined && topic === topics[0] && other === undefined ? idsOf(topic) : undefined
    open.remove(ids)
    if (ids === undefined || ids.from <= highestId) closed.remove(ids)
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
      if (isChanging() || made.isUncached) return
      const { to } = made.ids
      if (to === Number.POSITIVE_INFINITY) {
        open.set(key, made)
      } else {
        closed.set(key, made)
        highestId = Math.max(highestId, to)
      }
    },
  }
}

/** Representations by URL. When there are too many, the oldest are removed. */
class Entries {
  readonly #entries = new Map<string, Representation>()
  #characters = 0

  get(key: string): Representation | undefined {
    return this.#entries.get(key)
  }

  set(key: string, added: Representation): void {
    this.#entries.set(key, added)
    this.#characters += charactersOf(key, added)
    for (const [oldKey, old] of this.#entries) {
      if (this.#characters <= maximumCharacters && this.#entries.size <= maximumEntries) break
      this.#delete(oldKey, old)
    }
  }

  /** Removes the entries that a change of these records affects, or all. */
  remove(ids: IdSpan | undefined): void {
    for (const [key, entry] of this.#entries) {
      if (ids === undefined || (entry.ids.from <= ids.to && ids.from <= entry.ids.to)) this.#delete(key, entry)
    }
  }

  #delete(key: string, entry: Representation): void {
    this.#entries.delete(key)
    this.#characters -= charactersOf(key, entry)
  }
}

function charactersOf(key: string, { body }: Representation): number {
  return key.length + body.length
}
