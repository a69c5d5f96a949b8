/**
 * The search index of animals. New animals are indexed in steps, many at a time, because indexing an animal in its own
 * write would cost more than the write itself. Animals with ids up to the progress are in the index; a change of such an
 * animal updates it in the same transaction. A search scans the names of the animals beyond the progress.
 */

import type { Database } from 'bun:sqlite'
import type { PetRow } from '../table.ts'
import { tokensOf } from './tokens.ts'

export type PetIndex = ReturnType<typeof createPetIndex>

/** The number of animals that are indexed before the time is checked. */
const chunkSize = 50

/**
 * The number of pages of the index that are merged before the time is checked. FTS5's automatic merging is switched off,
 * because it merges hundreds of pages in the commit of a request. A merge ends only behind a whole token, which has at most
 * the animals of one block. https://sqlite.org/fts5.html#the_merge_command
 */
const mergedPages = 8

/** `completeId` returns an id up to which no animal will be added. */
export function createPetIndex(connection: Database, monotonic: () => number, completeId: () => number) {
  const readProgress = connection.prepare<{ lastPetId: number }, []>(
    'SELECT last_pet_id AS lastPetId FROM pet_progress WHERE id = 1',
  )
  const writeProgress = connection.prepare('UPDATE pet_progress SET last_pet_id = ?1 WHERE id = 1')
  const beyond = connection.prepare<PetRow, [number, number, number]>(
    'SELECT id, name, category_id AS categoryId, status FROM pets WHERE id > ?1 AND id <= ?2 ORDER BY id LIMIT ?3',
  )
  const highestId = connection.prepare<{ id: number | null }, []>('SELECT max(id) AS id FROM pets')
  const insert = connection.prepare('INSERT INTO pet_search (rowid, parts) VALUES (?1, ?2)')
  const remove = connection.prepare('DELETE FROM pet_search WHERE rowid = ?1')
  const merge = connection.prepare(`INSERT INTO pet_search (pet_search, rank) VALUES ('merge', ${mergedPages})`)
  const readChanges = connection.prepare<{ rows: number }, []>('SELECT total_changes() AS rows')
  const progress = () => readProgress.get()?.lastPetId ?? 0
  const changes = () => readChanges.get()?.rows ?? 0
  /** Whether the index may have segments to merge. */
  let isUnmerged = true

  /** Merges a few pages of segments. Returns false if there was nothing to merge: then FTS5 changes less than two rows. */
  function mergeSome(): boolean {
    const before = changes()
    merge.run()
    return changes() - before >= 2
  }

  return {
    /** Animals with higher ids are not in the index yet. */
    progress,
    /** The highest id of an animal, 0 if there is none. */
    highestId: (): number => highestId.get()?.id ?? 0,
    /** The maximum number of animals that are not in the index yet. */
    waiting: (): number => Math.max(0, completeId() - progress()),
    /** Whether there is work for a step. */
    isBehind: (): boolean => isUnmerged || completeId() > progress(),
    /**
     * Merges segments of earlier writes and indexes the next animals, for `budgetMs`; called in a transaction. Returns
     * whether there may be more to do.
     */
    step(budgetMs: number): boolean {
      const deadlineMs = monotonic() + budgetMs
      while (isUnmerged) {
        isUnmerged = mergeSome()
        if (isUnmerged && monotonic() >= deadlineMs) return true
      }
      const end = completeId()
      let last = progress()
      let isMore = true
      do {
        const pets = beyond.all(last, end, chunkSize)
        for (const pet of pets) insert.run(pet.id, tokensOf(pet))
        last = pets.at(-1)?.id ?? last
        isMore = pets.length === chunkSize
      } while (isMore && monotonic() < deadlineMs)
      if (last === progress()) return false
      isUnmerged = true
      writeProgress.run(last)
      return true
    },
    /** Called in the transaction that changes an animal, adds it (no `before`) under an id of the past, or removes it (no `after`). */
    replace(before: PetRow | undefined, after: PetRow | undefined): void {
      if (((before ?? after)?.id ?? 0) > progress()) return
      isUnmerged = true
      if (before) remove.run(before.id)
      if (after) insert.run(after.id, tokensOf(after))
    },
  }
}
