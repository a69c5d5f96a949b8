/**
 * Keeps pages as they are sent until the records they show have changed: writing one costs ten times what sending it
 * costs. Nothing is kept that was read while a change of its records is not on disk yet, and no page on which a search
 * ran out of time.
 */

import { LRUCache } from 'lru-cache'
import type { Announcements, Topic } from '../database/announcements.ts'
import type { CacheCounts } from '../metrics/cache-counts.ts'
import type { WrittenPage } from './page.ts'

/** What all pages of one cache may take, in characters. */
const maximumCharacters = 16 * 1024 * 1024

/** A function that returns the page under `key`, from `write` where it is not cached. */
export function createPageCache(announcements: Announcements, topics: readonly Topic[], counts: CacheCounts) {
  const pages = new LRUCache<string, WrittenPage>({
    maxSize: maximumCharacters,
    sizeCalculation: (page, key) => page.body.length + key.length + 200,
  })
  announcements.subscribe(topics, () => pages.clear())

  return (key: string, write: () => WrittenPage): WrittenPage => {
    // A page that is read inside of a transaction shows changes that may yet be rolled back.
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
