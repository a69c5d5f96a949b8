/** Pages as they are sent, kept until their records change: making one costs ten times the sending. */

import { LRUCache } from 'lru-cache'

export interface WrittenPage {
  readonly body: string
  readonly etag: string
  /** The `Link` header to the next page, if there is one. */
  readonly link: string | undefined
}

const maximumCharacters = 16 * 1024 * 1024

/** Keeps pages by their query for as long as `version` stays the same. */
export function createPageCache(version: () => number) {
  const pages = new LRUCache<string, WrittenPage>({
    maxSize: maximumCharacters,
    sizeCalculation: (page, query) => page.body.length + query.length + 200,
  })
  let keptVersion = version()

  return {
    /** The page for a query, made by `write` unless it is kept. */
    get(query: string, write: () => WrittenPage): WrittenPage {
      const current = version()
      if (current !== keptVersion) {
        pages.clear()
        keptVersion = current
      }
      const kept = pages.get(query)
      if (kept) return kept
      const written = write()
      pages.set(query, written)
      return written
    },
  }
}
export type PageCache = ReturnType<typeof createPageCache>
