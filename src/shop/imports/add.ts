/**
 * Adds staged animals to the store in steps of a few milliseconds, between which other requests read and write. The ids
 * of the animals are reserved first, so that they are consecutive.
 */

import type { CategoryStore } from '../categories/store.ts'
import type { PetStore } from '../pets/store.ts'
import { createPlacement } from './categories.ts'
import type { Stage } from './stage.ts'
import type { ImportRow, ImportsStore } from './store.ts'

/** The number of animals that are added before the time is checked. */
const chunkSize = 50

export interface AddStores {
  readonly imports: ImportsStore
  readonly pets: PetStore
  readonly categories: CategoryStore
}

export interface Addition {
  readonly id: number
  /** The latest import of the same bytes that was not undone. */
  readonly previous: ImportRow | undefined
  /** The number of animals that were added. */
  done(): number
  /** Adds more animals until `isOver`; called in a transaction. Returns whether there are more to add. */
  addMore(isOver: () => boolean): boolean
}

/** Adds the import and reserves the ids of its animals; called in a transaction. */
export function beginAddition(
  { imports, pets, categories }: AddStores,
  stage: Stage,
  content: Pick<ImportRow, 'sha256' | 'fileName' | 'imported' | 'skipped' | 'createdAt'>,
): Addition {
  const total = content.imported
  const previous = imports.findByContent(content.sha256)
  const id = imports.add({ ...content, completedAt: null })
  const firstPetId = total === 0 ? null : pets.reserveIds(total)
  imports.setPets(id, { firstPetId, lastPetId: firstPetId === null ? null : firstPetId + total - 1 })
  const placeMore = createPlacement({ stage: stage.connection, categories, pets, importId: id })
  let isPlaced = false
  let done = 0

  return {
    id,
    previous,
    done: () => done,
    addMore(isOver) {
      if (!isPlaced && placeMore(isOver)) return true
      isPlaced = true
      if (firstPetId === null) return false
      do {
        const rows = stage.page(done, chunkSize)
        for (const { number, ...pet } of rows) pets.putBack({ id: firstPetId + number - 1, ...pet })
        done = rows.at(-1)?.number ?? total
      } while (done < total && !isOver())
      return done < total
    },
  }
}
