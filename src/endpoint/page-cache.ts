/**
 * Caches pages in the form in which they are sent, because producing a page costs ten times as much as sending it. A
 * change of the records clears the cache. Pages that were read during an uncommitted change, and pages of a search that
 * ran out of time, are not cached.
 */

import { LRUCache } from 'lru-cache'
import type { Announcements, Topic } from '../database/announcements.ts'
import type { CacheCounts } from '../metrics/cache-counts.ts'
import type { WrittenPage } from './page.ts'

/** The maximum size of all pages in a cache, in characters. */
const maximumCharacters = 16 * 1024 * 1024

/** Returns a function that returns the cached page for `key`, or the result of `write`. A change of `topics` clears it. */
export function createPageCache(announcements: Announcements, topics: readonly Topic[], counts: CacheCounts) {
  const pages = new LRUCache<string, WrittenPage>({
    maxSize: maximumCharacters,
    sizeCalculation: (page, key) => page.body.length + key.length + 200,
  })
  announcements.subscribe(topics, () => pages.clear())

  return (key: string, write: () => WrittenPage): WrittenPage => {
    // A page that is read inside of a transaction may contain changes that are rolled back later.
    const isChanging = topics.some(announcements.isChanging)
    const cached = isChanging ? undefined : pages.get(key)
    if (cached) {
      counts.hits++
      return cached
    }
    counts.misses++
    const written = write()
    if (!isChanging && !written.isPartial) pages.set(key, written)
    return written
  }
}
