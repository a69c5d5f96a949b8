/** Undoes an import: removes the records that it added, except those that were changed or ordered afterwards. */

import type { EventWriter } from '../../access/events/log.ts'
import { AppError } from '../../lib/error.ts'
import type { CategoryStore } from '../categories/store.ts'
import type { DeletedPetStore } from '../pets/changes/deleted-pets.ts'
import type { PetStore } from '../pets/store.ts'
import { toImportedPets, type UndoneImport } from './schemas.ts'
import type { ImportRow, ImportsStore } from './store.ts'

export interface UndoParts {
  readonly imports: ImportsStore
  readonly events: EventWriter
  readonly pets: Pick<PetStore, 'remove' | 'countInCategory'>
  readonly deletedPets: Pick<DeletedPetStore, 'remove'>
  readonly categories: Pick<CategoryStore, 'remove'>
}

/** The number of animals that are read at a time. */
const pageSize = 1_000

/**
 * Undoes an import at `nowMs` (Unix milliseconds); called in a transaction. Throws `not_found`, and `conflict` for one
 * that was undone before.
 */
export function undoImport(parts: UndoParts, id: number, nowMs: number): UndoneImport {
  const found = parts.imports.find(id)
  if (!found) throw new AppError('not_found', `There is no import ${id}.`)
  if (found.undoneAt !== null) throw new AppError('conflict', `Import ${id} was undone already.`)
  const undone = { id, ...removePets(parts, found), removedCategories: removeCategories(parts, id) }
  parts.imports.setUndone(id, nowMs)
  parts.events.write('import.undone', null, toImportedPets(found))
  return undone
}

function removePets({ imports, pets, deletedPets }: UndoParts, { firstPetId, lastPetId }: ImportRow) {
  const counts = { removed: 0, changed: 0, ordered: 0 }
  if (firstPetId === null || lastPetId === null) return counts
  for (let after = firstPetId - 1; after < lastPetId; ) {
    const added = imports.addedPets(after, lastPetId, pageSize)
    after = added.at(-1)?.id ?? lastPetId
    for (const { isDeleted, isOrdered, isChanged, ...pet } of added) {
      if (isDeleted) {
        // An animal that was deleted before the undo is not one that the undo keeps or removes.
        if (!isOrdered && !isChanged) deletedPets.remove(pet.id)
      } else if (isOrdered) counts.ordered++
      else if (isChanged) counts.changed++
      else {
        pets.remove(pet)
        counts.removed++
      }
    }
  }
  return counts
}

/** Returns the number of categories that it has removed: those that no animal has. */
function removeCategories({ imports, pets, categories }: UndoParts, importId: number): number {
  const unused = imports.addedCategories(importId).filter(({ id }) => pets.countInCategory(id) === 0)
  for (const { id } of unused) categories.remove(id)
  return unused.length
}
