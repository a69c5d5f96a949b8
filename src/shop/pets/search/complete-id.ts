/**
 * How far the ids of animals are complete. While a server adds an import, animals with reserved ids are added behind animals
 * that others have created meanwhile. The totals and the search index take animals in the order of their ids, so they wait.
 */

import type { Database } from 'bun:sqlite'

/** Returns a function that returns an id up to which no animal will be added; the highest id if no import is running. */
export function createCompleteId(connection: Database): () => number {
  const read = connection.prepare<{ id: number }, []>(
    `SELECT min(
       coalesce((SELECT max(id) FROM pets), 0),
       coalesce((SELECT min(first_pet_id + added - 1) FROM imports WHERE completed_at IS NULL), ${Number.MAX_SAFE_INTEGER})
     ) AS id`,
  )
  return () => read.get()?.id ?? 0
}
